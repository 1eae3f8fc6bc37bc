// Moments, counts, cut points, densities and sums of terms against values known beforehand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "bayes/class_counts.hpp"
#include "bayes/exact/exact_sums.hpp"
#include "bayes/kernel_density.hpp"
#include "bayes/mdl.hpp"
#include "bayes/moments.hpp"
#include "bayes/naive_bayes.hpp"
#include "columns/grid_rounding.hpp"

using namespace vaglio;

namespace {

struct Rows {
    std::size_t n, p;
    std::vector<double> x;
    std::vector<std::int64_t> label;

    Rows(std::size_t rows, std::size_t columns, std::int64_t classes) : n(rows), p(columns) {
        Random random(7);
        for (std::size_t i = 0; i < n; ++i) {
            label.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes))));
            for (std::size_t j = 0; j < p; ++j) {
                x.push_back(random.uniform() < 0.1 ? NAN : 1e6 + random.uniform() + static_cast<double>(label.back()));
            }
        }
    }
    StridedRows view() const { return {x.data(), n, p, static_cast<std::ptrdiff_t>(p), 1}; }
};

void test_grid_moments_of_parts_add_up_to_those_of_the_whole() {
    std::vector<double> x;
    std::vector<std::int64_t> label;
    Random random(3);
    for (std::size_t i = 0; i < 5000; ++i) {
        x.push_back(i % 17 == 0 ? NAN : random.uniform() - 0.5);
        label.push_back(static_cast<std::int64_t>(random.below(3)));
    }
    const MomentGrid grid{0.1, 0, 0};
    const GridMoments whole = grid_moments(x, label.data(), nullptr, 3, grid);
    const std::span<const double> all(x);
    const GridMoments first = grid_moments(all.first(1234), label.data(), nullptr, 3, grid);
    const GridMoments rest = grid_moments(all.subspan(1234), label.data() + 1234, nullptr, 3, grid);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (label[i] == 1 && !std::isnan(x[i])) sum += x[i] - 0.1;
    }
    for (std::size_t at = 0; at < whole.sums.size(); ++at) CHECK(whole.sums[at] == first.sums[at] + rest.sums[at]);
    for (std::size_t c = 0; c < 3; ++c) CHECK(whole.weight[c] == first.weight[c] + rest.weight[c]);
    const double found = std::ldexp(static_cast<double>(whole.sums[1]), -grid_level) +
                         std::ldexp(static_cast<double>(whole.sums[4]), -2 * grid_level);
    CHECK(std::abs(found - sum) < 1e-11);
}

// Few classes are added in registers, more in memory: rows of classes that nobody has must change nothing.
void test_grid_moments_of_few_classes_are_those_among_many() {
    for (const std::size_t n : {0, 1, 7, 8, 9, 1000}) {
        for (const std::uint64_t classes : {1, 2, 3, 4}) {
            Random random(n + classes);
            std::vector<double> x, weight;
            std::vector<std::int64_t> label;
            for (std::size_t i = 0; i < n; ++i) {
                x.push_back(i % 7 == 3 ? NAN : random.uniform() - 0.5);
                weight.push_back(static_cast<double>(1 + random.below(8)) / 8);
                label.push_back(static_cast<std::int64_t>(random.below(classes)));
            }
            const MomentGrid grid{0.1, 0, 0};
            for (const double* w : {static_cast<const double*>(nullptr), static_cast<const double*>(weight.data())}) {
                const GridMoments few = grid_moments(x, label.data(), w, classes, grid);
                const GridMoments many = grid_moments(x, label.data(), w, 6, grid);
                for (std::size_t c = 0; c < classes; ++c) {
                    CHECK(few.weight[c] == many.weight[c]);
                    for (std::size_t part = 0; part < 4; ++part) {
                        CHECK(few.sums[part * classes + c] == many.sums[part * 6 + c]);
                    }
                }
            }
        }
    }
}

void test_points_count_the_numbers_up_to_them() {
    const std::vector<double> points{-1.0, 0.0, 2.5};
    const std::vector<double> x{-3.0, -1.0, -0.5, 0.0, 0.1, 2.5, 7.0, NAN};
    const std::vector<std::int64_t> label{0, 1, 0, 0, 1, 1, 0, 1};
    const std::vector<double> expected{1, 1, 2, 0, 1, 2};
    CHECK(point_counts(x, points, label.data(), nullptr, 2) == expected);
    CHECK(point_counts(x, {}, label.data(), nullptr, 2).empty());
}

void test_moments_do_not_depend_on_threads() {
    const Rows rows(20000, 3, 4);
    const Control control;
    const Moments one = class_moments(rows.view(), rows.label.data(), nullptr, 4, 1, control);
    const Moments many = class_moments(rows.view(), rows.label.data(), nullptr, 4, 5, control);
    CHECK(one.mean == many.mean && one.deviation == many.deviation && one.weight == many.weight);
    for (std::size_t i = 0; i < one.mean.size(); ++i) {
        CHECK(std::abs(one.mean[i] - 1e6 - 0.5 - static_cast<double>(i / 3)) < 0.05);
        CHECK(std::abs(one.deviation[i] / one.weight[i] - 1.0 / 12) < 0.01);
    }
}

