#pragma once
// What the rows of a leaf gain at best, by their sums of gains.
//
// Of classes it is the greatest gain of a label. A leaf of numbers says a number c, and a row costs w·(y − c)², `most`
// at the dearest c between the least and the greatest y. Its sums are Σw, Σw·y and G = Σ(most − w·y²): together the
// rows gain G + 2c·Σw·y − c²·Σw, which is greatest at their mean. It is rounded down, so that a leaf costs its squared
// error rounded up: with a row more it costs no less, and no more than what is at stake in the row.
#include <algorithm>
#include <span>

#include "optimal/problem.hpp"

namespace vaglio::optimal {

// Sums per leaf of numbers.
constexpr std::size_t number_sums = 3;

inline Cost gain_of_mean(const Cost* sums) {
    if (sums[0] == 0) return 0;
    const auto sum = static_cast<std::uint64_t>(sums[1]), weight = static_cast<std::uint64_t>(sums[0]);
    const auto square = static_cast<unsigned __int128>(sum) * sum;
    return sums[2] + static_cast<Cost>(square >> 64 == 0 ? static_cast<std::uint64_t>(square) / weight
                                                         : static_cast<std::uint64_t>(square / weight));
}

inline Cost best_gain(std::span<const Cost> sums, bool numbers) {
    return numbers ? gain_of_mean(sums.data()) : *std::max_element(sums.begin(), sums.end());
}

// The gains of two leaves, of which one has these sums.
inline Cost gain_of_two(const Cost* sums, std::span<const Cost> total, bool numbers) {
    if (numbers) {
        const Cost rest[] = {total[0] - sums[0], total[1] - sums[1], total[2] - sums[2]};
        return gain_of_mean(sums) + gain_of_mean(rest);
    }
    Cost one = sums[0], other = total[0] - sums[0];
    for (std::size_t k = 1; k < total.size(); ++k) {
        one = std::max(one, sums[k]);
        other = std::max(other, total[k] - sums[k]);
    }
    return one + other;
}

}  // namespace vaglio::optimal
