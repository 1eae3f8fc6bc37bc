#pragma once
// Loss, gradient and curvature of logistic regression in one pass over the rows.
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

struct LogisticData {
    const double* rows;  // n x width, C order, finite
    std::size_t n, width;
    std::span<const std::int32_t> labels;
    std::span<const double> weight;  // empty: all one
};

struct LogisticPass {
    double loss = 0;               // sum of weight * -log(probability of the true class)
    std::vector<double> gradient;  // outputs x (width + 1), the bias last
    std::vector<double> hessian;   // square, in the order of the gradient; empty unless it was asked for
};

// coef is outputs x (width + 1), the bias last; one output for two classes, else one per class.
LogisticPass logistic_pass(const LogisticData& data, const double* coef, int outputs, bool curved, int threads,
                           Control& control);

}  // namespace vaglio
