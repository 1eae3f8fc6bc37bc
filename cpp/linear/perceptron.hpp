#pragma once
// One pass of the perceptron over rows: w <- w + rate * (truth - answer) * x, wherever the answer is wrong.
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

// One linear function per output, each telling its own class from the rest; `weights` is outputs x (width + 1), the
// bias last. With one output the class to find is 1, with more, output k looks for class k.
struct PerceptronState {
    std::size_t width;
    int outputs;
    std::vector<double> weights;
    bool sound = true;  // false: a number met was not finite (dense rows only), or the weights have overflowed
    // Of the last pass over the same rows in the same order, if there was one. An output without errors has come to
    // rest.
    std::vector<std::int64_t> last_errors = {};
    std::vector<double> loss = {};  // with `at_zero`: of each output, how far wrong answers were from zero, summed up
};

struct PerceptronRates {
    double rate = 1.0;
    bool fit_bias = true;
    std::span<const double> sample_weight;  // empty: all one
    bool at_zero = false;    // an answer of exactly zero is wrong for either class, as in stochastic gradient descent
    double bias_rate = 1.0;  // factor of the steps of the bias
};

struct DenseRowsView {
    const double* values;
    std::size_t n, width;
};
struct SparseRowsView {
    const double* values;
    const std::int32_t* columns;
    const std::int64_t* starts;
    std::size_t n;
};

// Rows are visited in `order` (empty: as they come). Gives the number of wrong answers of each output.
std::vector<std::int64_t> perceptron_epoch(const DenseRowsView& rows, std::span<const std::int32_t> labels,
                                           std::span<const std::int64_t> order, const PerceptronRates& rates,
                                           PerceptronState& state, Control& control);
std::vector<std::int64_t> perceptron_epoch(const SparseRowsView& rows, std::span<const std::int32_t> labels,
                                           std::span<const std::int64_t> order, const PerceptronRates& rates,
                                           PerceptronState& state, Control& control);

// The order in which a shuffle with a 32-bit xorshift generator leaves n rows: the same shuffle again reorders the last
// order by it.
std::vector<std::int64_t> visiting_order(std::size_t n, std::uint32_t seed);

}  // namespace vaglio
