#pragma once
// What is kept of a column of numbers in ascending order: quantiles, decimals, and how many values each bin has.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

inline constexpr int most_decimals = 6;

struct ColumnSpread {
    std::vector<double> quantiles;  // each once
    int decimals = -1;              // digits after the point that every value needs; -1: more than six
};

// `count` quantiles, from the least value to the largest.
ColumnSpread spread_of(std::span<const double> ascending, std::size_t count);

struct ColumnBins {
    std::vector<std::int64_t> counts;
    std::vector<double> edges;  // the largest value of each bin but the last
};

// About equally full bins; equal values share one.
ColumnBins bins_of(std::span<const double> ascending, std::size_t bins);

}  // namespace vaglio
