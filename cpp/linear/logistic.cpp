// Rows are cut into parts that depend on their number alone, and the sums of the parts are added in order: the same
// bits for any number of threads.
#include "linear/logistic.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "linear/row_loops.hpp"

namespace vaglio {
namespace {

std::size_t padded(std::size_t width) {
    return (width + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding;
}

// Weights as RowLoops wants them: rows padded with zeros, the bias apart.
struct Weights {
    std::size_t stride;
    std::vector<double> values, bias;

    Weights(const double* coef, std::size_t width, int outputs)
        : stride(padded(width)),
          values(stride * static_cast<std::size_t>(outputs), 0.0),
          bias(static_cast<std::size_t>(outputs)) {
        for (std::size_t k = 0; k < bias.size(); ++k) {
            std::copy_n(coef + k * (width + 1), width, values.data() + k * stride);
            bias[k] = coef[k * (width + 1) + width];
        }
    }
};

// What the curvature is made of: for every two classes the products of columns, weighed by the product of the
// probabilities of both. The block of a class with itself is the sum of those with the others.
struct Products {
    std::size_t outputs, classes, columns, stride;

    Products(std::size_t functions, std::size_t width)
        : outputs(functions),
          classes(std::max<std::size_t>(outputs, 2)),
          columns(width + 1),
          stride(padded(width + 1)) {}
    std::size_t pairs() const { return classes * (classes - 1) / 2; }
    std::size_t size() const { return pairs() * stride * stride; }

    std::vector<double> hessian(const std::vector<double>& sums) const {
        const std::size_t side = outputs * columns;
        std::vector<double> whole(side * side, 0.0);
        const double* pair = sums.data();
        for (std::size_t k = 0; k < classes; ++k)
            for (std::size_t l = k + 1; l < classes; ++l, pair += stride * stride)
                for (std::size_t i = 0; i < columns; ++i)
                    for (std::size_t j = 0; j < columns; ++j) {
                        const double product = pair[std::max(i, j) * stride + std::min(i, j)];
                        const auto add = [&](std::size_t a, std::size_t b, double value) {
                            whole[(a * columns + i) * side + b * columns + j] += value;
                        };
                        add(k, k, product);
                        if (outputs == 1) continue;
                        add(l, l, product);
                        add(k, l, -product);
                        add(l, k, -product);
                    }
        return whole;
    }
};

struct Part {
    double loss = 0;
    std::vector<double> gradient, bias, products;
};

// Room for one chunk of rows.
struct Room {
    std::vector<double> values, copy, wide, scaled;
};

class Pass {
 public:
    Pass(const LogisticData& data, const Weights& weights, const Products* products)
        : data_(data), weights_(weights), products_(products), outputs_(static_cast<int>(weights.bias.size())) {}

    Part over(std::size_t first, std::size_t last) const {
        Part part{0, std::vector<double>(weights_.values.size(), 0.0), std::vector<double>(weights_.bias.size(), 0.0),
                  std::vector<double>(products_ ? products_->size() : 0, 0.0)};
        Room room;
        room.values.resize(static_cast<std::size_t>(outputs_) * RowChunk::most_rows);
        if (products_) {
            room.wide.resize(products_->stride * RowChunk::most_rows, 0.0);
            room.scaled.resize(room.wide.size());
        }
        for (std::size_t at = first; at < last; at += RowChunk::most_rows) {
            const int count = static_cast<int>(std::min<std::size_t>(RowChunk::most_rows, last - at));
            const double* rows = data_.rows + at * data_.width;
            // Vectors reach beyond a row's end; the last rows of the table are read from a copy with room behind it.
            if ((at + count) * data_.width + RowChunk::padding > data_.n * data_.width) {
                room.copy.assign(rows, rows + count * data_.width);
                room.copy.resize(room.copy.size() + RowChunk::padding, 0.0);
                rows = room.copy.data();
            }
            add_chunk(
                {rows, data_.width, count, weights_.values.data(), weights_.bias.data(), weights_.stride, outputs_}, at,
                room, part);
        }
        return part;
    }

 private:
    void add_chunk(const RowChunk& chunk, std::size_t at, Room& room, Part& part) const {
        const RowLoops& loops = row_loops();
        double* values = room.values.data();
        loops.apply(chunk, values);
        const std::int32_t* labels = data_.labels.data() + at;
        const double* weight = data_.weight.empty() ? nullptr : data_.weight.data() + at;
        part.loss += loops.softmax(chunk, labels, weight, values);
        if (products_) add_products(chunk, weight, room, part.products.data());
        loops.residuals(chunk, labels, weight, values);
        loops.gather(chunk, values, part.gradient.data());
        for (int k = 0; k < outputs_; ++k)
            for (int r = 0; r < chunk.count; ++r) part.bias[k] += values[k * RowChunk::most_rows + r];
    }

    void add_products(const RowChunk& chunk, const double* weight, Room& room, double* sums) const {
        const std::size_t stride = products_->stride;
        for (int r = 0; r < chunk.count; ++r) {
            double* to = room.wide.data() + r * stride;
            std::copy_n(chunk.rows + r * chunk.width, chunk.width, to);
            to[chunk.width] = 1.0;
        }
        double share[RowChunk::most_rows];
        const WeighedRows rows{room.wide.data(), share, room.scaled.data(), products_->columns, stride, chunk.count};
        for (std::size_t k = 0; k < products_->classes; ++k)
            for (std::size_t l = k + 1; l < products_->classes; ++l, sums += stride * stride) {
                const double* first = room.values.data() + k * RowChunk::most_rows;
                const double* second = room.values.data() + l * RowChunk::most_rows;
                for (int r = 0; r < chunk.count; ++r)
                    share[r] = (weight ? weight[r] : 1.0) * first[r] * (outputs_ == 1 ? 1.0 - first[r] : second[r]);
                row_loops().multiply(rows, sums);
            }
    }

    const LogisticData& data_;
    const Weights& weights_;
    const Products* products_;
    int outputs_;
};

// Rows of a part: at most 64 parts, whatever the number of threads, for the same sums in the same order; fewer where
// the products of all parts would fill the memory.
std::size_t part_rows(std::size_t n, std::size_t products) {
    constexpr std::size_t smallest = 32 * RowChunk::most_rows, memory = std::size_t{1} << 25;  // 256 MB of doubles
    const std::size_t most = std::clamp<std::size_t>(memory / std::max<std::size_t>(products, 1), 1, 64);
    return std::max(smallest, (n / most / RowChunk::most_rows + 1) * RowChunk::most_rows);
}

}  // namespace

LogisticPass logistic_pass(const LogisticData& data, const double* coef, int outputs, bool curved, int threads,
                           Control& control) {
    const Weights weights(coef, data.width, outputs);
    const Products products(static_cast<std::size_t>(outputs), data.width);
    const Pass pass(data, weights, curved ? &products : nullptr);
    const std::size_t rows = part_rows(data.n, curved ? products.size() : 0);
    std::vector<Part> parts((data.n + rows - 1) / rows);
    parallel_for(threads, parts.size(), [&](std::size_t p, int) {
        control.check();
        parts[p] = pass.over(p * rows, std::min(data.n, (p + 1) * rows));
    });
    LogisticPass total;
    total.gradient.assign(static_cast<std::size_t>(outputs) * (data.width + 1), 0.0);
    std::vector<double> sums(curved ? products.size() : 0, 0.0);
    for (const Part& part : parts) {
        total.loss += part.loss;
        for (std::size_t k = 0; k < weights.bias.size(); ++k) {
            double* to = total.gradient.data() + k * (data.width + 1);
            for (std::size_t j = 0; j < data.width; ++j) to[j] += part.gradient[k * weights.stride + j];
            to[data.width] += part.bias[k];
        }
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part.products[i];
    }
    if (curved) total.hessian = products.hessian(sums);
    return total;
}

}  // namespace vaglio
