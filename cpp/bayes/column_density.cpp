#include "bayes/column_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "bayes/kernel_density.hpp"

namespace vaglio {
namespace {

constexpr std::size_t few_values = 10;
constexpr double rows_per_value = 3;
constexpr double least_variance = 1e-9;  // of a class, as a share of the column's own
constexpr double least_spread = 1e-3;    // likewise, for the width of kernels

std::vector<double> distinct_values(const ValueCounts& counts) {
    std::vector<double> values(counts.value);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

// Weight, mean and sum of squared deviations of a class, or of all of them.
struct ClassMoments {
    double weight = 0, mean = 0, deviation = 0;

    void merge(const ClassMoments& other) {
        if (other.weight <= 0) return;
        const double total = weight + other.weight;
        const double step = other.mean - mean;
        mean += step * (other.weight / total);
        deviation += other.deviation + step * step * (weight * other.weight / total);
        weight = total;
    }
    double variance() const { return weight > 0 ? deviation / weight : 0.0; }
};

struct ColumnMoments {
    std::vector<ClassMoments> of;
    ClassMoments whole;

    ColumnMoments(const ValueCounts& counts, std::size_t classes) : of(classes) {
        const auto each = [&](auto&& body) {
            for (std::size_t i = 0; i < counts.value.size(); ++i) {
                body(of[static_cast<std::size_t>(counts.label[i])], counts.value[i], counts.weight[i]);
            }
        };
        // The mean by steps that lie among the values, so that no sum swamps them.
        each([](ClassMoments& part, double x, double w) {
            part.weight += w;
            part.mean += (x - part.mean) * (w / part.weight);
        });
        each([](ClassMoments& part, double x, double w) { part.deviation += w * (x - part.mean) * (x - part.mean); });
        for (const ClassMoments& part : of) whole.merge(part);
    }
};

// The values of one class with their weights; those of all classes if it has none.
struct ClassValues {
    std::vector<double> value, weight;

    void add(double x, double w) {
        if (!value.empty() && value.back() == x) {
            weight.back() += w;
            return;
        }
        value.push_back(x);
        weight.push_back(w);
    }
};

std::vector<ClassValues> values_of_classes(const ValueCounts& counts, std::size_t classes) {
    std::vector<ClassValues> parts(classes);
    for (std::size_t i = 0; i < counts.value.size(); ++i) {
        parts[static_cast<std::size_t>(counts.label[i])].add(counts.value[i], counts.weight[i]);
    }
    ClassValues all;
    for (ClassValues& part : parts) {
        if (!part.value.empty()) continue;
        if (all.value.empty()) {
            for (std::size_t i = 0; i < counts.value.size(); ++i) all.add(counts.value[i], counts.weight[i]);
        }
        part = all;
    }
    return parts;
}

}  // namespace

bool has_few_values(const ValueCounts& counts) {
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < counts.value.size(); ++i) {
        if (counts.value[i] != counts.value[i - 1] && ++distinct > few_values) return false;
    }
    const double total = std::accumulate(counts.weight.begin(), counts.weight.end(), 0.0);
    // Weights that became rows are a rounding away from them.
    return total >= rows_per_value * static_cast<double>(distinct) * (1 - 1e-12);
}

CellFrequencies::CellFrequencies(const ValueCounts& counts, std::vector<double> cuts, double alpha, std::size_t classes)
    : points_(std::move(cuts)), intervals_(true), logarithm_((points_.size() + 1) * classes) {
    fill(counts, alpha, points_.size() + 1);
}

CellFrequencies::CellFrequencies(const ValueCounts& counts, double alpha, std::size_t classes)
    : points_(distinct_values(counts)), intervals_(false), logarithm_(points_.size() * classes) {
    fill(counts, alpha, points_.size());
}

void CellFrequencies::fill(const ValueCounts& counts, double alpha, std::size_t cells) {
    const std::size_t classes = cells == 0 ? 0 : logarithm_.size() / cells;
    std::vector<double> total(classes, 0.0);
    std::vector<char> seen(cells, 0);
    std::size_t cell = 0;
    for (std::size_t i = 0; i < counts.value.size(); ++i) {
        const double x = counts.value[i];
        while (cell < points_.size() && (intervals_ ? points_[cell] <= x : points_[cell] < x)) ++cell;
        const auto c = static_cast<std::size_t>(counts.label[i]);
        logarithm_[cell * classes + c] += counts.weight[i];
        total[c] += counts.weight[i];
        seen[cell] = 1;
    }
    const auto occur = static_cast<double>(std::max<std::ptrdiff_t>(1, std::count(seen.begin(), seen.end(), 1)));
    for (std::size_t at = 0; at < logarithm_.size(); ++at) {
        const double whole = total[at % classes] + alpha * occur;
        logarithm_[at] = std::log(whole > 0 ? (logarithm_[at] + alpha) / whole : 1.0 / occur);
    }
}

void CellFrequencies::add_log_density(double x, std::span<double> sums) const {
    const auto at = intervals_ ? std::upper_bound(points_.begin(), points_.end(), x)
                               : std::lower_bound(points_.begin(), points_.end(), x);
    if (!intervals_ && (at == points_.end() || *at != x)) return;
    const double* row = logarithm_.data() + static_cast<std::size_t>(at - points_.begin()) * sums.size();
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += row[c];
}

NormalDensities::NormalDensities(const ValueCounts& counts, double var_smoothing, std::size_t classes) {
    const ColumnMoments moments(counts, classes);
    const double total = moments.whole.variance();
    double within = 0;
    for (const ClassMoments& part : moments.of) within += part.deviation;
    within = total > 0 ? within / moments.whole.weight : 0.0;
    for (const ClassMoments& part : moments.of) {
        const double rows = part.weight + var_smoothing;
        double variance = rows > 0 ? (part.deviation + var_smoothing * within) / rows : 0.0;
        variance = part.weight > 0 ? std::max(variance, least_variance * total) : total;
        // A column that never varies is equally likely everywhere, whatever variance it is given.
        if (!(total > 0)) variance = 1.0;
        mean_.push_back(part.weight > 0 ? part.mean : moments.whole.mean);
        scale_.push_back(0.5 / variance);
        normaliser_.push_back(-0.5 * std::log(2 * std::numbers::pi * variance));
    }
}

void NormalDensities::add_log_density(double x, std::span<double> sums) const {
    for (std::size_t c = 0; c < sums.size(); ++c) {
        const double step = x - mean_[c];
        sums[c] += normaliser_[c] - step * step * scale_[c];
    }
}

void add_kernel_densities(const ValueCounts& counts, std::size_t classes, std::span<const double> queries,
                          std::span<double> sums, const Control& control) {
    if (counts.value.empty()) return;
    const ColumnMoments moments(counts, classes);
    const auto distinct = static_cast<double>(distinct_values(counts).size());
    const double gap = distinct > 1 ? (counts.value.back() - counts.value.front()) / (distinct - 1) : 0.0;
    const std::vector<ClassValues> parts = values_of_classes(counts, classes);
    for (std::size_t c = 0; c < classes; ++c) {
        const ClassMoments& own = moments.of[c].weight > 0 ? moments.of[c] : moments.whole;
        const double spread = std::sqrt(std::max(own.variance(), least_spread * moments.whole.variance()));
        double bandwidth = std::max(0.5 * spread * std::pow(own.weight, -0.2), gap / 6);
        if (!(bandwidth > 0)) bandwidth = 1.0;
        const std::vector<double> density =
            kernel_log_density_by_series(queries, parts[c].value, parts[c].weight, bandwidth, control);
        for (std::size_t q = 0; q < queries.size(); ++q) sums[q * classes + c] += density[q];
    }
}

}  // namespace vaglio
