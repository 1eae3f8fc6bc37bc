#include <algorithm>
#include <limits>
#include <numeric>

#include "linear/logistic.hpp"
#include "linear/penalized_perceptron.hpp"
#include "linear/perceptron.hpp"
#include "linear/product_sums.hpp"
#include "linear/quadratic_lasso.hpp"
#include "linear/slope_sums.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using vaglio::Control;
// Rows of numbers in any order in memory.
using Numbers = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>;

void check_labels(std::span<const std::int32_t> labels, std::size_t n, int outputs) {
    require(labels.size() == n, "every row needs a label");
    const std::int32_t classes = outputs == 1 ? 2 : outputs;
    require(std::all_of(labels.begin(), labels.end(), [&](std::int32_t l) { return l >= 0 && l < classes; }),
            "a label is out of range");
}

std::span<const double> weight_of(const std::optional<Array1<double>>& weight, std::size_t n) {
    if (!weight) return {};
    require(weight->size() == n, "every row needs a weight");
    return span_of(*weight);
}

// Of a sweep over the coordinates little more is known than that some dozens are enough.
constexpr std::size_t usual_sweeps = 64;

auto lasso_path(const Array2<double>& gram, const Array1<double>& slopes, const Array1<double>& alphas, double ratio,
                double tolerance, int max_sweeps) {
    const std::size_t p = slopes.size();
    require(gram.shape(0) == p && gram.shape(1) == p, "gram and slopes differ in size");
    auto found = run_kernel(
        nb::none(),
        [&](Control& control) {
            return vaglio::lasso_path(gram.data(), span_of(slopes), span_of(alphas), ratio, tolerance, max_sweeps,
                                      control);
        },
        steps_of({alphas.size(), p, p, usual_sweeps}));
    return std::make_tuple(to_numpy(std::move(found.coef), {alphas.size(), p}), to_numpy(std::move(found.sweeps)));
}

auto product_sums(const Numbers& x, const Array1<double>& y, const std::optional<Array1<double>>& weight,
                  const Array1<double>& centre, const Array1<double>& unit, const Array1<double>& fill) {
    const std::size_t rows = x.shape(0), columns = x.shape(1), side = columns + 2;
    require(y.size() == rows, "every row needs a number to predict");
    require(centre.size() == columns + 1 && unit.size() == columns + 1 && fill.size() == columns,
            "a centre and a unit are needed per column and for y, and a filling per column");
    const vaglio::ProductRows given{{x.data(), rows, columns, x.stride(0), x.stride(1)},
                                    span_of(y),
                                    weight_of(weight, rows),
                                    span_of(centre),
                                    span_of(unit),
                                    span_of(fill)};
    auto found = run_kernel(
        nb::none(), [&](Control& control) { return vaglio::product_sums(given, control); },
        // A step is a vector of eight products, of which half are taken.
        steps_of({rows, side, (side + 15) / 16}));
    return to_numpy(std::move(found), {side, side});
}

struct EpochInput {
    vaglio::PerceptronState state;
    vaglio::PerceptronRates rates;
    std::span<const std::int64_t> order;
};

EpochInput epoch_input(const Array2<double>& weights, std::size_t n, const Array1<std::int32_t>& labels,
                       const std::optional<Array1<std::int64_t>>& order, double rate, bool fit_bias,
                       const std::optional<Array1<double>>& sample_weight, bool at_zero, double bias_rate) {
    require(weights.shape(0) >= 1 && weights.shape(1) >= 1, "weights must be outputs x (width + 1)");
    const int outputs = static_cast<int>(weights.shape(0));
    check_labels(span_of(labels), n, outputs);
    EpochInput input{{weights.shape(1) - 1, outputs, {weights.data(), weights.data() + weights.size()}},
                     {rate, fit_bias, weight_of(sample_weight, n), at_zero, bias_rate},
                     {}};
    if (order) {
        require(order->size() == n, "order must name every row once");
        for (const std::int64_t i : span_of(*order))
            require(i >= 0 && static_cast<std::size_t>(i) < n, "order is out of range");
        input.order = span_of(*order);
    }
    return input;
}

// When passes end: after so many, when the share of wrong answers is below the tolerance or 0, or when so many passes
// in a row (0: any number) made no fewer errors than one before them.
struct PassLimits {
    std::size_t passes;
    double tolerance;
    std::size_t patience;
};

