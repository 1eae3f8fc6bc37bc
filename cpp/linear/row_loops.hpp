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

// The same rows with a column of ones behind the others, padded with zeros to `stride`, a multiple of
// RowChunk::padding, and the share of each in sums of products.
struct WeighedRows {
    const double* rows;   // count x stride
    const double* share;  // count
    double* room;         // count x stride, for rows times shares
    std::size_t columns;  // the column of ones included
    std::size_t stride;
    int count;
};

// Rows of which `columns` numbers are moved and scaled: a number becomes x * unit - moved, a missing one `fill`.
struct PlacedRows {
    const double* rows;
    std::ptrdiff_t pitch;  // from a row to the next
    std::size_t columns;
    const double *unit, *moved, *fill;
    int count;
    double* to;
    std::size_t stride;
};

struct RowLoops {
    // values[k * most_rows + r] = weights[k] . row r + bias[k]
    void (*apply)(const RowChunk&, double* values);
    // From the values of the outputs (one: the log-odds of class 1; more: one per class) to probabilities in place;
    // gives the sum of weight * -log(probability of the true class).
    double (*softmax)(const RowChunk&, const std::int32_t* labels, const double* sample_weight, double* values);
    // From probabilities to residuals weight * (probability - truth) in place.
    void (*residuals)(const RowChunk&, const std::int32_t* labels, const double* sample_weight, double* values);
    // gradient[k * stride + j] += sum over r of values[k * most_rows + r] * row r [j]
    void (*gather)(const RowChunk&, const double* values, double* gradient);
    // sums[i * stride + j] += sum over r of share[r] * row r [i] * row r [j], for j <= i < columns; other places of
    // sums (stride x stride) hold anything.
    void (*multiply)(const WeighedRows&, double* sums);
    void (*place)(const PlacedRows&);
};

VAGLIO_DECLARE_LEVELS(RowLoops row_table();)

inline const RowLoops& row_loops() {
    static const RowLoops chosen = VAGLIO_LEVELS(row_table).best()();
    return chosen;
}

}  // namespace vaglio
