#include "vaglio/perceptron.hpp"

#include <algorithm>

#include "vaglio/row_ops.hpp"

namespace vaglio {
namespace {

// The weights of all outputs, laid out for the vector loops over dense rows.
class DenseLearner {
 public:
    DenseLearner(const DenseRowsView& rows, const PerceptronState& state)
        : rows_(rows),
          width_(state.width),
          stride_((width_ + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding),
          weights_(stride_ * static_cast<std::size_t>(state.outputs), 0.0),
          last_(stride_, 0.0) {
        for (int k = 0; k < state.outputs; ++k)
            std::copy_n(state.weights.data() + k * (width_ + 1), width_, weights_.data() + k * stride_);
    }

    void answer(std::size_t i, const std::vector<double>& bias, std::vector<double>& values) {
        row_ops().apply_row(row(i), weights_.data(), bias.data(), stride_, static_cast<int>(bias.size()),
                            values.data());
    }
    void move(std::size_t i, std::size_t output, double factor) {
        row_ops().add_row(row(i), factor, weights_.data() + output * stride_, stride_);
        // What lies behind a row belongs to the next one: it must not stay in the padding.
        std::fill(weights_.begin() + static_cast<std::ptrdiff_t>(output * stride_ + width_),
                  weights_.begin() + static_cast<std::ptrdiff_t>((output + 1) * stride_), 0.0);
    }
    void store(PerceptronState& state) const {
        for (int k = 0; k < state.outputs; ++k)
            std::copy_n(weights_.data() + k * stride_, width_, state.weights.data() + k * (width_ + 1));
    }

 private:
    const double* row(std::size_t i) {
        const double* at = rows_.values + i * width_;
        if (i * width_ + stride_ <= rows_.n * width_) return at;
        std::copy_n(at, width_, last_.data());
        return last_.data();
    }

    const DenseRowsView& rows_;
    std::size_t width_, stride_;
    std::vector<double> weights_, last_;
};

class SparseLearner {
 public:
    SparseLearner(const SparseRowsView& rows, const PerceptronState& state)
        : rows_(rows), stride_(state.width + 1), weights_(state.weights) {}

    void answer(std::size_t i, const std::vector<double>& bias, std::vector<double>& values) const {
        for (std::size_t k = 0; k < bias.size(); ++k) {
            const double* weights = weights_.data() + k * stride_;
            double sum = bias[k];
            for (std::int64_t t = rows_.starts[i]; t < rows_.starts[i + 1]; ++t)
                sum += rows_.values[t] * weights[rows_.columns[t]];
            values[k] = sum;
        }
    }
    void move(std::size_t i, std::size_t output, double factor) {
        double* weights = weights_.data() + output * stride_;
        for (std::int64_t t = rows_.starts[i]; t < rows_.starts[i + 1]; ++t)
            weights[rows_.columns[t]] += factor * rows_.values[t];
    }
    void store(PerceptronState& state) const { state.weights = weights_; }

 private:
    const SparseRowsView& rows_;
    std::size_t stride_;
    std::vector<double> weights_;
};

template <class Learner>
std::vector<std::int64_t> run_epoch(Learner& learner, std::size_t n, std::span<const std::int32_t> labels,
                                    std::span<const std::int64_t> order, const PerceptronRates& rates,
                                    PerceptronState& state, Control& control) {
    const auto outputs = static_cast<std::size_t>(state.outputs);
    std::vector<std::int64_t> errors(outputs, 0);
    std::vector<double> bias(outputs), values(outputs);
    for (std::size_t k = 0; k < outputs; ++k) bias[k] = state.weights[k * (state.width + 1) + state.width];
    control.expect(n);
    for (std::size_t t = 0; t < n; ++t) {
        if (t % 8192 == 0) {
            control.check();
            control.advance(std::min<std::size_t>(8192, n - t));
        }
        const std::size_t i = order.empty() ? t : static_cast<std::size_t>(order[t]);
        learner.answer(i, bias, values);
        for (std::size_t k = 0; k < outputs; ++k) {
            const int truth = outputs == 1 ? labels[i] : labels[i] == static_cast<std::int32_t>(k);
            const int difference = truth - (values[k] > 0 ? 1 : 0);
            if (difference == 0) continue;
            ++errors[k];
            const double factor =
                rates.rate * difference * (rates.sample_weight.empty() ? 1.0 : rates.sample_weight[i]);
            learner.move(i, k, factor);
            if (rates.fit_bias) bias[k] += factor;
        }
    }
    learner.store(state);
    for (std::size_t k = 0; k < outputs; ++k) state.weights[k * (state.width + 1) + state.width] = bias[k];
    return errors;
}

}  // namespace

std::vector<std::int64_t> perceptron_epoch(const DenseRowsView& rows, std::span<const std::int32_t> labels,
                                           std::span<const std::int64_t> order, const PerceptronRates& rates,
                                           PerceptronState& state, Control& control) {
    DenseLearner learner(rows, state);
    return run_epoch(learner, rows.n, labels, order, rates, state, control);
}

std::vector<std::int64_t> perceptron_epoch(const SparseRowsView& rows, std::span<const std::int32_t> labels,
                                           std::span<const std::int64_t> order, const PerceptronRates& rates,
                                           PerceptronState& state, Control& control) {
    SparseLearner learner(rows, state);
    return run_epoch(learner, rows.n, labels, order, rates, state, control);
}

}  // namespace vaglio
