// The values are sorted, so the sum runs over those near the query, whose kernels can change it.
#include "bayes/kernel_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/parallel.hpp"
#include "bayes/loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block = 256;  // queries per task
constexpr double last_bit = 38.0;   // exp(-38) < 2^-54

const auto sum_kernels = VAGLIO_LEVELS(sum_kernels).best();

struct Density {
    std::span<const double> values, weights;
    double bandwidth, total, log_scale;

    Density(std::span<const double> v, std::span<const double> w, double h)
        : values(v),
          weights(w),
          bandwidth(h),
          total(std::accumulate(w.begin(), w.end(), 0.0)),
          log_scale(std::log(total) + std::log(h) + 0.5 * std::log(2 * std::numbers::pi)) {}

    double exponent(double x, std::size_t i) const {
        const double t = (x - values[i]) / bandwidth;
        return 0.5 * t * t;
    }

    // Sum relative to the nearest value, whose own term is then its weight: nothing underflows however far x is.
    double at(double x) const {
        const auto above = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
        std::size_t nearest = std::min(above, values.size() - 1);
        if (above > 0 && exponent(x, above - 1) < exponent(x, nearest)) nearest = above - 1;
        const double least = exponent(x, nearest);
        if (std::isinf(least)) return -INFINITY;  // farther away than numbers reach
        const double limit = last_bit + std::log(total / weights[nearest]);
        const double reach = std::sqrt(2 * (limit + least)) * bandwidth;
        // The nearest value counts even where x is so far away that the difference of the others is lost.
        const auto begin = values.begin(), at_nearest = begin + static_cast<std::ptrdiff_t>(nearest);
        const auto first = std::min(std::lower_bound(begin, values.end(), x - reach), at_nearest);
        const auto last = std::max(std::upper_bound(begin, values.end(), x + reach), at_nearest + 1);
        const auto from = static_cast<std::size_t>(first - begin), count = static_cast<std::size_t>(last - first);
        const double sum = sum_kernels(&values[from], &weights[from], count, {x, 1 / bandwidth, least});
        return std::log(sum) - least - log_scale;
    }
};

}  // namespace

std::vector<double> kernel_log_density(std::span<const double> queries, std::span<const double> values,
                                       std::span<const double> weights, double bandwidth, int threads,
                                       const Control& control) {
    const Density density(values, weights, bandwidth);
    std::vector<double> result(queries.size());
    parallel_for(threads, (queries.size() + block - 1) / block, [&](std::size_t b, int) {
        control.check();
        for (std::size_t i = b * block; i < std::min(queries.size(), (b + 1) * block); ++i) {
            result[i] = std::isnan(queries[i]) ? 0.0 : density.at(queries[i]);
        }
    });
    return result;
}

}  // namespace vaglio
