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

LassoPath lasso_path(const double* gram, std::span<const double> slopes, std::span<const double> alphas, double ratio,
                     double tolerance, int max_sweeps, Control& control) {
    const std::size_t p = slopes.size();
    std::vector<double> hessian(gram, gram + p * p), x(p, 0.0), gradient(p), l1(p);
    LassoPath path;
    for (const double alpha : alphas) {
        for (std::size_t j = 0; j < p; ++j) hessian[j * p + j] = gram[j * p + j] + alpha * (1 - ratio);
        for (std::size_t j = 0; j < p; ++j) gradient[j] = -slopes[j];
        for (std::size_t i = 0; i < p; ++i) {
            if (x[i] == 0) continue;
            for (std::size_t j = 0; j < p; ++j) gradient[j] += x[i] * hessian[i * p + j];
        }
        std::fill(l1.begin(), l1.end(), alpha * ratio);
        QuadraticMinimum found = quadratic_lasso(hessian.data(), gradient, x, l1, tolerance, max_sweeps, control);
        x = std::move(found.x);
        path.coef.insert(path.coef.end(), x.begin(), x.end());
        path.sweeps.push_back(found.sweeps);
    }
    return path;
}

}  // namespace vaglio
