#pragma once
// One pass of a perceptron whose weights are drawn towards zero: by a share of themselves at every row (the squared
// norm), and by what is owed since the start (the absolute norm, Tsuruoka, Tsujii & Ananiadou 2009).
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "linear/perceptron.hpp"

namespace vaglio {

// alpha * ((1 - l1_ratio) / 2 * |w|^2 + l1_ratio * |w|_1), without the bias.
struct PerceptronPenalty {
    double alpha;
    double l1_ratio;
};

// One output. A weight is `scale` times what is stored, so that shrinking all of them takes one product.
struct PenalizedState {
    std::vector<double> weights;  // width of them
    std::vector<double> paid;     // by how much the absolute norm has moved each weight so far, with its sign
    double bias = 0.0;
    double scale = 1.0;
    double owed = 0.0;  // what the absolute norm would have taken from a weight that it had met at every row
    // |w|^2 and |w|_1 after the last step, shrunk since. Of a sparse row's step they hold its columns alone: a sum over
    // all of them at every row would cost more than the step.
    double squares = 0.0;
    double absolutes = 0.0;
    bool sound = true;  // false: a weight is not finite
};

struct PenalizedPass {
    std::int64_t errors = 0;
    double objective = 0.0;  // losses and penalties, each before the step of its row, summed over the rows
};

// Rows are visited in `order` (empty: as they come); the labels are 1 for the class to find, else 0.
PenalizedPass penalized_pass(const DenseRowsView& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRates& rates,
                             const PerceptronPenalty& penalty, PenalizedState& state, Control& control);
PenalizedPass penalized_pass(const SparseRowsView& rows, std::span<const std::int32_t> labels,
                             std::span<const std::int64_t> order, const PerceptronRates& rates,
                             const PerceptronPenalty& penalty, PenalizedState& state, Control& control);

}  // namespace vaglio
