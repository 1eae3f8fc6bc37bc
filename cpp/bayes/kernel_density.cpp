// The values are sorted, so the sum runs over those near the query, whose kernels can change it.
#include "bayes/kernel_density.hpp"

#include <algorithm>
#include <array>
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
const auto sum_series = VAGLIO_LEVELS(sum_series).best();

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

// Values in cells as wide as a bandwidth, each with the series of the sum of its kernels. With u and v the distances of
// the query and of a value from the centre of the cell, in bandwidths, a kernel is
//     exp(-(u - v)^2 / 2) = exp(-u^2 / 2) * sum over k of u^k / k! * v^k exp(-v^2 / 2).
// Since |v| <= 1/2, the terms that are left out are below 2e-14 of a kernel's height.
class KernelSeriesCells {
 public:
    explicit KernelSeriesCells(const Density& density) : inverse_(1 / density.bandwidth) {
        std::vector<std::size_t> starts;
        const std::span<const double> values = density.values;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!starts.empty() && values[i] - values[starts.back()] <= density.bandwidth) continue;
            starts.push_back(i);
            centres_.push_back(values[i] + 0.5 * density.bandwidth);
        }
        stride_ = centres_.size() + KernelSeries::padding;
        terms_.assign(KernelSeries::terms * stride_, 0.0);
        starts.push_back(values.size());
        for (std::size_t cell = 0; cell < centres_.size(); ++cell) {
            std::array<double, KernelSeries::terms> powers{};
            for (std::size_t i = starts[cell]; i < starts[cell + 1]; ++i) {
                const double v = (values[i] - centres_[cell]) * inverse_;
                double power = density.weights[i] * std::exp(-0.5 * v * v);
                for (double& sum : powers) {
                    sum += power;
                    power *= v;
                }
            }
            double factorial = 1;
            for (std::size_t k = 0; k < powers.size(); ++k) {
                factorial *= static_cast<double>(std::max<std::size_t>(k, 1));
                terms_[k * stride_ + cell] = powers[k] / factorial;
            }
        }
        centres_.resize(stride_, centres_.back());
    }

    std::size_t count() const { return stride_ - KernelSeries::padding; }
    double centre(std::size_t cell) const { return centres_[cell]; }
    double sum(double x, std::size_t first, std::size_t last) const {
        return sum_series({centres_.data(), terms_.data(), stride_, inverse_}, first, last, x);
    }

 private:
    double inverse_;
    std::size_t stride_ = 0;
    std::vector<double> centres_, terms_;
};

constexpr double near = 3.0;            // bandwidths from the nearest value within which a series is exact enough
constexpr double tenth_digit = 25.0;    // exp(-25) < 2e-11
constexpr std::size_t least_share = 2;  // values per cell from which a series takes less time than its kernels

}  // namespace

std::vector<double> kernel_log_density_by_series(std::span<const double> queries, std::span<const double> values,
                                                 std::span<const double> weights, double bandwidth,
                                                 const Control& control) {
    const Density density(values, weights, bandwidth);
    const KernelSeriesCells cells(density);
    if (values.size() < least_share * cells.count())
        return kernel_log_density(queries, values, weights, bandwidth, 1, control);
    control.check();
    // The nearest value adds at least exp(-near^2 / 2) of its weight; a value is up to half a cell from its centre.
    const double lightest = *std::min_element(weights.begin(), weights.end());
    const double exponent = tenth_digit + 0.5 * near * near + std::log(density.total / lightest);
    const double reach = (std::sqrt(2 * exponent) + 0.5) * bandwidth;
    std::vector<double> result(queries.size());
    std::size_t above = 0, first = 0, last = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        const double x = queries[q];
        while (above < values.size() && values[above] < x) ++above;
        const bool is_near = (above < values.size() && values[above] - x <= near * bandwidth) ||
                             (above > 0 && x - values[above - 1] <= near * bandwidth);
        if (!is_near) {
            result[q] = density.at(x);
            continue;
        }
        while (first < cells.count() && cells.centre(first) < x - reach) ++first;
        while (last < cells.count() && cells.centre(last) <= x + reach) ++last;
        result[q] = std::log(cells.sum(x, first, last)) - density.log_scale;
    }
    return result;
}

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