void test_values_are_counted_alike_by_table_and_by_sorting() {
    const Rows rows(80000, 1, 2);  // more distinct values than the table takes
    const Control control;
    const auto counts = value_counts(rows.view(), rows.label.data(), nullptr, 2, control);
    double total = 0;
    for (std::size_t i = 0; i < counts[0].value.size(); ++i) {
        total += counts[0].weight[i];
        CHECK(i == 0 || counts[0].value[i - 1] <= counts[0].value[i]);
    }
    double present = 0;
    for (double v : rows.x) present += v == v;
    CHECK(total == present);
}

void test_mdl_cuts_where_the_class_changes() {
    ValueCounts counts;
    for (int i = 0; i < 40; ++i) {
        counts.value.push_back(i);
        counts.label.push_back(i < 15 ? 0 : 1);
        counts.weight.push_back(1);
    }
    const Control control;
    CHECK(mdl_cuts(counts, 2, control) == std::vector<double>{14.5});
    CHECK(mdl_cuts(ValueCounts{}, 2, control).empty());
}

void test_density_far_away_does_not_underflow() {
    const std::vector<double> values{0.0, 1.0}, weights{1.0, 3.0}, queries{0.0, 1e6, NAN};
    const Control control;
    const auto density = kernel_log_density(queries, values, weights, 0.5, 2, control);
    const double at_zero = std::log((1 + 3 * std::exp(-2.0)) / (4 * 0.5 * std::sqrt(2 * std::numbers::pi)));
    CHECK(std::abs(density[0] - at_zero) < 1e-12);
    CHECK(std::isfinite(density[1]) && density[1] < -1e11);
    CHECK(density[2] == 0);
}

// Series against kernels: values in clusters, far apart and far from zero, with weights of many sizes.
void test_series_of_kernels() {
    Random random(7);
    const Control control;
    const auto ascending = [](std::vector<double>& numbers) {
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    };
    for (const double bandwidth : {1e-3, 0.05, 0.3, 2.0, 1e4}) {
        for (const double far : {0.0, 1e6, 1e30}) {
            std::vector<double> values{far, -far}, queries{far, -1.5 * far, 0.3 * far};
            for (int i = 0; i < 400; ++i) values.push_back(random.uniform() * random.uniform() + (i % 3) * 4.0);
            for (int i = 0; i < 300; ++i) queries.push_back(14 * random.uniform() - 2);
            ascending(values);
            ascending(queries);
            std::vector<double> weights(values.size());
            for (double& weight : weights) weight = std::exp(6 * random.uniform() - 3);
            const auto exact = kernel_log_density(queries, values, weights, bandwidth, 1, control);
            const auto found = kernel_log_density_by_series(queries, values, weights, bandwidth, control);
            for (std::size_t q = 0; q < queries.size(); ++q)
                CHECK(found[q] == exact[q] || std::abs(found[q] - exact[q]) < 1e-9 * std::max(1.0, std::abs(exact[q])));
        }
    }
}

void test_terms_add_up() {
    const std::vector<double> x{0.5, NAN, 2.0};
    const std::vector<std::int32_t> codes{1, 0, -1};
    const std::vector<std::int32_t> kind{0, 1, 2, 3}, column{0, 0, 0, 0};
    const std::vector<std::int64_t> size{0, 2, 2, 1}, start{0, 3, 5, 8};
    // mean, scale, normaliser | two categories | one cut, two intervals | one value, its cell
    const std::vector<double> numbers{0, 1, 10, 100, 200, 1, 1000, 2000, 2.0, 5000};
    const NaiveBayesTerms terms{1, kind, column, size, start, numbers};
    const std::vector<double> prior{-1};
    const Control control;
    const auto joint =
        joint_log_likelihood({x.data(), 3, 1, 1, 1}, {codes.data(), 3, 1, 1, 1}, prior, terms, 2, control);
    CHECK(joint[0] == -1 + (10 - 0.25) + 200 + 1000);
    CHECK(joint[1] == -1 + 100);
    CHECK(joint[2] == -1 + (10 - 4) + 2000 + 5000);
}

}  // namespace

int main() {
    test_grid_moments_of_parts_add_up_to_those_of_the_whole();
    test_grid_moments_of_few_classes_are_those_among_many();
    test_points_count_the_numbers_up_to_them();
    test_moments_do_not_depend_on_threads();
    test_values_are_counted_alike_by_table_and_by_sorting();
    test_mdl_cuts_where_the_class_changes();
    test_density_far_away_does_not_underflow();
    test_series_of_kernels();
    test_terms_add_up();
    return check_result();
}
