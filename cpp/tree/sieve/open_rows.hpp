#pragma once
// The rows of open bins, those that a cut that may still win lies in, picked out of a node and sorted.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/radix_sort.hpp"
#include "tree/sieve/loops.hpp"
#include "tree/split/context.hpp"

namespace vaglio::tree::sieve {

// Up to here every row is sorted; n² comparisons a vector at a time are cheaper than bins.
inline constexpr std::uint32_t few_rows = 128;

// Bins of equally many neighbouring ranks, or of the keys that begin with them.
struct BinOf {
    std::uint32_t first = 0;
    int shift = 0;

    std::uint32_t operator()(std::uint32_t key) const { return (key - first) >> shift; }
    std::uint32_t operator()(std::int32_t key) const { return (*this)(static_cast<std::uint32_t>(key)); }
};

// Keys of rank and payload, in order.
struct OpenKeys {
    const std::int32_t* sorted;
    std::uint32_t size;
};

// `distinct` is the number of ranks that the keys are made of.
inline OpenKeys sort_open_keys(const std::int32_t* keys, std::uint32_t n, BinOf bin_of, int payload_bits,
                               std::size_t distinct, SieveScratch& scratch) {
    const std::uint8_t* open = scratch.open.data();
    std::int32_t *kept = scratch.kept.data(), *spare = scratch.spare.data();
    std::uint32_t count = 0;
    for (std::uint32_t row = 0; row < n; ++row) {
        kept[count] = keys[row];
        count += open[bin_of(keys[row])];
    }
    if (count <= few_rows) {
        loops().sort_few(kept, count, spare);
        return {spare, count};
    }
    const int bits = static_cast<int>(std::bit_width(distinct - 1));
    return {radix_sort(kept, spare, count, payload_bits, bits, [](std::int32_t key) { return key; }), count};
}

// Ranks do not leave room for sums or weights: a key has the position of its row in the lower half. The rank of a
// missing value lies behind all bins.
inline void sort_open_ranks(const std::uint32_t* ranks, std::uint32_t n, BinOf bin_of, std::vector<std::uint8_t>& open,
                            std::size_t distinct, std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
    const auto n_bins = static_cast<std::uint32_t>(open.size());
    open.push_back(0);
    keys.resize(n + 1u);
    std::uint32_t count = 0;
    for (std::uint32_t row = 0; row < n; ++row) {
        keys[count] = static_cast<std::uint64_t>(ranks[row]) << 32 | row;
        count += open[std::min(bin_of(ranks[row]), n_bins)];
    }
    keys.resize(count);
    sort_keys(keys, spare, 32, static_cast<int>(std::bit_width(distinct - 1)));
}

}  // namespace vaglio::tree::sieve
