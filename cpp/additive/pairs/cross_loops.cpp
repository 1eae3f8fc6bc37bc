// The best crosses of two cuts, compiled per level (base/dispatch.hpp).
#include "additive/pairs/cross_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::additive::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Vector<double>;
using Mask = decltype(Real{} < Real{});
constexpr std::size_t lanes = width<double>;

struct Quarter {
    Real gain;
    Mask enough;
};

VAGLIO_INLINE Quarter quarter(const CrossTask& task, Real gradient, Real hessian, Real rows) {
    return {gradient * gradient / (hessian + task.l2), (rows >= task.least_rows) & (hessian >= task.least_hessian)};
}

VAGLIO_INLINE Real both(const Quarter& a, const Quarter& b) {
    return choose(a.enough & b.enough, a.gain + b.gain, Real{} - 1.0);
}

// The best of a line, lane by lane.
struct Best {
    Real gain, at;

    VAGLIO_INLINE void take(Real own, Real place) {
        const Mask better = own > gain;
        gain = choose(better, own, gain);
        at = choose(better, place, at);
    }
    VAGLIO_INLINE void write(const BestCuts& to, std::size_t line) const {
        double top = gain[0], where = at[0];
        for (int lane = 1; lane < static_cast<int>(lanes); ++lane) {
            if (gain[lane] > top || (gain[lane] == top && at[lane] < where)) {
                top = gain[lane];
                where = at[lane];
            }
        }
        to.gain[line] = top;
        to.at[line] = where;
    }
};

VAGLIO_INLINE void keep(const BestCuts& to, std::size_t column, Real own, double line) {
    const Real before = load<Real>(to.gain + column);
    const Mask better = own > before;
    store(to.gain + column, choose(better, own, before));
    store(to.at + column, choose(better, Real{} + line, load<Real>(to.at + column)));
}

}  // namespace

void best_crosses(const CrossTask& task, const CrossCuts& cuts) {
    for (std::size_t j = 0; j < task.stride; ++j) {
        cuts.before_column.gain[j] = cuts.after_column.gain[j] = -1.0;
        cuts.before_column.at[j] = cuts.after_column.at[j] = 0.0;
    }
    const std::size_t end = task.lines * task.stride;
    Real number{};
    for (std::size_t lane = 0; lane < lanes; ++lane) number[static_cast<int>(lane)] = static_cast<double>(lane);
    for (std::size_t i = 1; i < task.lines; ++i) {
        const std::size_t line = i * task.stride;
        const double g = task.gradient[line + task.last], h = task.hessian[line + task.last];
        const double n = task.rows[line + task.last];
        const double g_after = task.gradient[end + task.last] - g, h_after = task.hessian[end + task.last] - h;
        const double n_after = task.rows[end + task.last] - n;
        Best before{Real{} - 1.0, Real{}}, after{Real{} - 1.0, Real{}};
        for (std::size_t j = 0; j <= task.last; j += lanes) {
            const Real place = number + static_cast<double>(j);
            const Real g00 = load<Real>(task.gradient + line + j), h00 = load<Real>(task.hessian + line + j);
            const Real n00 = load<Real>(task.rows + line + j);
            const Real g10 = load<Real>(task.gradient + end + j) - g00, h10 = load<Real>(task.hessian + end + j) - h00;
            const Real n10 = load<Real>(task.rows + end + j) - n00;
            const Quarter a = quarter(task, g00, h00, n00), b = quarter(task, g - g00, h - h00, n - n00);
            const Quarter c = quarter(task, g10, h10, n10);
            const Quarter d = quarter(task, g_after - g10, h_after - h10, n_after - n10);
            before.take(both(a, b), place);
            after.take(both(c, d), place);
            keep(cuts.before_column, j, both(a, c), static_cast<double>(i));
            keep(cuts.after_column, j, both(b, d), static_cast<double>(i));
        }
        before.write(cuts.before_line, i);
        after.write(cuts.after_line, i);
    }
}

}  // namespace vaglio::additive::VAGLIO_LEVEL