// The weights after each pass and its errors. Passes are made in one call, because a pass over a small table takes less
// time than a call.
template <class Rows>
auto run_passes(const Rows& rows, const Array1<std::int32_t>& labels, EpochInput& input, const PassLimits& limits,
                const Progress& progress) {
    const auto outputs = static_cast<std::size_t>(input.state.outputs);
    const std::size_t width = input.state.width + 1;
    std::vector<double> weights;
    const auto errors = [&](Control& control) {
        std::vector<std::int64_t> found;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::size_t waited = 0;
        for (std::size_t pass = 0; pass < limits.passes && input.state.sound; ++pass) {
            const auto wrong =
                vaglio::perceptron_epoch(rows, span_of(labels), input.order, input.rates, input.state, control);
            weights.insert(weights.end(), input.state.weights.begin(), input.state.weights.end());
            found.insert(found.end(), wrong.begin(), wrong.end());
            const std::int64_t most = *std::max_element(wrong.begin(), wrong.end());
            if (most == 0 || static_cast<double>(most) / static_cast<double>(labels.size()) < limits.tolerance) break;
            const std::int64_t all = std::accumulate(wrong.begin(), wrong.end(), std::int64_t{0});
            waited = all < least ? 0 : waited + 1;
            least = std::min(least, all);
            if (limits.patience > 0 && waited >= limits.patience) break;
        }
        return found;
    };
    // A step is a vector of eight numbers.
    auto found = run_kernel(progress, errors, steps_of({labels.size(), (width + 7) / 8, outputs, limits.passes}));
    const std::size_t made = found.size() / outputs;
    return std::make_tuple(to_numpy(std::move(weights), {made, outputs, width}),
                           to_numpy(std::move(found), {made, outputs}), input.state.sound,
                           to_numpy(std::move(input.state.loss)));
}

vaglio::SparseRowsView sparse_rows(const Array1<double>& values, const Array1<std::int32_t>& columns,
                                   const Array1<std::int64_t>& starts, std::size_t width) {
    require(values.size() == columns.size() && starts.size() >= 1, "values and columns differ in length");
    const auto row_starts = span_of(starts);
    require(row_starts.front() == 0 && static_cast<std::size_t>(row_starts.back()) == values.size() &&
                std::is_sorted(row_starts.begin(), row_starts.end()),
            "starts does not divide the values into rows");
    for (const std::int32_t c : span_of(columns))
        require(c >= 0 && static_cast<std::size_t>(c) < width, "a column is out of range");
    return {values.data(), columns.data(), starts.data(), starts.size() - 1};
}

// One pass with a penalty. The state is an array of weights with the bias last, what each weight has paid, and four
// numbers: scale, owed, squares, absolutes.
template <class Rows>
auto run_penalized(const Rows& rows, const Array1<std::int32_t>& labels, EpochInput& input,
                   const vaglio::PerceptronPenalty& penalty, const Array1<double>& paid, const Array1<double>& sums) {
    require(input.state.outputs == 1, "a pass with a penalty has one output");
    const std::size_t width = input.state.width;
    require(paid.size() == width && sums.size() == 4, "paid and sums do not fit the weights");
    const double* numbers = sums.data();
    vaglio::PenalizedState state{{input.state.weights.begin(), input.state.weights.end() - 1},
                                 {paid.data(), paid.data() + width},
                                 input.state.weights.back(),
                                 numbers[0],
                                 numbers[1],
                                 numbers[2],
                                 numbers[3]};
    const auto pass = run_kernel(
        nb::none(),
        [&](Control& control) {
            return vaglio::penalized_pass(rows, span_of(labels), input.order, input.rates, penalty, state, control);
        },
        steps_of({labels.size(), width + 1}));
    std::vector<double> after{state.scale, state.owed, state.squares, state.absolutes};
    state.weights.push_back(state.bias);
    return std::make_tuple(to_numpy(std::move(state.weights)), to_numpy(std::move(state.paid)),
                           to_numpy(std::move(after)), pass.errors, state.sound, pass.objective);
}

