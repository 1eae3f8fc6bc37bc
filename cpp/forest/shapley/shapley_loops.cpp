// Products and sums of rows at all points, compiled per level (base/dispatch.hpp): lanes are points.
#include "forest/shapley/shapley_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::forest::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Pack<double, static_cast<int>(shapley_lanes)>;

}  // namespace

void shapley_enter(const ShapleyStep& step, const double* above, double* product, double* below) {
    for (std::size_t row = 0; row < step.rows; ++row) {
        const double* ratio = step.ratio + step.way[row] * step.points;
        for (std::size_t q = 0; q < step.points; q += shapley_lanes) {
            const std::size_t at = row * step.points + q;
            store(product + at, load<Real>(above + at) * load<Real>(ratio + q));
            store(below + at, Real{});
        }
    }
}

void shapley_leave(const ShapleyStep& step, const double* below, double* above, double* sums, std::size_t stride) {
    for (std::size_t row = 0; row < step.rows; ++row) {
        const double* part = step.part + step.way[row] * step.points;
        double* sum = sums + row * stride;
        Real total = load<Real>(sum);
        for (std::size_t q = 0; q < step.points; q += shapley_lanes) {
            const std::size_t at = row * step.points + q;
            const Real found = load<Real>(below + at);
            total = total + found * load<Real>(part + q);
            store(above + at, load<Real>(above + at) + found);
        }
        store(sum, total);
    }
}

void shapley_leaf(const ShapleyStep& step, const double* product, const double* value, double* above, double* sums,
                  std::size_t stride) {
    for (std::size_t row = 0; row < step.rows; ++row) {
        const double* ratio = step.ratio + step.way[row] * step.points;
        const double* part = step.part + step.way[row] * step.points;
        double* sum = sums + row * stride;
        Real total = load<Real>(sum);
        for (std::size_t q = 0; q < step.points; q += shapley_lanes) {
            const std::size_t at = row * step.points + q;
            const Real found = load<Real>(product + at) * load<Real>(ratio + q) * value[row];
            total = total + found * load<Real>(part + q);
            store(above + at, load<Real>(above + at) + found);
        }
        store(sum, total);
    }
}

}  // namespace vaglio::forest::VAGLIO_LEVEL
