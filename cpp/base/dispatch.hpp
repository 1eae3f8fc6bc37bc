#pragma once
// The one way to compile a loop for several instruction sets and to choose among them at run time.
//
// CMake's vaglio_add_levels compiles a source once per x86-64 level. Each time VAGLIO_LEVEL is the namespace of the
// level (v1 is the baseline, v3 has AVX2, v4 has AVX-512) and VAGLIO_VECTOR_BYTES is the width of a vector register. On
// other processors and with other compilers there is v1 alone. The header of such a source declares its functions with
// VAGLIO_DECLARE_LEVELS, and a caller takes the best one that the processor can run: VAGLIO_LEVELS(name).best().
//
// A source that is compiled per level must not use inline functions of the standard library or of ordinary headers. The
// linker keeps one copy of an inline function for the whole program, and that copy could be the one with AVX-512
// instructions. Functions marked VAGLIO_INLINE and C functions such as fabs are safe.
//
// GCC's attribute target_clones would need less, but no other compiler and no sanitizer accepts it.
#include <cstddef>

#include "base/compiler.hpp"

#ifdef VAGLIO_X86_LEVELS
#define VAGLIO_DECLARE_LEVELS(...) \
    namespace v1 {                 \
    __VA_ARGS__                    \
    }                              \
    namespace v3 {                 \
    __VA_ARGS__                    \
    }                              \
    namespace v4 {                 \
    __VA_ARGS__                    \
    }
#define VAGLIO_LEVELS(name) ::vaglio::levels_of(v1::name, v3::name, v4::name)
#else
#define VAGLIO_DECLARE_LEVELS(...) \
    namespace v1 {                 \
    __VA_ARGS__                    \
    }
#define VAGLIO_LEVELS(name) ::vaglio::levels_of(v1::name)
#endif

namespace vaglio {

// How many levels this processor can run: 1, 2 (up to v3) or 3 (up to v4).
inline std::size_t runnable_levels() noexcept {
#ifdef VAGLIO_X86_LEVELS
    __builtin_cpu_init();
    // Single features instead of the names of the levels, which not every compiler knows. Processors that have these
    // have the rest of the level too.
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? 3 : v3 ? 2 : 1;
#else
    return 1;
#endif
}

// One function in the versions of all levels, lowest level first.
template <class Function, std::size_t count>
struct Levels {
    Function of[count];

    Function best() const noexcept { return of[runnable_levels() - 1]; }
    // For tests: calls use(function) for every level that the processor can run.
    template <class Use>
    void each(Use use) const {
        for (std::size_t level = 0; level < runnable_levels(); ++level) use(of[level]);
    }
};

template <class Function, class... Functions>
Levels<Function*, 1 + sizeof...(Functions)> levels_of(Function& first, Functions&... others) noexcept {
    return {{&first, &others...}};
}

}  // namespace vaglio