// Numbers and categories of an encoding as Python holds them: an entry per column of numbers in the first four, and per
// column of codes in the others.
struct EncodingArrays {
    std::vector<std::int64_t> columns;
    std::vector<double> centre, scale, fill;
    std::vector<std::vector<std::int64_t>> of_codes;
    std::vector<double> heights;
};

vaglio::SlopeEncoding slope_encoding(const EncodingArrays& arrays, std::size_t width) {
    const auto& [columns, centre, scale, fill, of_codes, heights] = arrays;
    require(centre.size() == columns.size() && scale.size() == columns.size() && fill.size() == columns.size() &&
                heights.size() == of_codes.size(),
            "the parts of an encoding differ in size");
    const auto below_width = [&](std::int64_t column) { return column < static_cast<std::int64_t>(width) - 1; };
    vaglio::SlopeEncoding encoding;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const std::int64_t column = columns[j];
        require(column >= 0 && below_width(column), "a column of numbers has no coefficient");
        encoding.numbers.push_back({static_cast<std::size_t>(column), centre[j], scale[j], fill[j]});
    }
    for (std::size_t q = 0; q < of_codes.size(); ++q) {
        const auto& own = of_codes[q];
        require(!own.empty() && std::all_of(own.begin(), own.end(), below_width), "a category has no coefficient");
        encoding.codes.push_back({own, heights[q]});
    }
    return encoding;
}

void check_codes(std::span<const std::int32_t> codes, std::size_t rows, const vaglio::SlopeEncoding& encoding) {
    for (std::size_t q = 0; q < encoding.codes.size(); ++q) {
        const auto own = codes.subspan(q * rows, rows);
        const auto known = static_cast<std::int64_t>(encoding.codes[q].columns.size()) - 1;
        require(own.empty() || *std::max_element(own.begin(), own.end()) < known,
                "a code is outside its column's categories");
    }
}

// Exponents of a grid: a double must hold what they scale.
void check_exponents(std::span<const std::int64_t> exponents) {
    for (const std::int64_t exponent : exponents)
        require(exponent >= -960 && exponent <= 960, "an exponent is out of range");
}

auto slope_sums(const Array2<double>& numeric, const Array2<std::int32_t>& codes, const Array1<std::int64_t>& labels,
                const std::optional<Array1<double>>& weight, const EncodingArrays& encoding,
                const Array2<double>& theta, std::int64_t loss_exponent, const Array1<std::int64_t>& exponents) {
    const std::size_t n = labels.size(), outputs = theta.shape(0), width = theta.shape(1);
    require(outputs >= 1 && width >= 1 && exponents.size() == width, "theta must be outputs x (width + 1)");
    const auto known = slope_encoding(encoding, width);
    require(numeric.shape(1) == n && codes.shape(1) == n && numeric.shape(0) == known.numbers.size() &&
                codes.shape(0) == known.codes.size(),
            "the rows do not fit the encoding");
    const std::span<const std::int32_t> all_codes{codes.data(), codes.size()};
    check_codes(all_codes, n, known);
    check_exponents(span_of(exponents));
    check_exponents({&loss_exponent, 1});
    const auto classes = static_cast<std::int64_t>(outputs == 1 ? 2 : outputs);
    for (const std::int64_t label : span_of(labels)) require(label >= 0 && label < classes, "a label is out of range");
    const auto weights = weight_of(weight, n);
    const vaglio::SlopeRows rows{
        n, {numeric.data(), numeric.size()}, all_codes, labels.data(), weights.empty() ? nullptr : weights.data()};
    const vaglio::SlopeCoefficients at{
        {theta.data(), theta.size()}, outputs, width, static_cast<int>(loss_exponent), span_of(exponents)};
    auto sums = without_gil([&] { return vaglio::slope_sums(rows, known, at); });
    return std::make_tuple(to_numpy(std::vector<std::int64_t>{sums.loss[0], sums.loss[1]}, {2, 1}),
                           to_numpy(std::move(sums.slopes), {2, outputs, width}), sums.wrong);
}

}  // namespace

