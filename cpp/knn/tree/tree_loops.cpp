// Distances of boxes and of complete rows, compiled per level (base/dispatch.hpp): lanes are boxes, or rows.
#include "knn/tree/tree_loops.hpp"

#include "knn/tree/tree_lanes.hpp"

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

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
