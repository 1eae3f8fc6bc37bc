#include <algorithm>
#include <cmath>
#include <numeric>

#include "bayes/class_counts.hpp"
#include "bayes/density_choice.hpp"
#include "bayes/exact/exact_sums.hpp"
#include "bayes/joint/decide.hpp"
#include "bayes/joint/normal.hpp"
#include "bayes/kernel_density.hpp"
#include "bayes/mdl.hpp"
#include "bayes/moments.hpp"
#include "bayes/naive_bayes.hpp"
#include "columns/look.hpp"
#include "support.hpp"

namespace {

// The blocks of an EncodedMatrix come in either memory order and are never copied.
using Numbers = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<2>, nb::device::cpu>;
using Labels = Array1<std::int64_t>;
using Weights = std::optional<Array1<double>>;

vaglio::StridedRows rows_of(const Numbers& x) { return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)}; }

vaglio::StridedCodes codes_of(const Codes& codes) {
    return {codes.data(), codes.shape(0), codes.shape(1), codes.stride(0), codes.stride(1)};
}

void check_rows(std::size_t rows, const Labels& labels, const Weights& weights, std::size_t classes) {
    require(rows < (std::size_t{1} << 32), "too many rows");
    require(labels.size() == rows, "one label per row is needed");
    require(!weights || weights->size() == rows, "one weight per row is needed");
    const auto label = span_of(labels);
    require(classes < (std::size_t{1} << 31), "too many classes");
    require(vaglio::are_within(label, 0, static_cast<std::int64_t>(classes)), "a label is out of range");
}

const double* data_of(const Weights& weights) { return weights ? weights->data() : nullptr; }

auto class_moments(const Numbers& x, const Labels& labels, const Weights& weights, std::size_t classes, int threads) {
    check_rows(x.shape(0), labels, weights, classes);
    auto moments = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::class_moments(rows_of(x), labels.data(), data_of(weights), classes, threads, control);
        },
        steps_of({x.shape(0) + classes, x.shape(1)}));
    const std::vector<std::size_t> shape{classes, x.shape(1)};
    return std::make_tuple(to_numpy(std::move(moments.weight), shape), to_numpy(std::move(moments.mean), shape),
                           to_numpy(std::move(moments.deviation), shape));
}

auto code_counts(const Codes& codes, const Array1<std::int64_t>& categories, const Labels& labels,
                 const Weights& weights, std::size_t classes, int threads) {
    check_rows(codes.shape(0), labels, weights, classes);
    require(categories.size() == codes.shape(1), "one number of categories per column is needed");
    const auto count = span_of(categories);
    require(std::all_of(count.begin(), count.end(), [](std::int64_t n) { return n >= 0 && n < (1LL << 31); }),
            "a number of categories is impossible");
    const auto total = static_cast<std::size_t>(std::accumulate(count.begin(), count.end(), std::int64_t{0}));
    return to_numpy(run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::code_counts(codes_of(codes), categories.data(), labels.data(), data_of(weights), classes,
                                       threads, control);
        },
        steps_of({codes.shape(0), codes.shape(1)}) + steps_of({classes, total})));
}

auto value_counts(const Numbers& x, const Labels& labels, const Weights& weights, std::size_t classes, int threads) {
    check_rows(x.shape(0), labels, weights, classes);
    auto counts = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::value_counts(rows_of(x), labels.data(), data_of(weights), threads, control);
        },
        steps_of({x.shape(0), x.shape(1), 16}));
    const auto arrays = [](auto& column) {
        return std::make_tuple(to_numpy(std::move(column.value)), to_numpy(std::move(column.label)),
                               to_numpy(std::move(column.weight)));
    };
    std::vector<decltype(arrays(counts[0]))> result;
    for (auto& column : counts) result.push_back(arrays(column));
    return result;
}

// Calls use(numbers) with a column; one that lies among others is copied first.
template <class Use>
auto with_column(const Numbers& x, std::size_t column, Use use) {
    const double* first = x.data() + static_cast<std::ptrdiff_t>(column) * x.stride(1);
    if (x.stride(0) == 1 || x.shape(0) < 2) return use(std::span(first, x.shape(0)));
    std::vector<double> copy(x.shape(0));
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = first[static_cast<std::ptrdiff_t>(i) * x.stride(0)];
    return use(std::span<const double>(copy));
}

// Columns of a chunk, one after the other: other chunks are worked on at the same time.
auto grid_moments(const Numbers& x, const std::vector<std::tuple<std::size_t, double, int, int>>& columns,
                  const Labels& labels, const Weights& weights, std::size_t classes) {
    for (const auto& [column, centre, first, second] : columns) {
        require(column < x.shape(1), "there is no such column");
        require(std::max(std::abs(first), std::abs(second)) <= 960, "an exponent is out of range");
    }
    auto found = without_gil([&] {
        check_rows(x.shape(0), labels, weights, classes);
        std::vector<vaglio::GridMoments> each;
        for (const auto& [column, centre, first, second] : columns) {
            const vaglio::MomentGrid grid{centre, first, second};
            each.push_back(with_column(x, column, [&](std::span<const double> numbers) {
                return vaglio::grid_moments(numbers, labels.data(), data_of(weights), classes, grid);
            }));
        }
        return each;
    });
    std::vector<std::tuple<AnyArray, AnyArray>> answer;
    for (auto& [weight, sums] : found) {
        answer.emplace_back(to_numpy(std::move(weight)), to_numpy(std::move(sums), {2, 2, classes}));
    }
    return answer;
}

