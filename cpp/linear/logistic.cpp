// Rows are cut into parts that depend on their number alone, and the sums of the parts are added in order: the same
// bits for any number of threads.
#include "linear/logistic.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "linear/row_loops.hpp"

namespace vaglio {
namespace {

// Weights as RowLoops wants them: rows padded with zeros, the bias apart.
struct Weights {
    std::size_t stride;
    std::vector<double> values, bias;

    Weights(const double* coef, std::size_t width, int outputs)
        : stride((width + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding),
          values(stride * static_cast<std::size_t>(outputs), 0.0),
          bias(static_cast<std::size_t>(outputs)) {
        for (std::size_t k = 0; k < bias.size(); ++k) {
            std::copy_n(coef + k * (width + 1), width, values.data() + k * stride);
            bias[k] = coef[k * (width + 1) + width];
        }
    }
};

struct Part {
    double loss = 0;
    std::vector<double> gradient, bias;
};

class Pass {
 public:
    Pass(const LogisticData& data, const Weights& weights)
        : data_(data), weights_(weights), outputs_(static_cast<int>(weights.bias.size())) {}

    Part over(std::size_t first, std::size_t last) const {
        Part part{0, std::vector<double>(weights_.values.size(), 0.0), std::vector<double>(weights_.bias.size(), 0.0)};
        std::vector<double> values(static_cast<std::size_t>(outputs_) * RowChunk::most_rows);
        std::vector<double> copy;
        for (std::size_t at = first; at < last; at += RowChunk::most_rows) {
            const int count = static_cast<int>(std::min<std::size_t>(RowChunk::most_rows, last - at));
            const double* rows = data_.rows + at * data_.width;
            // Vectors reach beyond a row's end; the last rows of the table are read from a copy with room behind it.
            if ((at + count) * data_.width + RowChunk::padding > data_.n * data_.width) {
                copy.assign(rows, rows + count * data_.width);
                copy.resize(copy.size() + RowChunk::padding, 0.0);
                rows = copy.data();
            }
            add_chunk(
                {rows, data_.width, count, weights_.values.data(), weights_.bias.data(), weights_.stride, outputs_}, at,
                values, part);
        }
        return part;
    }

 private:
    void add_chunk(const RowChunk& chunk, std::size_t at, std::vector<double>& values, Part& part) const {
        const RowLoops& loops = row_loops();
        loops.apply(chunk, values.data());
        const double* weight = data_.weight.empty() ? nullptr : data_.weight.data() + at;
        part.loss += loops.softmax(chunk, data_.labels.data() + at, weight, values.data());
        loops.gather(chunk, values.data(), part.gradient.data());
        for (int k = 0; k < outputs_; ++k)
            for (int r = 0; r < chunk.count; ++r) part.bias[k] += values[k * RowChunk::most_rows + r];
    }

    const LogisticData& data_;
    const Weights& weights_;
    int outputs_;
};

}  // namespace

LogisticPass logistic_pass(const LogisticData& data, const double* coef, int outputs, int threads, Control& control) {
    const Weights weights(coef, data.width, outputs);
    const Pass pass(data, weights);
    // At most 64 parts, whatever the number of threads: the same sums in the same order.
    const std::size_t smallest = 32 * RowChunk::most_rows;
    const std::size_t rows = std::max(smallest, (data.n / 64 / RowChunk::most_rows + 1) * RowChunk::most_rows);
    std::vector<Part> parts((data.n + rows - 1) / rows);
    parallel_for(threads, parts.size(), [&](std::size_t p, int) {
        control.check();
        parts[p] = pass.over(p * rows, std::min(data.n, (p + 1) * rows));
    });
    LogisticPass total;
    total.gradient.assign(static_cast<std::size_t>(outputs) * (data.width + 1), 0.0);
    for (const Part& part : parts) {
        total.loss += part.loss;
        for (std::size_t k = 0; k < weights.bias.size(); ++k) {
            double* to = total.gradient.data() + k * (data.width + 1);
            for (std::size_t j = 0; j < data.width; ++j) to[j] += part.gradient[k * weights.stride + j];
            to[data.width] += part.bias[k];
        }
    }
    return total;
}

}  // namespace vaglio
