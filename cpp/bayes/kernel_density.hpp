#pragma once
// Gaussian kernel density of one variable.
#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

// Log density at each query of the mixture of Gaussians of width `bandwidth` centred on `values` (ascending,
// distinct) with these weights. Kernels so far off that they cannot change the last bit of the sum are skipped,
// so a query costs the values near it, not all of them: exact to double precision. A NaN query gives 0.
std::vector<double> kernel_log_density(std::span<const double> queries, std::span<const double> values,
                                       std::span<const double> weights, double bandwidth, int threads,
                                       const Control& control);

// The same at ascending queries to about nine digits, which is enough to choose between densities: kernels within a
// bandwidth of each other are added up as one series, so a query costs the cells near it.
std::vector<double> kernel_log_density_by_series(std::span<const double> queries, std::span<const double> values,
                                                 std::span<const double> weights, double bandwidth,
                                                 const Control& control);

}  // namespace vaglio
