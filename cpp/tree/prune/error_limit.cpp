// The upper confidence limit of the binomial distribution as C4.5 approximates it.
#include "tree/prune/error_limit.hpp"

#include <algorithm>
#include <cmath>

namespace vaglio::tree {
namespace {

// z with P(Z > z) = confidence for a standard normal Z, by Newton's method from 0: the tail is convex for z > 0,
// so the steps approach from one side.
double normal_quantile(double confidence) {
    double z = 0;
    for (int i = 0; i < 100; ++i) {
        const double tail = 0.5 * std::erfc(z / std::sqrt(2.0));
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
        const double step = (tail - confidence) / density;
        z += step;
        if (std::abs(step) < 1e-15) break;
    }
    return z;
}

}  // namespace

ErrorLimit::ErrorLimit(double confidence) : z_(normal_quantile(confidence)), log_(std::log(confidence)) {}

double ErrorLimit::added(double n, double e) const {
    if (e < 1) {
        const double none = -n * std::expm1(log_ / n);
        return e == 0 ? none : none + e * (added(n, 1) - none);
    }
    if (e + 0.5 >= n) return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n, zz = z_ * z_;
    const double limit = (f + zz / (2 * n) + z_ * std::sqrt(f / n - f * f / n + zz / (4 * n * n))) / (1 + zz / n);
    return limit * n - e;
}

double ErrorLimit::estimate(const double* classes, std::size_t width, double weight) const {
    if (weight <= 0) return 0;
    const double e = std::max(0.0, weight - *std::max_element(classes, classes + width));
    return e + added(weight, e);
}

}  // namespace vaglio::tree
