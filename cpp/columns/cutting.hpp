#pragma once
// Columns of numbers that are cut into bins: numbers in order, and the bin of each.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/radix_sort.hpp"

namespace vaglio {

// Puts numbers in order, none of which is missing; -0.0 becomes 0.0.
inline void sort_numbers(std::vector<double>& values) {
    std::vector<std::uint64_t> keys(values.size()), spare;
    std::transform(values.begin(), values.end(), keys.begin(), ordered_bits);
    sort_keys(keys, spare, 0, 64);
    std::transform(keys.begin(), keys.end(), values.begin(), [](std::uint64_t key) {
        return std::bit_cast<double>(key >> 63 ? key ^ (std::uint64_t{1} << 63) : ~key);
    });
}

// Calls put(i, x, place) for the numbers x = value(i): how many of the cuts, which are in order, x lies to the right
// of, or, if Strict, on too; 0 for a missing one. Several searches go on at the same time, without a branch on what is
// compared, so that none waits for the memory of another.
template <bool Strict, class Value, class Put>
void count_cuts(std::span<const double> cuts, std::size_t first, std::size_t end, Value value, Put put) {
    constexpr std::size_t lanes = 8;
    double x[lanes] = {};
    const double* at[lanes];
    for (std::size_t i = first; i < end; i += lanes) {
        const std::size_t n = std::min(lanes, end - i);
        for (std::size_t k = 0; k < n; ++k) x[k] = value(i + k);
        std::fill_n(at, lanes, cuts.data());
        for (std::size_t count = cuts.size(); count > 0;) {
            const std::size_t half = (count + 1) / 2;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < lanes; ++k) {
                // A product, since a compiler may make a branch of a choice, and half of such branches are guessed
                // wrong.
                at[k] += static_cast<std::size_t>(Strict ? x[k] >= at[k][half - 1] : x[k] > at[k][half - 1]) * half;
            }
            count -= half;
        }
        for (std::size_t k = 0; k < n; ++k) put(i + k, x[k], static_cast<std::size_t>(at[k] - cuts.data()));
    }
}

}  // namespace vaglio
