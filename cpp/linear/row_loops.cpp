// The vector loops of logistic regression, compiled per level (base/dispatch.hpp).
#include "linear/row_loops.hpp"

#include <math.h>

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Doubles = Vector<double>;
constexpr int lanes = width<double>;
constexpr int rows_each = RowChunk::most_rows;

VAGLIO_INLINE double sum_of(Doubles v) {
    double total = 0;
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) total += v[i];
    return total;
}

// Outputs are taken in groups whose sums stay in registers.
template <int group>
VAGLIO_INLINE void apply_group(const double* row, const double* weights, std::size_t stride, double* values,
                               std::ptrdiff_t step) {
    Doubles sum[group];
#pragma GCC unroll 4
    for (int k = 0; k < group; ++k) sum[k] = Doubles{};
    for (std::size_t j = 0; j < stride; j += lanes) {
        const auto x = load<Doubles>(row + j);
#pragma GCC unroll 4
        for (int k = 0; k < group; ++k) sum[k] += x * load<Doubles>(weights + static_cast<std::size_t>(k) * stride + j);
    }
#pragma GCC unroll 4
    for (int k = 0; k < group; ++k) values[k * step] += sum_of(sum[k]);
}

VAGLIO_INLINE void apply_outputs(const double* row, const double* weights, std::size_t stride, int outputs,
                                 double* values, std::ptrdiff_t step) {
    int k = 0;
    for (; k + 4 <= outputs; k += 4) apply_group<4>(row, weights + k * stride, stride, values + k * step, step);
    if (outputs - k == 3) apply_group<3>(row, weights + k * stride, stride, values + k * step, step);
    if (outputs - k == 2) apply_group<2>(row, weights + k * stride, stride, values + k * step, step);
    if (outputs - k == 1) apply_group<1>(row, weights + k * stride, stride, values + k * step, step);
}

void apply(const RowChunk& chunk, double* values) {
    for (int k = 0; k < chunk.outputs; ++k)
        for (int r = 0; r < rows_each; ++r) values[k * rows_each + r] = chunk.bias[k];
    for (int r = 0; r < chunk.count; ++r)
        apply_outputs(chunk.rows + static_cast<std::size_t>(r) * chunk.width, chunk.weights, chunk.stride,
                      chunk.outputs, values + r, rows_each);
}

// Probabilities in place, log of the sum of exponentials (with the largest value taken out) in `log_sum`.
VAGLIO_INLINE void normalise(int outputs, double* values, Doubles& largest, Doubles& sum) {
    // With one output the other class has the value 0.
    largest = outputs == 1 ? Doubles{} : Doubles{} - 1e308;
    for (int k = 0; k < outputs; ++k) largest = larger(largest, load<Doubles>(values + k * rows_each));
    sum = outputs == 1 ? exponential<double>(-largest) : Doubles{};
    for (int k = 0; k < outputs; ++k) {
        const Doubles e = exponential<double>(load<Doubles>(values + k * rows_each) - largest);
        store(values + k * rows_each, e);
        sum += e;
    }
    for (int k = 0; k < outputs; ++k) store(values + k * rows_each, load<Doubles>(values + k * rows_each) / sum);
}

double softmax(const RowChunk& chunk, const std::int32_t* labels, const double* sample_weight, double* values) {
    double loss = 0;
    double truth[rows_each], log_part[rows_each], sums[rows_each];
    for (int r = 0; r < rows_each; ++r) sums[r] = 1.0;
    for (int r = 0; r < chunk.count; ++r) {
        const int label = labels[r];
        truth[r] = chunk.outputs == 1 ? (label ? values[r] : 0.0) : values[label * rows_each + r];
    }
    for (int r = 0; r < chunk.count; r += lanes) {
        Doubles largest, sum;
        normalise(chunk.outputs, values + r, largest, sum);
        store(log_part + r, largest);
        store(sums + r, sum);
    }
    for (int r = 0; r < chunk.count; ++r) {
        const double weight = sample_weight ? sample_weight[r] : 1.0;
        loss += weight * (log_part[r] - truth[r]);
        if (sample_weight) loss += weight * log(sums[r]);
    }
    if (sample_weight) return loss;
    // Sums lie between 1 and the number of classes: one logarithm serves the product of sixteen.
    for (int r = 0; r < chunk.count; r += 16) {
        double product = 1.0;
        for (int i = r; i < r + 16; ++i) product *= i < chunk.count ? sums[i] : 1.0;
        loss += log(product);
    }
    return loss;
}

void residuals(const RowChunk& chunk, const std::int32_t* labels, const double* sample_weight, double* values) {
    for (int r = 0; r < chunk.count; ++r) {
        const int label = labels[r];
        if (chunk.outputs > 1) {
            values[label * rows_each + r] -= 1.0;
        } else if (label) {
            values[r] -= 1.0;
        }
        if (sample_weight)
            for (int k = 0; k < chunk.outputs; ++k) values[k * rows_each + r] *= sample_weight[r];
    }
}

