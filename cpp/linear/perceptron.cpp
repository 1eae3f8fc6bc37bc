// Dense rows go through vector loops in stretches that fit the cache; sparse rows through a plain loop.
#include "linear/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/perceptron_loops.hpp"

namespace vaglio {
namespace {

// An output that is wrong for at most one row in so many is answered for several rows at once (measured).
constexpr std::size_t few_wrong = 8;

const auto walk_rows = VAGLIO_LEVELS(perceptron_walk).best();

// The weights of all outputs in whole blocks, the biases apart.
struct DenseState {
    explicit DenseState(const PerceptronState& state)
        : blocks(std::max<std::size_t>(1, (state.width + PerceptronWalk::block - 1) / PerceptronWalk::block)),
          stride(blocks * PerceptronWalk::block),
          outputs(static_cast<std::size_t>(state.outputs)),
          weights(stride * outputs, 0.0),
          bias(outputs),
          spare(stride),
          errors(outputs, 0) {
        for (std::size_t k = 0; k < outputs; ++k) {
            const double* from = state.weights.data() + k * (state.width + 1);
            std::copy_n(from, state.width, weights.data() + k * stride);
            bias[k] = from[state.width];
        }
    }

    PerceptronWalk walk(const DenseRowsView& rows, std::span<const std::int32_t> labels,
                        std::span<const std::int64_t> order, const PerceptronRates& rates) {
        PerceptronWalk walk{};
        walk.rows = rows.values;
        walk.width = rows.width;
        walk.blocks = blocks;
        walk.total = rows.n * rows.width;
        walk.order = order.empty() ? nullptr : order.data();
        walk.labels = labels.data();
        walk.sample_weight = rates.sample_weight.empty() ? nullptr : rates.sample_weight.data();
        walk.rate = rates.rate;
        walk.fit_bias = rates.fit_bias;
        walk.spare = spare.data();
        walk.doubt = &doubt;
        return walk;
    }

    // Outputs know nothing of each other, so a stretch of rows that fits the cache is walked by a few at a time; by one
    // alone if it was seldom wrong in the last pass over `n` rows, and by none if it was right.
    void learn(PerceptronWalk walk, std::span<const std::int64_t> last_errors, std::size_t n) {
        const auto seldom_wrong = [&](std::size_t k) {
            return !last_errors.empty() && static_cast<std::size_t>(last_errors[k]) * few_wrong <= n;
        };
        for (std::size_t k = 0; k < outputs; k += static_cast<std::size_t>(walk.outputs)) {
            walk.outputs = 1;
            walk.calm = seldom_wrong(k);
            if (walk.calm && last_errors[k] == 0) continue;
            while (!walk.calm && walk.outputs < PerceptronWalk::most_outputs &&
                   k + static_cast<std::size_t>(walk.outputs) < outputs &&
                   !seldom_wrong(k + static_cast<std::size_t>(walk.outputs)))
                ++walk.outputs;
            walk.wanted = outputs == 1 ? 1 : static_cast<std::int32_t>(k);
            walk.weights = weights.data() + k * stride;
            walk.bias = bias.data() + k;
            walk.errors = errors.data() + k;
            walk_rows(walk);
        }
    }

    void store(PerceptronState& state) const {
        state.sound = doubt == 0;
        for (std::size_t k = 0; k < outputs; ++k) {
            double* to = state.weights.data() + k * (state.width + 1);
            std::copy_n(weights.data() + k * stride, state.width, to);
            to[state.width] = bias[k];
        }
    }

    std::size_t blocks, stride, outputs;
    std::vector<double> weights, bias, spare;
    std::vector<std::int64_t> errors;
    double doubt = 0;
};

// Rows walked between two looks at the clock: a quarter of a megabyte of them.
std::size_t stretch_of(const PerceptronState& state) {
    return std::max<std::size_t>(16, (std::size_t{1} << 15) / (state.width + 1));
}

// Dense rows one number after the other: the sum is then the one that a plain loop elsewhere finds, bit for bit.
class DenseLearner {
 public:
    DenseLearner(const DenseRowsView& rows, const PerceptronState& state)
        : rows_(rows), stride_(state.width + 1), weights_(state.weights) {}

