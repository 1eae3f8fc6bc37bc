// Distances of eight boxes and of a panel of rows, for sources that are compiled per level (base/dispatch.hpp): lanes
// are boxes, or rows. No include guard is needed, as in base/vectors.hpp.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/vectors.hpp"
#include "knn/tree/tree_loops.hpp"

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Vector<double>;
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

// A bit for each lane that is not above `worst`. The vector types have no operation for it.
VAGLIO_INLINE std::uint32_t not_above(Real values, double worst) {
#if defined(__AVX512F__) && !defined(VAGLIO_PLAIN_VECTORS)
    return _mm512_cmp_pd_mask(values, _mm512_set1_pd(worst), _CMP_LE_OQ);
#elif defined(__AVX__) && !defined(VAGLIO_PLAIN_VECTORS)
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(values, _mm256_set1_pd(worst), _CMP_LE_OQ)));
#elif defined(__SSE2__) && defined(__GNUC__) && !defined(VAGLIO_PLAIN_VECTORS)
    return static_cast<std::uint32_t>(_mm_movemask_pd(_mm_cmple_pd(values, _mm_set1_pd(worst))));
#else
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < step; ++i) {
        bits |= static_cast<std::uint32_t>(values[static_cast<int>(i)] <= worst) << i;
    }
    return bits;
#endif
}

template <std::size_t vectors>
VAGLIO_INLINE std::uint32_t not_above(const Real (&sums)[vectors], double worst) {
    std::uint32_t bits = 0;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) bits |= not_above(sums[v], worst) << (v * step);
    return bits;
}

// The nearest of the boxes that a bit is set for, at least one; of equal ones the first.
VAGLIO_INLINE std::uint32_t nearest_of(const double* bounds, std::uint32_t boxes) {
    std::uint32_t nearest = lowest_one(boxes);
    double least = bounds[nearest];
    for (boxes &= boxes - 1; boxes != 0; boxes &= boxes - 1) {
        const std::uint32_t b = lowest_one(boxes);
        const bool nearer = bounds[b] < least;
        least = nearer ? bounds[b] : least;
        nearest = nearer ? b : nearest;
    }
    return nearest;
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

}  // namespace
}  // namespace vaglio::knn::VAGLIO_LEVEL
