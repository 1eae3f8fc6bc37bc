#include "vaglio/kernel_ops.hpp"

#include "vaglio/levels.hpp"

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
    if (x86_level() == 4) return v4::table<T>();
    if (x86_level() == 3) return v3::table<T>();
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