template <int group>
VAGLIO_INLINE void gather_group(const RowChunk& chunk, const double* values, double* gradient) {
    constexpr int vectors = 4;
    const std::size_t step = vectors * lanes;
    for (std::size_t j = 0; j < chunk.stride; j += step) {
        // The last group of columns may be narrower: its missing vectors repeat the first and are not stored.
        const int present = static_cast<int>((chunk.stride - j < step ? chunk.stride - j : step) / lanes);
        std::size_t at[vectors];
        for (int v = 0; v < vectors; ++v) at[v] = j + static_cast<std::size_t>(v < present ? v : 0) * lanes;
        Doubles sum[group][vectors];
#pragma GCC unroll 4
        for (int k = 0; k < group; ++k)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) sum[k][v] = Doubles{};
        const double* row = chunk.rows;
        for (int r = 0; r < chunk.count; ++r, row += chunk.width) {
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                const auto x = load<Doubles>(row + at[v]);
#pragma GCC unroll 4
                for (int k = 0; k < group; ++k) sum[k][v] += x * values[k * rows_each + r];
            }
        }
        for (int k = 0; k < group; ++k)
            for (int v = 0; v < present; ++v) {
                double* to = gradient + static_cast<std::size_t>(k) * chunk.stride + at[v];
                store(to, load<Doubles>(to) + sum[k][v]);
            }
    }
}

void gather(const RowChunk& chunk, const double* values, double* gradient) {
    int k = 0;
    const auto call = [&](auto visit) { visit(values + k * rows_each, gradient + k * chunk.stride); };
    for (; k + 4 <= chunk.outputs; k += 4) call([&](const double* v, double* g) { gather_group<4>(chunk, v, g); });
    const int left = chunk.outputs - k;
    if (left == 3) call([&](const double* v, double* g) { gather_group<3>(chunk, v, g); });
    if (left == 2) call([&](const double* v, double* g) { gather_group<2>(chunk, v, g); });
    if (left == 1) call([&](const double* v, double* g) { gather_group<1>(chunk, v, g); });
}

// Products of some columns from i on, at most `lanes`, with `padding` columns from j on: eight sums that do not wait
// for each other.
template <int some>
VAGLIO_INLINE void multiply_tile(const WeighedRows& weighed, std::size_t i, std::size_t j, double* sums) {
    constexpr int vectors = static_cast<int>(RowChunk::padding) / lanes;
    Doubles sum[some][vectors];
#pragma GCC unroll 8
    for (int a = 0; a < some; ++a)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sum[a][v] = Doubles{};
    const double *left = weighed.rows + i, *right = weighed.room + j;
    for (int r = 0; r < weighed.count; ++r, left += weighed.stride, right += weighed.stride) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            const auto x = load<Doubles>(right + v * lanes);
#pragma GCC unroll 8
            for (int a = 0; a < some; ++a) sum[a][v] += x * left[a];
        }
    }
#pragma GCC unroll 8
    for (int a = 0; a < some; ++a)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            double* to = sums + (i + static_cast<std::size_t>(a)) * weighed.stride + j + v * lanes;
            store(to, load<Doubles>(to) + sum[a][v]);
        }
}

// The columns from i on, at most `some`, with all columns up to them.
template <int some>
VAGLIO_INLINE void multiply_columns(const WeighedRows& weighed, std::size_t i, double* sums) {
    if constexpr (some > 1) {
        if (weighed.columns - i < some) return multiply_columns<some - 1>(weighed, i, sums);
    }
    for (std::size_t j = 0; j < i + some; j += RowChunk::padding) multiply_tile<some>(weighed, i, j, sums);
}

void multiply(const WeighedRows& weighed, double* sums) {
    for (int r = 0; r < weighed.count; ++r) {
        const std::size_t row = static_cast<std::size_t>(r) * weighed.stride;
        for (std::size_t j = 0; j < weighed.stride; j += lanes)
            store(weighed.room + row + j, load<Doubles>(weighed.rows + row + j) * weighed.share[r]);
    }
    for (std::size_t i = 0; i < weighed.columns; i += lanes) multiply_columns<lanes>(weighed, i, sums);
}

void place(const PlacedRows& placed) {
    const double* from = placed.rows;
    double* to = placed.to;
    for (int r = 0; r < placed.count; ++r, from += placed.pitch, to += placed.stride) {
        std::size_t j = 0;
        for (; j + lanes <= placed.columns; j += lanes) {
            const auto x = load<Doubles>(from + j);
            const Doubles moved = x * load<Doubles>(placed.unit + j) - load<Doubles>(placed.moved + j);
            store(to + j, choose(x == x, moved, load<Doubles>(placed.fill + j)));
        }
        for (; j < placed.columns; ++j)
            to[j] = from[j] == from[j] ? from[j] * placed.unit[j] - placed.moved[j] : placed.fill[j];
    }
}

}  // namespace

RowLoops row_table() { return {apply, softmax, residuals, gather, multiply, place}; }

}  // namespace vaglio::VAGLIO_LEVEL
