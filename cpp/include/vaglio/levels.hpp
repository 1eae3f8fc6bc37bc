#pragma once
// Some loops are compiled once per x86-64 level; the file that chooses among them asks here what may run.

namespace vaglio {

// 4, 3, or 1 where neither is to be had.
inline int x86_level() {
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    if (__builtin_cpu_supports("x86-64-v3")) return 3;
#endif
    return 1;
}

}  // namespace vaglio