void register_linear(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "logistic_pass",
        [](Array2<double> X, Array1<std::int32_t> labels, std::optional<Array1<double>> weight, Array2<double> coef,
           bool curved, int threads) {
            const int outputs = static_cast<int>(coef.shape(0));
            require(outputs >= 1 && coef.shape(1) == X.shape(1) + 1, "coef must be outputs x (width + 1)");
            check_labels(span_of(labels), X.shape(0), outputs);
            const vaglio::LogisticData data{X.data(), X.shape(0), X.shape(1), span_of(labels),
                                            weight_of(weight, X.shape(0))};
            // A step is a vector of eight numbers.
            const std::size_t products = curved ? coef.size() : 1;
            auto pass = run_kernel(
                nb::none(),
                [&](Control& control) {
                    return vaglio::logistic_pass(data, coef.data(), outputs, curved, threads, control);
                },
                steps_of({X.shape(0), (coef.size() + 7) / 8, products}));
            const std::size_t side = curved ? coef.size() : 0;
            return std::make_tuple(pass.loss, to_numpy(std::move(pass.gradient), {coef.shape(0), coef.shape(1)}),
                                   to_numpy(std::move(pass.hessian), {side, side}));
        },
        "X"_a, "labels"_a, "weight"_a.none(), "coef"_a, "curved"_a, "threads"_a,
        "Loss of logistic regression, its gradient and, if asked for, its Hessian, in one pass over the rows.");
    bind_record<EncodingArrays>(m, "SlopeEncoding", "How columns become those that have coefficients.", SAME(columns),
                                SAME(centre), SAME(scale), SAME(fill), SAME(of_codes), SAME(heights));
    m.def("slope_sums", &slope_sums, "numeric"_a, "codes"_a, "labels"_a, "weight"_a.none(), "encoding"_a, "theta"_a,
          "loss_exponent"_a, "exponents"_a,
          "Loss of logistic regression and its slopes in units of their grids, and the number of rows on the wrong "
          "side.");
    m.def(
        "quadratic_lasso",
        [](Array2<double> hessian, Array1<double> gradient, Array1<double> start, Array1<double> l1, double tolerance,
           int max_sweeps) {
            const std::size_t p = gradient.size();
            require(hessian.shape(0) == p && hessian.shape(1) == p && start.size() == p && l1.size() == p,
                    "hessian, gradient, start and l1 differ in size");
            auto found = run_kernel(nb::none(), [&](Control& control) {
                return vaglio::quadratic_lasso(hessian.data(), span_of(gradient), span_of(start), span_of(l1),
                                               tolerance, max_sweeps, control);
            });
            return std::make_tuple(to_numpy(std::move(found.x)), found.sweeps);
        },
        "hessian"_a, "gradient"_a, "start"_a, "l1"_a, "tolerance"_a, "max_sweeps"_a,
        "Minimise a quadratic plus an absolute penalty by coordinate descent: where, and after how many sweeps.");
    m.def("lasso_path", &lasso_path, "gram"_a, "slopes"_a, "alphas"_a, "ratio"_a, "tolerance"_a, "max_sweeps"_a,
          "Minimise a quadratic plus penalties of each strength by coordinate descent: where, and after how many "
          "sweeps.");
    m.def("product_sums", &product_sums, "x"_a, "y"_a, "weight"_a.none(), "centre"_a, "unit"_a, "fill"_a,
          "Sums of the products of all columns, the number to predict and a column of ones, in one pass.");
    m.def(
        "perceptron_passes",
        [](Array2<double> X, Array1<std::int32_t> labels, Array2<double> weights,
           std::optional<Array1<std::int64_t>> order, double rate, bool fit_bias,
           std::optional<Array1<double>> sample_weight, bool at_zero, double bias_rate, std::size_t passes,
           double tolerance, std::size_t patience, Progress progress) {
            require(weights.shape(1) == X.shape(1) + 1, "weights must be outputs x (width + 1)");
            EpochInput input =
                epoch_input(weights, X.shape(0), labels, order, rate, fit_bias, sample_weight, at_zero, bias_rate);
            return run_passes(vaglio::DenseRowsView{X.data(), X.shape(0), X.shape(1)}, labels, input,
                              {passes, tolerance, patience}, progress);
        },
        "X"_a, "labels"_a, "weights"_a, "order"_a.none(), "rate"_a, "fit_bias"_a, "sample_weight"_a.none(),
        "at_zero"_a = false, "bias_rate"_a = 1.0, "passes"_a = 1, "tolerance"_a = 0.0, "patience"_a = 0,
        "progress"_a = nb::none(), "Passes of the perceptron over dense rows: the weights and errors of each.");
    m.def(
        "perceptron_passes_sparse",
        [](Array1<double> values, Array1<std::int32_t> columns, Array1<std::int64_t> starts,
           Array1<std::int32_t> labels, Array2<double> weights, std::optional<Array1<std::int64_t>> order, double rate,
           bool fit_bias, std::optional<Array1<double>> sample_weight, bool at_zero, double bias_rate,
           std::size_t passes, double tolerance, std::size_t patience, Progress progress) {
            require(weights.shape(1) >= 1, "weights must be outputs x (width + 1)");
            const auto rows = sparse_rows(values, columns, starts, weights.shape(1) - 1);
            EpochInput input =
                epoch_input(weights, rows.n, labels, order, rate, fit_bias, sample_weight, at_zero, bias_rate);
            return run_passes(rows, labels, input, {passes, tolerance, patience}, progress);
        },
        "values"_a, "columns"_a, "starts"_a, "labels"_a, "weights"_a, "order"_a.none(), "rate"_a, "fit_bias"_a,
        "sample_weight"_a.none(), "at_zero"_a = false, "bias_rate"_a = 1.0, "passes"_a = 1, "tolerance"_a = 0.0,
        "patience"_a = 0, "progress"_a = nb::none(),
        "Passes of the perceptron over sparse rows: the weights and errors of each.");
    m.def(
        "penalized_pass",
        [](Array2<double> X, Array1<std::int32_t> labels, Array2<double> weights, Array1<double> paid,
           Array1<double> sums, std::optional<Array1<std::int64_t>> order, double rate, bool fit_bias,
           std::optional<Array1<double>> sample_weight, double alpha, double l1_ratio, bool at_zero, double bias_rate) {
            require(weights.shape(1) == X.shape(1) + 1, "weights must be outputs x (width + 1)");
            EpochInput input =
                epoch_input(weights, X.shape(0), labels, order, rate, fit_bias, sample_weight, at_zero, bias_rate);
            return run_penalized(vaglio::DenseRowsView{X.data(), X.shape(0), X.shape(1)}, labels, input,
                                 {alpha, l1_ratio}, paid, sums);
        },
        "X"_a, "labels"_a, "weights"_a, "paid"_a, "sums"_a, "order"_a.none(), "rate"_a, "fit_bias"_a,
        "sample_weight"_a.none(), "alpha"_a, "l1_ratio"_a, "at_zero"_a = false, "bias_rate"_a = 1.0,
        "A pass of the perceptron with a penalty over dense rows: weights, paid, sums, errors, sound, objective.");
    m.def(
        "penalized_pass_sparse",
        [](Array1<double> values, Array1<std::int32_t> columns, Array1<std::int64_t> starts,
           Array1<std::int32_t> labels, Array2<double> weights, Array1<double> paid, Array1<double> sums,
           std::optional<Array1<std::int64_t>> order, double rate, bool fit_bias,
           std::optional<Array1<double>> sample_weight, double alpha, double l1_ratio, bool at_zero, double bias_rate) {
            require(weights.shape(1) >= 1, "weights must be outputs x (width + 1)");
            const auto rows = sparse_rows(values, columns, starts, weights.shape(1) - 1);
            EpochInput input =
                epoch_input(weights, rows.n, labels, order, rate, fit_bias, sample_weight, at_zero, bias_rate);
            return run_penalized(rows, labels, input, {alpha, l1_ratio}, paid, sums);
        },
        "values"_a, "columns"_a, "starts"_a, "labels"_a, "weights"_a, "paid"_a, "sums"_a, "order"_a.none(), "rate"_a,
        "fit_bias"_a, "sample_weight"_a.none(), "alpha"_a, "l1_ratio"_a, "at_zero"_a = false, "bias_rate"_a = 1.0,
        "A pass of the perceptron with a penalty over sparse rows: weights, paid, sums, errors, sound, objective.");
    m.def(
        "visiting_order", [](std::size_t n, std::uint32_t seed) { return to_numpy(vaglio::visiting_order(n, seed)); },
        "n"_a, "seed"_a, "The order in which a shuffle by a 32-bit xorshift generator leaves n rows.");
}
