#pragma once
// Vector loops of linear models over rows in C order, written once and compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

// Some rows and the linear functions applied to them. Vectors are read whole: up to `padding` doubles beyond the end
// of the last row must be readable, and `weights` is padded with zeros to `stride`, a multiple of `padding`.
struct RowChunk {
    const double* rows;
    std::size_t width;
    int count;
    const double* weights;  // outputs x stride
    const double* bias;     // outputs
    std::size_t stride;
    int outputs;
    static constexpr std::size_t padding = 8;
    static constexpr int most_rows = 128;
};

struct RowLoops {
    // values[k * most_rows + r] = weights[k] . row r + bias[k]
    void (*apply)(const RowChunk&, double* values);
    // From the values of the outputs (one: the log-odds of class 1; more: one per class) to residuals
    // weight * (probability - truth) in place; gives the sum of weight * -log(probability of the true class).
    double (*softmax)(const RowChunk&, const std::int32_t* labels, const double* sample_weight, double* values);
    // gradient[k * stride + j] += sum over r of values[k * most_rows + r] * row r [j]
    void (*gather)(const RowChunk&, const double* values, double* gradient);
};

VAGLIO_DECLARE_LEVELS(RowLoops row_table();)

inline const RowLoops& row_loops() {
    static const RowLoops chosen = VAGLIO_LEVELS(row_table).best()();
    return chosen;
}

}  // namespace vaglio
