#pragma once
// Gaussian kernel density of one variable, exact to double precision.
#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

// Log density at each query of the mixture of Gaussians of width `bandwidth` centred on `values` (ascending,
// distinct) with these weights. Kernels so far off that they cannot change the last bit of the sum are skipped,
// so a query costs the values near it, not all of them. A NaN query gives 0.
std::vector<double> kernel_log_density(std::span<const double> queries, std::span<const double> values,
                                       std::span<const double> weights, double bandwidth, int threads,
                                       const Control& control);

}  // namespace vaglio
