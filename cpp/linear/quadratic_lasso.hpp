#pragma once
// The inner problem of a proximal Newton step, and the same problem for one strength of the penalty after the other.
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

struct LassoPath {
    std::vector<double> coef;  // [strength][column]
    std::vector<int> sweeps;   // of each strength, as in QuadraticMinimum
};

// Minimises x.G.x / 2 - slopes.x + alpha * (ratio * sum |x_j| + (1 - ratio) / 2 * sum x_j^2) for each alpha, from the
// minimum of the one before.
LassoPath lasso_path(const double* gram, std::span<const double> slopes, std::span<const double> alphas, double ratio,
                     double tolerance, int max_sweeps, Control& control);

}  // namespace vaglio
