#pragma once
// Columns of numbers that are cut into bins: numbers in order, and the bin of each.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/radix_sort.hpp"
#include "columns/cut_index.hpp"

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

// Whether a number lies to the right of a cut, or, if Strict, on it.
template <bool Strict>
bool passes(double x, double cut) {
    return Strict ? x >= cut : x > cut;
}

// Calls put(i, x, place) for the numbers x = value(i): how many of the cuts, which are in order, x lies to the right
// of, or, if Strict, on too; 0 for a missing one. `begin(x)` is the cut from which on x is searched, and `search(at,
// x)` moves all of them on. Several searches go on at the same time, so that none waits for the memory of another.
template <class Value, class Begin, class Search, class Put>
void search_cuts(const double* cuts, std::size_t first, std::size_t end, Value value, Begin begin, Search search,
                 Put put) {
    constexpr std::size_t lanes = 8;
    double x[lanes] = {};
    const double* at[lanes];
    for (std::size_t i = first; i < end; i += lanes) {
        const std::size_t n = std::min(lanes, end - i);
        for (std::size_t k = 0; k < n; ++k) x[k] = value(i + k);
        for (std::size_t k = 0; k < lanes; ++k) at[k] = begin(x[k]);
        search(at, x);
        for (std::size_t k = 0; k < n; ++k) put(i + k, x[k], static_cast<std::size_t>(at[k] - cuts));
    }
}

// One step of all searches: over `half` cuts, if the last of them is passed. A product, since a compiler may make a
// branch of a choice, and half of such branches are guessed wrong.
template <bool Strict>
void step_over(const double* (&at)[8], const double (&x)[8], std::size_t half) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) {
        at[k] += static_cast<std::size_t>(passes<Strict>(x[k], at[k][half - 1])) * half;
    }
}

// The same for all cuts, with an index of them where there are many rows.
template <bool Strict, class Value, class Put>
void count_cuts(std::span<const double> cuts, std::size_t first, std::size_t end, Value value, Put put) {
    const bool many = cuts.size() >= CutIndex::least_cuts && cuts.size() <= CutIndex::most_cuts &&
                      end - first >= 8 * CutIndex::cells_per_cut * cuts.size();
    if (many) {
        const CutIndex index(cuts);
        if (index.helps()) {
            search_cuts(
                index.cuts(), first, end, value, [&](double x) { return index.begin(x); },
                [&](auto& at, const auto& x) {
                    for (std::size_t half = index.step(); half > 0; half /= 2) step_over<Strict>(at, x, half);
                },
                put);
            return;
        }
    }
    search_cuts(
        cuts.data(), first, end, value, [&](double) { return cuts.data(); },
        [&](auto& at, const auto& x) {
            for (std::size_t count = cuts.size(); count > 0;) {
                const std::size_t half = (count + 1) / 2;
                step_over<Strict>(at, x, half);
                count -= half;
            }
        },
        put);
}

}  // namespace vaglio
