// Distances of any metric, compiled per level (base/dispatch.hpp): one loop per metric over (column, lane), so that the
// lanes fill the vector registers.
#include "knn/measure.hpp"

#include <math.h>

namespace vaglio::knn::VAGLIO_LEVEL {

void measure(const Distance& by, const Panel& panel, const Query& query, double* __restrict sums) {
    for (std::size_t l = 0; l < lanes; ++l) sums[l] = 0;
    for (std::size_t j = 0; j < by.n_numeric; ++j) {
        const double x = query.numeric[j];
        const double* z = panel.numeric + j * lanes;
        switch (by.metric) {
            case Metric::manhattan:
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double d = fabs(x - z[l]);
                    sums[l] += d == d ? d : by.costs.missing;
                }
                break;
            case Metric::euclidean:
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double d = (x - z[l]) * (x - z[l]);
                    sums[l] += d == d ? d : by.costs.missing;
                }
                break;
            case Metric::chebyshev:
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double d = fabs(x - z[l]);
                    const double known = d == d ? d : by.costs.missing;
                    sums[l] = sums[l] < known ? known : sums[l];
                }
                break;
            case Metric::minkowski:
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double d = fabs(x - z[l]);
                    sums[l] += d == d ? pow(d, by.power) : by.costs.missing;
                }
                break;
            case Metric::hamming:
                for (std::size_t l = 0; l < lanes; ++l) sums[l] += x == z[l] ? 0.0 : 1.0;
                break;
            case Metric::cosine:
                for (std::size_t l = 0; l < lanes; ++l) sums[l] += x * z[l];
                break;
        }
    }
    for (std::size_t j = 0; j < by.n_nominal; ++j) {
        const std::int32_t x = query.codes[j];
        const std::int32_t* z = panel.codes + j * lanes;
        const double mismatch = by.costs.mismatch[j], missing = by.costs.missing_nominal[j];
        if (by.metric == Metric::chebyshev) {
            for (std::size_t l = 0; l < lanes; ++l) {
                const double d = z[l] == x ? 0.0 : (z[l] < 0 || x < 0 ? missing : mismatch);
                sums[l] = sums[l] < d ? d : sums[l];
            }
        } else {
            for (std::size_t l = 0; l < lanes; ++l) {
                sums[l] += z[l] == x ? 0.0 : (z[l] < 0 || x < 0 ? missing : mismatch);
            }
        }
    }
    if (by.absent != nullptr && by.metric != Metric::chebyshev) {
        double both[lanes] = {};
        for (std::size_t j = 0; j < by.n_nominal; ++j) {
            if (by.absent[j] < 0 || query.codes[j] != by.absent[j]) continue;
            const std::int32_t* z = panel.codes + j * lanes;
            for (std::size_t l = 0; l < lanes; ++l) both[l] += z[l] == by.absent[j] ? 1.0 : 0.0;
        }
        const double all = static_cast<double>(by.n_numeric + by.n_nominal);
        for (std::size_t l = 0; l < lanes; ++l) sums[l] *= both[l] < all ? all / (all - both[l]) : 1.0;
    }
    if (by.metric == Metric::cosine) {
        for (std::size_t l = 0; l < lanes; ++l) {
            const double scale = query.norm * panel.norms[l];
            const double distance = 1 - (scale > 0 ? sums[l] / scale : 0.0);
            sums[l] = distance < 0 ? 0.0 : distance;  // a cosine may exceed 1 by rounding
        }
    }
}

}  // namespace vaglio::knn::VAGLIO_LEVEL