auto point_counts(const Numbers& x, const std::vector<std::tuple<std::size_t, Array1<double>>>& columns,
                  const Labels& labels, const Weights& weights, std::size_t classes) {
    for (const auto& [column, points] : columns) {
        require(column < x.shape(1), "there is no such column");
        require(std::is_sorted(points.data(), points.data() + points.size()), "points must ascend");
    }
    auto found = without_gil([&] {
        check_rows(x.shape(0), labels, weights, classes);
        std::vector<std::vector<double>> tables;
        for (const auto& [column, points] : columns) {
            tables.push_back(with_column(x, column, [&](std::span<const double> numbers) {
                return vaglio::point_counts(numbers, span_of(points), labels.data(), data_of(weights), classes);
            }));
        }
        return tables;
    });
    std::vector<NumPy<double>> answer;
    for (auto& table : found) {
        const std::size_t points = table.size() / std::max<std::size_t>(classes, 1);
        answer.push_back(to_numpy(std::move(table), {points, classes}));
    }
    return answer;
}

auto mdl_cuts(const Array1<double>& value, const Array1<std::int32_t>& label, const Array1<double>& weight,
              std::size_t classes) {
    require(label.size() == value.size() && weight.size() == value.size(), "arrays of one length are needed");
    const auto labels = span_of(label);
    require(std::all_of(labels.begin(), labels.end(),
                        [&](std::int32_t c) { return c >= 0 && static_cast<std::size_t>(c) < classes; }),
            "a label is out of range");
    require(std::is_sorted(value.data(), value.data() + value.size()), "values must ascend");
    vaglio::ValueCounts counts;
    counts.value.assign(value.data(), value.data() + value.size());
    counts.weight.assign(weight.data(), weight.data() + weight.size());
    counts.label.assign(label.data(), label.data() + label.size());
    return to_numpy(run_kernel(
        nb::none(), [&](vaglio::Control& control) { return vaglio::mdl_cuts(counts, classes, control); },
        steps_of({counts.value.size(), classes, 16})));
}

// A (3, 2) array: errors and log-loss under intervals, normal densities and kernel densities.
auto kept_out_losses(const Numbers& x, const Labels& labels, const Weights& weights, const Array1<std::int32_t>& fold,
                     const Array2<double>& log_prior, const Array2<double>& others,
                     const Array1<std::uint8_t>& cut_elsewhere, double alpha, double var_smoothing, bool kernels,
                     int threads) {
    const std::size_t rows = x.shape(0), folds = log_prior.shape(0), classes = log_prior.shape(1);
    check_rows(rows, labels, weights, classes);
    require(others.shape(0) == rows && others.shape(1) == classes, "a sum per row and class is needed");
    require(fold.size() == rows && cut_elsewhere.size() == folds, "one fold per row, and what is cut in each");
    const auto folds_of_rows = span_of(fold);
    require(std::all_of(folds_of_rows.begin(), folds_of_rows.end(),
                        [&](std::int32_t f) { return f >= 0 && static_cast<std::size_t>(f) < folds; }),
            "a fold is out of range");
    const vaglio::KeptOutRows task{rows_of(x),
                                   labels.data(),
                                   data_of(weights),
                                   classes,
                                   folds,
                                   folds_of_rows,
                                   {log_prior.data(), log_prior.size()},
                                   {others.data(), others.size()},
                                   span_of(cut_elsewhere)};
    const auto losses = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::kept_out_losses(task, {alpha, var_smoothing}, kernels, threads, control);
        },
        steps_of({rows, x.shape(1), folds + classes, kernels ? rows / 8 + 8 : 8}));
    std::vector<double> flat;
    for (const auto& loss : losses) flat.insert(flat.end(), {loss.errors, loss.log_loss});
    return to_numpy(std::move(flat), {losses.size(), 2});
}

auto kernel_log_density(const Array1<double>& queries, const Array1<double>& values, const Array1<double>& weights,
                        double bandwidth, int threads) {
    require(values.size() > 0 && values.size() == weights.size(), "values and weights of one length are needed");
    require(std::is_sorted(values.data(), values.data() + values.size()), "values must ascend");
    require(bandwidth > 0 && std::isfinite(bandwidth), "the bandwidth must be positive");
    return to_numpy(run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::kernel_log_density(span_of(queries), span_of(values), span_of(weights), bandwidth, threads,
                                              control);
        },
        steps_of({queries.size(), values.size(), 8})));
}

