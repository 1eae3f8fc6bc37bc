// Distances of boxes and of complete rows, compiled per level (base/dispatch.hpp): lanes are boxes, or rows.
#include "knn/tree_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Vector<double>;
using Bits = VectorBits<double>;
constexpr std::size_t step = width<double>;
constexpr std::size_t columns_at_once = 4;  // between two looks whether all rows are too far
static_assert(fan % step == 0 && lanes % step == 0);

// What a difference of either sign adds to a sum of costs.
struct Euclid {
    VAGLIO_INLINE static Real cost(Real difference) { return difference * difference; }
    VAGLIO_INLINE static Real joined(Real sum, Real cost) { return sum + cost; }
};
struct Manhattan {
    VAGLIO_INLINE static Real cost(Real difference) { return larger(difference, -difference); }
    VAGLIO_INLINE static Real joined(Real sum, Real cost) { return sum + cost; }
};
struct Chebyshev {
    VAGLIO_INLINE static Real cost(Real difference) { return larger(difference, -difference); }
    VAGLIO_INLINE static Real joined(Real sum, Real cost) { return larger(cost, sum); }
};

// A bit for each lane that is not above `worst`.
template <std::size_t vectors>
VAGLIO_INLINE std::uint32_t not_above(const Real (&sums)[vectors], double worst) {
    Bits found{};
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
        Bits places;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < step; ++i) places[static_cast<int>(i)] = Int64{1} << (v * step + i);
        found = found | ((sums[v] <= worst) & places);
    }
    std::uint32_t bits = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < step; ++i) bits |= static_cast<std::uint32_t>(found[static_cast<int>(i)]);
    return bits;
}

template <class By, bool complete>
VAGLIO_INLINE std::uint32_t bounds_of(const Distance& by, const BoxColumn* columns, const double* x, double worst,
                                      double* bounds) {
    Real sums[fan / step] = {};
    for (std::size_t j = 0; j < by.n_numeric; ++j) {
        const BoxColumn& column = columns[j];
#pragma GCC unroll 8
        for (std::size_t b = 0; b < fan / step; ++b) {
            const Real below = load<Real>(column.low + b * step) - x[j],
                       above = x[j] - load<Real>(column.high + b * step);
            Real cost = By::cost(larger(larger(below, above), Real{}));
            if constexpr (!complete) {
                // A missing number in the query costs the same in every row.
                cost = x[j] == x[j] ? smaller(cost, load<Real>(column.cap + b * step)) : Real{} + by.costs.missing;
            }
            sums[b] = By::joined(sums[b], cost);
        }
    }
    for (std::size_t b = 0; b < fan / step; ++b) store(bounds + b * step, sums[b]);
    return not_above(sums, worst);
}

template <class By>
VAGLIO_INLINE std::uint32_t sums_of(const Distance& by, const double* panel, const double* x, double worst,
                                    double* sums) {
    Real sum[lanes / step] = {};
    std::uint32_t within = 0;
    for (std::size_t j = 0; j < by.n_numeric;) {
        const std::size_t end = j + columns_at_once < by.n_numeric ? j + columns_at_once : by.n_numeric;
        for (; j < end; ++j) {
#pragma GCC unroll 8
            for (std::size_t l = 0; l < lanes / step; ++l) {
                sum[l] = By::joined(sum[l], By::cost(x[j] - load<Real>(panel + j * lanes + l * step)));
            }
        }
        within = not_above(sum, worst);
        if (within == 0) return 0;
    }
    for (std::size_t l = 0; l < lanes / step; ++l) store(sums + l * step, sum[l]);
    return within;
}

template <class By>
VAGLIO_INLINE std::uint32_t bounds_by(const Distance& by, const BoxColumn* columns, const double* x, bool complete,
                                      double worst, double* bounds) {
    if (complete)
        return bounds_of<By, true>(by, columns, x, worst, bounds);
    else
        return bounds_of<By, false>(by, columns, x, worst, bounds);
}

}  // namespace

std::uint32_t box_distances(const Distance& by, const BoxColumn* columns, const double* x, bool complete, double worst,
                            double* bounds) {
    switch (by.metric) {
        case Metric::euclidean:
            return bounds_by<Euclid>(by, columns, x, complete, worst, bounds);
        case Metric::manhattan:
            return bounds_by<Manhattan>(by, columns, x, complete, worst, bounds);
        default:
            return bounds_by<Chebyshev>(by, columns, x, complete, worst, bounds);
    }
}

std::uint32_t row_distances(const Distance& by, const double* panel, const double* x, double worst, double* sums) {
    switch (by.metric) {
        case Metric::euclidean:
            return sums_of<Euclid>(by, panel, x, worst, sums);
        case Metric::manhattan:
            return sums_of<Manhattan>(by, panel, x, worst, sums);
        default:
            return sums_of<Chebyshev>(by, panel, x, worst, sums);
    }
}

}  // namespace vaglio::knn::VAGLIO_LEVEL
