#pragma once
// The inner problem of a proximal Newton step.
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

struct QuadraticMinimum {
    std::vector<double> x;
    int sweeps = 0;  // of all coordinates; max_sweeps where it did not converge
};

// Minimises gradient.(x - start) + (x - start).H.(x - start) / 2 + sum l1_j |x_j| by cyclic coordinate descent.
QuadraticMinimum quadratic_lasso(const double* hessian, std::span<const double> gradient, std::span<const double> start,
                                 std::span<const double> l1, double tolerance, int max_sweeps, Control& control);

}  // namespace vaglio
