// Cyclic coordinate descent: a coordinate has a closed solution, and the Hessian is small enough to keep the slope up
// to date.
#include "linear/quadratic_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vaglio {
namespace {

double soft_threshold(double value, double amount) {
    return value > amount ? value - amount : value < -amount ? value + amount : 0.0;
}

}  // namespace

QuadraticMinimum quadratic_lasso(const double* hessian, std::span<const double> gradient, std::span<const double> start,
                                 std::span<const double> l1, double tolerance, int max_sweeps, Control& control) {
    const std::size_t p = gradient.size();
    std::vector<double> x(start.begin(), start.end()), slope(gradient.begin(), gradient.end());
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        control.check();
        double largest = 0;  // the most any coordinate gained, in the quadratic's unit
        for (std::size_t j = 0; j < p; ++j) {
            const double* row = hessian + j * p;
            const double curvature = std::max(row[j], 1e-300);
            const double target = soft_threshold(x[j] - slope[j] / curvature, l1[j] / curvature);
            const double step = target - x[j];
            if (step == 0) continue;
            x[j] = target;
            for (std::size_t i = 0; i < p; ++i) slope[i] += step * row[i];
            largest = std::max(largest, step * step * curvature);
        }
        if (largest <= tolerance) return {std::move(x), sweep};
    }
    return {std::move(x), max_sweeps};
}

}  // namespace vaglio
