#include "ops.hpp"

namespace vaglio::sieve {

namespace v1 {
Ops table();
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
Ops table();
}
namespace v4 {
Ops table();
}
#endif

namespace {

Ops choose() {
#ifdef VAGLIO_X86_LEVELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return v4::table();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return v3::table();
#endif
    return v1::table();
}

}  // namespace

const Ops& ops() {
    static const Ops chosen = choose();
    return chosen;
}

}  // namespace vaglio::sieve
