#pragma once
// What differs from compiler to compiler: forced inlining, prefetching, waiting, counting bits, bit casts. Everything
// here is safe in sources that are compiled per level (base/dispatch.hpp), because a function that is always inlined
// leaves no copy for the linker to share between levels.
#include <cstdint>

#if defined(__GNUC__)
#define VAGLIO_INLINE inline __attribute__((always_inline))
#define VAGLIO_INLINE_LAMBDA __attribute__((always_inline))
#define VAGLIO_PREFETCH(address) __builtin_prefetch(address)
#else
#include <bit>
#define VAGLIO_INLINE __forceinline
#define VAGLIO_INLINE_LAMBDA
#define VAGLIO_PREFETCH(address) static_cast<void>(address)
#endif

// A breath in a loop that waits for another thread.
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define VAGLIO_PAUSE() __builtin_ia32_pause()
#else
#define VAGLIO_PAUSE() static_cast<void>(0)
#endif

namespace vaglio {

VAGLIO_INLINE std::uint32_t count_ones(std::uint64_t word) {
#if defined(__GNUC__)
    return static_cast<std::uint32_t>(__builtin_popcountll(word));
#else
    return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

// The place of the lowest one of a word that has any.
VAGLIO_INLINE std::uint32_t lowest_one(std::uint64_t word) {
#if defined(__GNUC__)
    return static_cast<std::uint32_t>(__builtin_ctzll(word));
#else
    return static_cast<std::uint32_t>(std::countr_zero(word));
#endif
}

// std::bit_cast, which is an ordinary inline function; all supported compilers have the builtin behind it.
template <class To, class From>
VAGLIO_INLINE constexpr To reread(const From& value) {
    return __builtin_bit_cast(To, value);
}

}  // namespace vaglio
