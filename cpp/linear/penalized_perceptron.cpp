// Sums run one number after the other, so that they are those of a plain loop elsewhere, bit for bit.
#include "linear/penalized_perceptron.hpp"

#include <algorithm>
#include <cmath>

namespace vaglio {
namespace {

// Below this scale what is stored would grow too large: the weights are written out.
constexpr double smallest_scale = 1e-9;

// The numbers of one row and their columns.
struct DenseRow {
    const double* values;
    std::size_t size;
    std::size_t column(std::size_t j) const { return j; }
};
struct SparseRow {
    const double* values;
    const std::int32_t* columns;
    std::size_t size;
    std::size_t column(std::size_t j) const { return static_cast<std::size_t>(columns[j]); }
};

DenseRow row_of(const DenseRowsView& rows, std::size_t i) { return {rows.values + i * rows.width, rows.width}; }
SparseRow row_of(const SparseRowsView& rows, std::size_t i) {
    const auto first = rows.starts[i];
    return {rows.values + first, rows.columns + first, static_cast<std::size_t>(rows.starts[i + 1] - first)};
}

template <class Row>
double answer(const Row& row, const PenalizedState& state) {
    double sum = 0;
    for (std::size_t j = 0; j < row.size; ++j) sum += state.weights[row.column(j)] * row.values[j];
    return sum * state.scale + state.bias;
}

void shrink(PenalizedState& state, double factor) {
    state.scale *= factor;
    state.squares *= factor * factor;
    state.absolutes *= factor;
    if (state.scale >= smallest_scale) return;
    for (double& w : state.weights) w *= state.scale;
    state.scale = 1.0;
}

template <class Row>
void step(const Row& row, double factor, PenalizedState& state) {
    const double stored = factor / state.scale;
    double squares = 0, absolutes = 0;
    for (std::size_t j = 0; j < row.size; ++j) {
        double& weight = state.weights[row.column(j)];
        weight += row.values[j] * stored;
        squares += weight * weight;
        absolutes += std::abs(weight);
    }
    state.squares = squares * (state.scale * state.scale);
    state.absolutes = absolutes * state.scale;
}

// A weight that the row meets pays what it owes since it was last met, and stops at zero.
template <class Row>
void collect(const Row& row, PenalizedState& state) {
    for (std::size_t j = 0; j < row.size; ++j) {
        double& weight = state.weights[row.column(j)];
        double& paid = state.paid[row.column(j)];
        const double before = weight;
        if (state.scale * before > 0)
            weight = std::max(0.0, before - (state.owed + paid) / state.scale);
        else if (state.scale * before < 0)
            weight = std::min(0.0, before + (state.owed - paid) / state.scale);
        paid += state.scale * (weight - before);
    }
}

double charge(const PerceptronPenalty& penalty, const PenalizedState& state) {
    // The root and its square: the rounding of a norm that is kept as such.
    const double norm = std::sqrt(state.squares);
    return penalty.alpha * ((1 - penalty.l1_ratio) * 0.5 * (norm * norm) + penalty.l1_ratio * state.absolutes);
}

bool finite(const PenalizedState& state) {
    return std::isfinite(state.bias) &&
           std::all_of(state.weights.begin(), state.weights.end(), [](double w) { return std::isfinite(w); });
}

template <class Rows>
PenalizedPass run(const Rows& rows, std::span<const std::int32_t> labels, std::span<const std::int64_t> order,
                  const PerceptronRates& rates, const PerceptronPenalty& penalty, PenalizedState& state,
                  Control& control) {
    PenalizedPass pass;
    const double kept = std::max(0.0, 1.0 - (1.0 - penalty.l1_ratio) * rates.rate * penalty.alpha);
    const double due = penalty.l1_ratio * rates.rate * penalty.alpha;
    control.expect(rows.n);
    for (std::size_t t = 0; t < rows.n; ++t) {
        if (t % 8192 == 0) {
            control.check();
            control.advance(std::min<std::size_t>(8192, rows.n - t));
        }
        const std::size_t i = order.empty() ? t : static_cast<std::size_t>(order[t]);
        const auto row = row_of(rows, i);
        const double value = answer(row, state), side = labels[i] ? value : -value;
        pass.objective += std::max(0.0, -side);
        pass.objective += charge(penalty, state);
        const bool wrong = rates.at_zero ? side <= 0 : (value > 0) != (labels[i] == 1);
        shrink(state, kept);
        if (wrong) {
            ++pass.errors;
            const double factor =
                (labels[i] ? rates.rate : -rates.rate) * (rates.sample_weight.empty() ? 1.0 : rates.sample_weight[i]);
            // A row without weight makes no step, after which the norms would be counted anew.
            if (factor != 0) step(row, factor, state);
            if (rates.fit_bias) state.bias += factor * rates.bias_rate;
        }
        if (due > 0) {
            state.owed += due;
            collect(row, state);
        }
    }
    state.sound = finite(state);
    return pass;
}

}  // namespace

PenalizedPass penalized_pass(const DenseRowsView& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRates& rates,
                             const PerceptronPenalty& penalty, PenalizedState& state, Control& control) {
    return run(rows, labels, order, rates, penalty, state, control);
}

PenalizedPass penalized_pass(const SparseRowsView& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRates& rates,
                             const PerceptronPenalty& penalty, PenalizedState& state, Control& control) {
    return run(rows, labels, order, rates, penalty, state, control);
}

}  // namespace vaglio
