#pragma once
// Counter-based random numbers: a value depends on its key and its position alone, never on which thread
// asked first, so that the same seed gives the same model on any number of threads.
#include <cstdint>

namespace vaglio {

// The finaliser of splitmix64: a bijection whose output bits all depend on all input bits.
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// A child key: (seed, tree), (tree, node), (node, branch) and so on.
constexpr std::uint64_t key_of(std::uint64_t parent, std::uint64_t child) {
    return mix(parent ^ mix(child + 0x632be59bd9b4e019ULL));
}

// The upper 64 bits of a product of 128.
constexpr std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
#else
    const std::uint64_t a_low = a & 0xFFFFFFFFu, a_high = a >> 32, b_low = b & 0xFFFFFFFFu, b_high = b >> 32;
    const std::uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    const std::uint64_t other = a_low * b_high + (middle & 0xFFFFFFFFu);
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

class Random {
 public:
    explicit constexpr Random(std::uint64_t key) : key_(key) {}
    constexpr std::uint64_t next() { return mix(key_ ^ mix(++count_)); }
    // Uniform in [0, bound) by multiplication; the bias is below bound / 2^64.
    constexpr std::uint64_t below(std::uint64_t bound) { return upper_half(next(), bound); }
    // Uniform in [0, 1) with 53 bits.
    constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
    std::uint64_t key_;
    std::uint64_t count_ = 0;
};

}  // namespace vaglio