    void answer(std::size_t i, const std::vector<double>& bias, std::vector<double>& values) const {
        const double* row = rows_.values + i * rows_.width;
        for (std::size_t k = 0; k < bias.size(); ++k) {
            const double* weights = weights_.data() + k * stride_;
            double sum = 0;
            for (std::size_t j = 0; j < rows_.width; ++j) sum += weights[j] * row[j];
            values[k] = sum + bias[k];
        }
    }
    void move(std::size_t i, std::size_t output, double factor) {
        const double* row = rows_.values + i * rows_.width;
        double* weights = weights_.data() + output * stride_;
        for (std::size_t j = 0; j < rows_.width; ++j) weights[j] += factor * row[j];
    }
    void store(PerceptronState& state) const {
        state.weights = weights_;
        state.sound = std::all_of(weights_.begin(), weights_.end(), [](double w) { return std::isfinite(w); });
    }

 private:
    const DenseRowsView& rows_;
    std::size_t stride_;
    std::vector<double> weights_;
};

class SparseLearner {
 public:
    SparseLearner(const SparseRowsView& rows, const PerceptronState& state)
        : rows_(rows), stride_(state.width + 1), weights_(state.weights) {}

    void answer(std::size_t i, const std::vector<double>& bias, std::vector<double>& values) const {
        for (std::size_t k = 0; k < bias.size(); ++k) {
            const double* weights = weights_.data() + k * stride_;
            double sum = 0;
            for (std::int64_t t = rows_.starts[i]; t < rows_.starts[i + 1]; ++t)
                sum += rows_.values[t] * weights[rows_.columns[t]];
            values[k] = sum + bias[k];
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
    state.loss.assign(outputs, 0.0);
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
            int difference = truth - (values[k] > 0 ? 1 : 0);
            if (rates.at_zero) {
                const double side = truth ? values[k] : -values[k];
                difference = side <= 0 ? 2 * truth - 1 : 0;
                state.loss[k] += std::max(0.0, -side);
            }
            if (difference == 0) continue;
            ++errors[k];
            const double factor =
                rates.rate * difference * (rates.sample_weight.empty() ? 1.0 : rates.sample_weight[i]);
            learner.move(i, k, factor);
            if (rates.fit_bias) bias[k] += factor * rates.bias_rate;
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
    if (rates.at_zero) {
        DenseLearner learner(rows, state);
        return run_epoch(learner, rows.n, labels, order, rates, state, control);
    }
    DenseState dense(state);
    PerceptronWalk walk = dense.walk(rows, labels, order, rates);
    const std::size_t stretch = stretch_of(state);
    control.expect(rows.n);
    for (std::size_t t = 0; t < rows.n; t += stretch) {
        control.check();
        walk.first = t;
        walk.count = std::min(stretch, rows.n - t);
        dense.learn(walk, state.last_errors, rows.n);
        control.advance(walk.count);
    }
    dense.store(state);
    state.last_errors = dense.errors;
    return dense.errors;
}

std::vector<std::int64_t> perceptron_epoch(const SparseRowsView& rows, std::span<const std::int32_t> labels,
                                           std::span<const std::int64_t> order, const PerceptronRates& rates,
                                           PerceptronState& state, Control& control) {
    SparseLearner learner(rows, state);
    return run_epoch(learner, rows.n, labels, order, rates, state, control);
}

std::vector<std::int64_t> visiting_order(std::size_t n, std::uint32_t seed) {
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (seed == 0) seed = 1;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        std::swap(order[i], order[i + (seed & 0x7fffffffu) % (n - i)]);
    }
    return order;
}

}  // namespace vaglio
