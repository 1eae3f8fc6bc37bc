#include "vaglio/row_ops.hpp"

namespace vaglio {

namespace v1 {
RowOps row_table();
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
RowOps row_table();
}
namespace v4 {
RowOps row_table();
}
#endif

namespace {

RowOps choose() {
#ifdef VAGLIO_X86_LEVELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return v4::row_table();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return v3::row_table();
#endif
    return v1::row_table();
}

}  // namespace

const RowOps& row_ops() {
    static const RowOps chosen = choose();
    return chosen;
}

}  // namespace vaglio
