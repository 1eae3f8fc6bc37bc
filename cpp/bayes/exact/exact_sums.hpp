#pragma once
// Sums over the rows of a part of a table that have the same bits however the table was divided.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

// The exponents are those of columns/grid_rounding.hpp.
struct MomentGrid {
    double centre;
    int first_exponent, second_exponent;
};

// Weights of each class, and in units of the grid the sums of weighted deviations from the centre and of their squares:
// coarse and fine part of the first, then of the second, each [class]. Missing values (NaN) are left out.
struct GridMoments {
    std::vector<double> weight;
    std::vector<std::int64_t> sums;
};

GridMoments grid_moments(std::span<const double> x, const std::int64_t* label, const double* weight,
                         std::size_t classes, const MomentGrid& grid);

// The table [point][class] of weights: a number counts at the first point that is not below it, a larger one at the
// last. Points ascend; missing values are left out.
std::vector<double> point_counts(std::span<const double> x, std::span<const double> points, const std::int64_t* label,
                                 const double* weight, std::size_t classes);

}  // namespace vaglio
