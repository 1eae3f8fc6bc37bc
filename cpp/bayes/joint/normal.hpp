#pragma once
// Log densities of rows under several joint normal densities over the same columns.
#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "bayes/moments.hpp"

namespace vaglio {

// Of each density one after the other: its mean and its normaliser [column], and the factor [column][column] of its
// covariance.
struct JointNormals {
    std::size_t count, columns;
    std::span<const double> mean, normaliser, factor;
};

// A table [row][density] of the logarithms for all columns together; with `steps` a table [row][density][column] of
// those for the columns up to each. No number of x is missing.
std::vector<double> joint_normal_densities(const StridedRows& x, const JointNormals& by, bool steps, int threads,
                                           const Control& control);

}  // namespace vaglio
