// One pass of logistic regression and of the perceptron over any rows, and the inner problem of any penalty: no promise
// but to end, within the arrays; dense and sparse rows are the same rows.
#include <cmath>

#include "input.hpp"
#include "linear/logistic.hpp"
#include "linear/penalized_perceptron.hpp"
#include "linear/perceptron.hpp"
#include "linear/quadratic_lasso.hpp"

using namespace vaglio;
using vaglio_fuzz::Input;

struct Rows {
    std::size_t n, width;
    int outputs;
    std::vector<double> values, weight;
    std::vector<std::int32_t> labels;

    explicit Rows(Input& input)
        : n(input.below(40)), width(input.below(20)), outputs(static_cast<int>(1 + input.below(6))) {
        values = input.list(n * width, [&] { return input.number(true); });
        const std::size_t classes = outputs == 1 ? 2 : static_cast<std::size_t>(outputs);
        labels = input.list(n, [&] { return static_cast<std::int32_t>(input.below(classes)); });
        if (input.flag()) weight = input.list(n, [&] { return input.weight(); });
    }
};

static void check_perceptron(Input& input, const Rows& rows, const std::vector<double>& coef) {
    std::vector<double> values;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> starts{0}, order;
    for (std::size_t i = 0; i < rows.n; ++i) {
        for (std::size_t j = 0; j < rows.width; ++j) {
            if (rows.values[i * rows.width + j] == 0) continue;
            values.push_back(rows.values[i * rows.width + j]);
            columns.push_back(static_cast<std::int32_t>(j));
        }
        starts.push_back(static_cast<std::int64_t>(values.size()));
    }
    if (input.flag()) order = input.list(rows.n, [&] { return static_cast<std::int64_t>(input.below(rows.n)); });
    // An answer of zero counts as wrong here, so that both forms add up in the order of the columns.
    const PerceptronRates rates{input.weight(), input.flag(), rows.weight, input.flag(), input.weight()};
    PerceptronState dense{rows.width, rows.outputs, coef}, sparse = dense;
    Control control;
    const DenseRowsView all{rows.values.data(), rows.n, rows.width};
    const SparseRowsView some{values.data(), columns.data(), starts.data(), rows.n};
    const auto first = perceptron_epoch(all, rows.labels, order, rates, dense, control);
    const auto second = perceptron_epoch(some, rows.labels, order, rates, sparse, control);
    PROMISE(first.size() == second.size() && dense.weights.size() == sparse.weights.size());
    for (const std::int64_t errors : first) PROMISE(errors >= 0 && static_cast<std::size_t>(errors) <= rows.n);
    if (!rates.at_zero || !dense.sound || !sparse.sound) return;
    for (std::size_t i = 0; i < coef.size(); ++i) PROMISE(dense.weights[i] == sparse.weights[i]);
}

static void check_penalty(Input& input, const Rows& rows, const std::vector<double>& coef) {
    PenalizedState state;
    state.weights.assign(coef.begin(), coef.begin() + static_cast<std::ptrdiff_t>(rows.width));
    state.paid.assign(rows.width, 0.0);
    const PerceptronRates rates{input.weight(), input.flag(), rows.weight, input.flag(), input.weight()};
    const PerceptronPenalty penalty{input.weight(), input.flag() ? 0.3 : 1.0};
    Control control;
    const DenseRowsView all{rows.values.data(), rows.n, rows.width};
    const auto pass = penalized_pass(all, rows.labels, {}, rates, penalty, state, control);
    PROMISE(pass.errors >= 0 && static_cast<std::size_t>(pass.errors) <= rows.n);
    PROMISE(state.weights.size() == rows.width && (!state.sound || std::isfinite(state.bias)));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const Rows rows(input);
    const auto any = [&] { return input.number(true); };
    const std::size_t count = static_cast<std::size_t>(rows.outputs) * (rows.width + 1);
    const auto coef = input.list(count, any);
    Control control;
    const LogisticData table{rows.values.data(), rows.n, rows.width, rows.labels, rows.weight};
    const LogisticPass pass = logistic_pass(table, coef.data(), rows.outputs, true, 1, control);
    PROMISE(pass.gradient.size() == count && pass.hessian.size() == count * count);
    check_perceptron(input, rows, coef);
    check_penalty(input, rows, coef);
    const std::size_t p = input.below(6);
    const auto hessian = input.list(p * p, any), gradient = input.list(p, any), start = input.list(p, any);
    const auto l1 = input.list(p, [&] { return input.weight(); });
    const int sweeps = static_cast<int>(input.below(50));
    PROMISE(quadratic_lasso(hessian.data(), gradient, start, l1, 1e-6, sweeps, control).x.size() == p);
    const std::size_t n = input.below(200);
    std::vector<bool> seen(n);
    for (const std::int64_t row : visiting_order(n, input.raw<std::uint32_t>()))
        seen.at(static_cast<std::size_t>(row)) = true;
    for (const bool each : seen) PROMISE(each);
    return 0;
}
