#pragma once
// Sorting short unsigned keys by their upper bits, for nodes of any size.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio {

// Each key's place is the number of keys before it: n² comparisons, but without a branch, and the compiler makes
// them several at a time. Faster than any other sort of a few dozen keys.
template <class Key>
void place_sort(const Key* keys, std::size_t n, Key* sorted) {
    for (std::size_t i = 0; i < n; ++i) {
        const Key key = keys[i];
        std::uint32_t place = 0;
        for (std::size_t j = 0; j < i; ++j) place += keys[j] <= key;
        for (std::size_t j = i + 1; j < n; ++j) place += keys[j] < key;
        sorted[place] = key;
    }
}

// Least significant digit first over the bits [low, low + bits); what lies below `low` rides along. `spare` has the
// same size; the result is in one of the two, and returned.
template <class Key>
Key* radix_sort(Key* keys, Key* spare, std::size_t n, int low, int bits) {
    // Few keys do not fill many buckets: smaller digits, more passes.
    const int widest = n < 1024 ? 6 : n < 32768 ? 9 : 11;
    const int passes = std::max(1, (bits + widest - 1) / widest), digit = (bits + passes - 1) / passes;
    const std::size_t buckets = std::size_t{1} << digit;
    std::uint32_t counts[2048];
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = low + pass * digit;
        const Key mask = static_cast<Key>(buckets - 1);
        std::fill_n(counts, buckets, 0u);
        for (std::size_t i = 0; i < n; ++i) ++counts[(keys[i] >> shift) & mask];
        std::uint32_t start = 0;
        for (std::size_t b = 0; b < buckets; ++b) {
            const std::uint32_t count = counts[b];
            counts[b] = start;
            start += count;
        }
        for (std::size_t i = 0; i < n; ++i) spare[counts[(keys[i] >> shift) & mask]++] = keys[i];
        std::swap(keys, spare);
    }
    return keys;
}

template <class Key>
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare, int low, int bits) {
    spare.resize(keys.size());
    if (keys.size() <= 48) {
        place_sort(keys.data(), keys.size(), spare.data());
        keys.swap(spare);
    } else if (radix_sort(keys.data(), spare.data(), keys.size(), low, bits) == spare.data()) {
        keys.swap(spare);
    }
}

}  // namespace vaglio
