#include "knn/coarse/coarse_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t samples = 64;  // rows and pairs of rows that tell how long the rulers are
constexpr double longest = 4;        // typical distances that a sum holds
constexpr double slack = 1e-9;       // far above all rounding errors of a distance in float64
constexpr std::uint16_t no_category = 65534;

double difference(Metric metric, double x, double z) {
    return metric == Metric::euclidean ? (x - z) * (x - z) : std::fabs(x - z);
}

// Codes beyond 16 bits share a place with others: where the places differ, the categories do.
std::uint16_t place_of(std::int32_t code) {
    return code < 0 ? coarse_missing : static_cast<std::uint16_t>(code % no_category);
}

double typical_distance(const Points& train, const Distance& by) {
    double sum = 0;
    for (std::size_t s = 0; s < samples; ++s) {
        const std::size_t i = s * train.n_rows / samples, other = (i + train.n_rows / 2 + s) % train.n_rows;
        sum += coarse_survivor(by, train, i, {train.row(other), train.code_row(other), 0.0});
    }
    return sum / samples;
}

double typical_number(const Points& train, std::size_t column) {
    std::vector<double> known;
    for (std::size_t s = 0; s < samples; ++s) {
        const double value = train.row(s * train.n_rows / samples)[column];
        if (std::isfinite(value)) known.push_back(value);
    }
    if (known.empty()) return 0;
    std::nth_element(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2), known.end());
    return known[known.size() / 2];
}

}  // namespace

CoarseTable::CoarseTable(const Points& train, const Distance& by, int threads)
    : by_(by), n_columns_(train.n_numeric + train.n_nominal), origins_(train.n_numeric), missing_(train.n_numeric) {
    const double typical = typical_distance(train, by);
    if (!(typical > 1e-200 && typical < 1e200)) return;
    units_ = coarse_most / (longest * typical) * (1 - slack);
    steps_ = by.metric == Metric::euclidean ? std::sqrt(units_ * 65536) : units_;
    for (std::size_t j = 0; j < train.n_numeric; ++j) {
        origins_[j] = typical_number(train, j) - 0.5 * no_category / steps_;
        for (std::size_t i = 0; i < train.n_rows && !missing_[j]; ++i) {
            missing_[j] = std::isnan(train.row(i)[j]);
        }
    }
    const std::size_t n_panels = (train.n_rows + coarse_rows - 1) / coarse_rows;
    panels_.resize(n_panels * coarse_rows * n_columns_);
    parallel_for(threads, n_panels, [&](std::size_t p, int) { fill_panel(train, p * coarse_rows); });
}

void CoarseTable::fill_panel(const Points& train, std::size_t first) {
    std::uint16_t* values = panels_.data() + first * n_columns_;
    for (std::size_t i = first; i < std::min(first + coarse_rows, train.n_rows); ++i, ++values) {
        for (std::size_t j = 0; j < train.n_numeric; ++j) {
            values[j * coarse_rows] = step_of(train.row(i)[j], j);
        }
        for (std::size_t j = 0; j < train.n_nominal; ++j) {
            values[(train.n_numeric + j) * coarse_rows] = place_of(train.code_row(i)[j]);
        }
    }
}

std::uint16_t CoarseTable::step_of(double value, std::size_t column) const {
    if (std::isnan(value)) return coarse_missing;
    const double steps = (value - origins_[column]) * steps_;
    return steps > 0 ? static_cast<std::uint16_t>(std::min<double>(steps, no_category)) : std::uint16_t{0};
}

std::uint16_t CoarseTable::cost_of(double cost) const {
    return static_cast<std::uint16_t>(std::min<double>(cost * units_, coarse_most));
}

CoarseQuery CoarseTable::query(const Query& x, std::vector<CoarseTerm>& terms) const {
    terms.clear();
    std::uint32_t base = 0;  // stays far below 2^32: a term of each column
    const auto all_rows = [&](std::uint16_t cost) { base = std::min<std::uint32_t>(base + cost, coarse_most); };
    for (std::uint32_t j = 0; j < by_.n_numeric; ++j) {
        const std::uint16_t cost = cost_of(by_.costs.missing), at = step_of(x.numeric[j], j);
        if (at == coarse_missing) {
            all_rows(cost);
            continue;
        }
        // Numbers of neighbouring steps may be as near as can be.
        const auto low = static_cast<std::uint16_t>(at > 0 ? at - 1 : 0), high = static_cast<std::uint16_t>(at + 1);
        terms.push_back({missing_[j] ? CoarseTerm::number_or_missing : CoarseTerm::number, low, high, cost, j});
    }
    for (std::uint32_t j = 0; j < by_.n_nominal; ++j) {
        const double least = std::min(by_.costs.mismatch[j], by_.costs.missing_nominal[j]);
        const std::uint16_t cost = cost_of(least), place = place_of(x.codes[j]);
        const auto column = static_cast<std::uint32_t>(by_.n_numeric) + j;
        if (place == coarse_missing) {
            all_rows(cost);
        } else if (cost > 0) {
            terms.push_back({CoarseTerm::category, place, place, cost, column});
        }
    }
    return {terms.data(), terms.size(), static_cast<std::uint16_t>(base), 0, by_.metric == Metric::euclidean};
}

std::uint16_t CoarseTable::limit(double worst) const {
    const double units = worst * units_ * (1 + slack) + 1;
    return units < coarse_most ? static_cast<std::uint16_t>(units) : coarse_most;
}

double coarse_survivor(const Distance& by, const Points& train, std::size_t row, const Query& x) {
    double sum = 0;
    const double* numbers = train.row(row);
    for (std::size_t j = 0; j < by.n_numeric; ++j) {
        const double d = difference(by.metric, x.numeric[j], numbers[j]);
        sum += d == d ? d : by.costs.missing;
    }
    const std::int32_t* codes = train.code_row(row);
    double both = 0;
    for (std::size_t j = 0; j < by.n_nominal; ++j) {
        const bool unknown = codes[j] < 0 || x.codes[j] < 0;
        sum += codes[j] == x.codes[j] ? 0.0 : (unknown ? by.costs.missing_nominal[j] : by.costs.mismatch[j]);
        if (by.absent != nullptr && by.absent[j] >= 0 && codes[j] == by.absent[j] && codes[j] == x.codes[j]) both += 1;
    }
    if (by.absent == nullptr) return sum;
    const double all = static_cast<double>(by.n_numeric + by.n_nominal);
    return sum * (both < all ? all / (all - both) : 1.0);
}

}  // namespace vaglio::knn
