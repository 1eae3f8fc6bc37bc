#pragma once
// The one radix sort of the kernels, and a sort for a few dozen keys.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vaglio {

// A row with the bits of its number in an order that unsigned comparison follows.
struct KeyedRow {
    std::uint64_t key;
    std::uint32_t row;
};

// A double as an integer that sorts like it: the sign bit of positive numbers and all bits of negative ones are
// flipped. Adding zero turns -0.0 into 0.0, so that the two are one value.
inline std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

// Stable, least significant digit first, over the bits [low, low + bits) of key_of(item). Digits that all items share
// are skipped: integers and short decimals leave most digits alone. `spare` has the same size; the result is in one of
// the two, and returned.
template <class Item, class KeyOf>
Item* radix_sort(Item* items, Item* spare, std::size_t n, int low, int bits, KeyOf key_of) {
    // Few items do not fill many buckets: they get smaller digits and more passes. 2048 counters of 4 bytes per digit
    // are the most that leaves the first-level cache to the items.
    const int widest = n < 1024 ? 6 : n < 32768 ? 9 : 11;
    const int passes = std::max(1, (bits + widest - 1) / widest), digit_bits = (bits + passes - 1) / passes;
    const std::size_t buckets = std::size_t{1} << digit_bits;
    const auto digit = [&](const Item& item, int pass) {
        return static_cast<std::size_t>(key_of(item) >> (low + pass * digit_bits)) & (buckets - 1);
    };
    std::uint64_t differing = 0;
    for (std::size_t i = 1; i < n; ++i)
        differing |= static_cast<std::uint64_t>(key_of(items[i])) ^ static_cast<std::uint64_t>(key_of(items[0]));
    const auto shared = [&](int pass) { return (differing >> (low + pass * digit_bits) & (buckets - 1)) == 0; };
    std::uint32_t counts[6 * 2048];  // 64 bits in digits of 11
    std::fill_n(counts, static_cast<std::size_t>(passes) * buckets, 0u);
    // All digits are counted in one pass over memory: a block of items stays in the cache for all of them.
    constexpr std::size_t block = 1024;
    for (std::size_t first = 0; first < n; first += block) {
        const std::size_t end = std::min(n, first + block);
        for (int pass = 0; pass < passes; ++pass) {
            if (shared(pass)) continue;
            std::uint32_t* count = counts + static_cast<std::size_t>(pass) * buckets;
            for (std::size_t i = first; i < end; ++i) ++count[digit(items[i], pass)];
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        if (shared(pass)) continue;
        std::uint32_t* place = counts + static_cast<std::size_t>(pass) * buckets;
        std::uint32_t start = 0;
        for (std::size_t b = 0; b < buckets; ++b) start += std::exchange(place[b], start);
        for (std::size_t i = 0; i < n; ++i) spare[place[digit(items[i], pass)]++] = items[i];
        std::swap(items, spare);
    }
    return items;
}

// Each key's place is the number of keys before it: n² comparisons, but without a branch, and the compiler makes
// several at a time. Faster than any other sort of a few dozen keys.
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

// Keys by their bits [low, low + bits); what lies below `low` moves along, or is compared too where keys are few.
template <class Key>
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare, int low, int bits) {
    constexpr std::size_t few = 48;  // the comparisons grow with the square, the passes of the radix sort do not
    spare.resize(keys.size());
    if (keys.size() <= few) {
        place_sort(keys.data(), keys.size(), spare.data());
        keys.swap(spare);
    } else if (radix_sort(keys.data(), spare.data(), keys.size(), low, bits, [](Key key) { return key; }) ==
               spare.data()) {
        keys.swap(spare);
    }
}

}  // namespace vaglio
