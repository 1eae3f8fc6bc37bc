#pragma once
// Mean and variance of every column of a table of numbers, in one pass over its rows.
#include <span>
#include <vector>

#include "columns/standardise.hpp"

namespace vaglio {

struct ColumnMoments {
    std::vector<double> mean, variance;  // 0 without any number
};

// Missing numbers (NaN) are left out. Without weights all rows count alike. The order of the numbers in memory changes
// no bit of the result.
ColumnMoments column_moments(const NumberRows& x, std::span<const double> weight);

}  // namespace vaglio
