// Gains of all thresholds of a feature, compiled per level (base/dispatch.hpp).
#include "boosting/gain_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::boosting::VAGLIO_LEVEL {

double threshold_gains(const GainTask& task, double* gains) {
    using namespace vaglio::VAGLIO_LEVEL;
    using Real = Vector<double>;
    using Whole = Vector<Int64>;
    constexpr std::size_t lanes = width<double>;
    Real best = Real{} - 1.0;
    std::size_t i = 0;
    for (; i + lanes <= task.thresholds; i += lanes) {
        const auto read = [&](const std::int64_t* from) { return convert<Real>(load<Whole>(from + i)); };
        const Real gl = read(task.gradient) * task.gradient_unit, hl = read(task.hessian) * task.hessian_unit;
        const Real nl = read(task.rows);
        const Real gr = task.all_gradient - gl, hr = task.all_hessian - hl, nr = task.all_rows - nl;
        const Real gain = gl * gl / (hl + task.l2) + gr * gr / (hr + task.l2);
        const auto fits =
            (nl >= task.least_rows) & (nr >= task.least_rows) & (hl >= task.least_hessian) & (hr >= task.least_hessian);
        const Real allowed = choose(fits, gain, Real{} - 1.0);
        store(gains + i, allowed);
        best = larger(allowed, best);
    }
    double top = -1.0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        top = best[static_cast<int>(lane)] > top ? best[static_cast<int>(lane)] : top;
    }
    for (; i < task.thresholds; ++i) {
        const double gl = static_cast<double>(task.gradient[i]) * task.gradient_unit;
        const double hl = static_cast<double>(task.hessian[i]) * task.hessian_unit;
        const auto nl = static_cast<double>(task.rows[i]);
        const double gr = task.all_gradient - gl, hr = task.all_hessian - hl, nr = task.all_rows - nl;
        const bool fits =
            nl >= task.least_rows && nr >= task.least_rows && hl >= task.least_hessian && hr >= task.least_hessian;
        gains[i] = fits ? gl * gl / (hl + task.l2) + gr * gr / (hr + task.l2) : -1.0;
        top = gains[i] > top ? gains[i] : top;
    }
    return top;
}

}  // namespace vaglio::boosting::VAGLIO_LEVEL
