#include "vaglio/kernel_ops.hpp"

namespace vaglio {

#define VAGLIO_DECLARE(level) \
    namespace level {         \
    template <class T>        \
    KernelOps<T> table();     \
    }
VAGLIO_DECLARE(v1)
#ifdef VAGLIO_X86_LEVELS
VAGLIO_DECLARE(v3)
VAGLIO_DECLARE(v4)
#endif

namespace {

template <class T>
KernelOps<T> choose() {
#ifdef VAGLIO_X86_LEVELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return v4::table<T>();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return v3::table<T>();
#endif
    return v1::table<T>();
}

}  // namespace

template <class T>
const KernelOps<T>& kernel_ops() {
    static const KernelOps<T> chosen = choose<T>();
    return chosen;
}
template const KernelOps<float>& kernel_ops<float>();
template const KernelOps<double>& kernel_ops<double>();

}  // namespace vaglio