auto naive_bayes_joint(const Numbers& numeric, const Codes& codes, const Array1<double>& prior,
                       const Array1<std::int32_t>& kind, const Array1<std::int32_t>& column,
                       const Array1<std::int64_t>& size, const Array1<std::int64_t>& start,
                       const Array1<double>& numbers, int threads) {
    require(numeric.shape(0) == codes.shape(0), "the blocks must have the same rows");
    const vaglio::NaiveBayesTerms terms{prior.size(),  span_of(kind),  span_of(column),
                                        span_of(size), span_of(start), span_of(numbers)};
    vaglio::check_terms(terms, numeric.shape(1), codes.shape(1));
    return to_numpy(run_kernel(
                        nb::none(),
                        [&](vaglio::Control& control) {
                            return vaglio::joint_log_likelihood(rows_of(numeric), codes_of(codes), span_of(prior),
                                                                terms, threads, control);
                        },
                        steps_of({numeric.shape(0), prior.size(), kind.size() + numbers.size()})),
                    {numeric.shape(0), prior.size()});
}

auto decide_rows(const Array2<double>& joint, double apart, int threads) {
    require(joint.shape(1) > 0, "a class is needed");
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::decide_rows({joint.data(), joint.size()}, joint.shape(1), apart, threads, control);
        },
        steps_of({joint.shape(0), joint.shape(1)}));
    return std::make_tuple(to_numpy(std::move(found.code)), to_numpy(std::move(found.close)));
}

auto joint_normal_densities(const Numbers& x, const Array2<double>& mean, const Array2<double>& normaliser,
                            const Array3<double>& factor, bool steps, int threads) {
    const std::size_t n = x.shape(0), p = x.shape(1), count = mean.shape(0);
    require(mean.shape(1) == p && normaliser.shape(0) == count && normaliser.shape(1) == p &&
                factor.shape(0) == count && factor.shape(1) == p && factor.shape(2) == p,
            "the densities must have the columns of the rows");
    const vaglio::JointNormals by{
        count, p, {mean.data(), mean.size()}, {normaliser.data(), normaliser.size()}, {factor.data(), factor.size()}};
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::joint_normal_densities(rows_of(x), by, steps, threads, control);
        },
        steps_of({n, count, p * p / 8 + p}));
    return steps ? to_numpy(std::move(found), {n, count, p}) : to_numpy(std::move(found), {n, count});
}

}  // namespace

void register_bayes(nb::module_& m) {
    using namespace nb::literals;
    m.def("class_moments", &class_moments, "x"_a, "labels"_a, "weights"_a.none(), "classes"_a, "threads"_a,
          "Weight, mean and sum of squared deviations of each column within each class, missing values left out.");
    m.def("code_counts", &code_counts, "codes"_a, "categories"_a, "labels"_a, "weights"_a.none(), "classes"_a,
          "threads"_a, "Tables [class][category] of weights, one per column, one after the other.");
    m.def("value_counts", &value_counts, "x"_a, "labels"_a, "weights"_a.none(), "classes"_a, "threads"_a,
          "Distinct (value, class) pairs of each column with their weights, as (value, label, weight) arrays.");
    m.def("grid_moments", &grid_moments, "x"_a, "columns"_a, "labels"_a, "weights"_a.none(), "classes"_a,
          "Of each column (number, centre, exponents of both moments) the weight of each class, and sums of deviations "
          "and squares [moment][level][class] in units of a grid.");
    m.def(
        "point_counts", &point_counts, "x"_a, "columns"_a, "labels"_a, "weights"_a.none(), "classes"_a,
        "Of each column (number, points) the table [point][class] of weights; a number counts at the first point that "
        "is not below it.");
    m.def("mdl_cuts", &mdl_cuts, "value"_a, "label"_a, "weight"_a, "classes"_a,
          "Fayyad and Irani's cut points of one column, given its value counts.");
    m.def("kept_out_losses", &kept_out_losses, "x"_a, "labels"_a, "weights"_a.none(), "fold"_a, "log_prior"_a,
          "others"_a, "cut_elsewhere"_a, "alpha"_a, "var_smoothing"_a, "kernels"_a, "threads"_a,
          "Errors and log-loss of rows kept out, under intervals, normal and kernel densities of these columns.");
    m.def("kernel_log_density", &kernel_log_density, "queries"_a, "values"_a, "weights"_a, "bandwidth"_a, "threads"_a,
          "Log of a Gaussian kernel density at each query; values ascend.");
    m.def("naive_bayes_joint", &naive_bayes_joint, "numeric"_a, "codes"_a, "prior"_a, "kind"_a, "column"_a, "size"_a,
          "start"_a, "numbers"_a, "threads"_a, "Log prior plus log-likelihood of every class for every row.");
    m.def("decide_rows", &decide_rows, "joint"_a, "apart"_a, "threads"_a,
          "The class of the largest number of each row, and the rows where none stands apart.");
    m.def("joint_normal_densities", &joint_normal_densities, "x"_a, "mean"_a, "normaliser"_a, "factor"_a, "steps"_a,
          "threads"_a,
          "Log density of every row under each normal density; with steps, of its first 1, 2, ... columns.");
}
