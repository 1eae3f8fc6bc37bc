// The loops of logistic regression on every level this processor can run, against plain loops.
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "linear/row_loops.hpp"

namespace {

using namespace vaglio;

double normal_like(Random& random) { return random.uniform() + random.uniform() + random.uniform() - 1.5; }

void test_rows(const RowLoops& loops, int width, int outputs, int count) {
    Random random(static_cast<std::uint64_t>(width * 100 + outputs));
    const std::size_t stride =
        (static_cast<std::size_t>(width) + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding;
    std::vector<double> rows(static_cast<std::size_t>(width * count) + RowChunk::padding), bias(outputs);
    for (double& v : rows) v = normal_like(random);
    for (double& v : bias) v = normal_like(random);
    std::vector<double> weights(stride * outputs, 0.0);
    for (int k = 0; k < outputs; ++k)
        for (int j = 0; j < width; ++j) weights[k * stride + j] = normal_like(random);
    const RowChunk chunk{rows.data(), static_cast<std::size_t>(width), count, weights.data(), bias.data(), stride,
                         outputs};
    std::vector<double> values(static_cast<std::size_t>(outputs) * RowChunk::most_rows);
    loops.apply(chunk, values.data());
    double expected_loss = 0;
    std::vector<std::int32_t> labels(count);
    const int classes = outputs == 1 ? 2 : outputs;
    std::vector<double> residual(values.size());
    for (int r = 0; r < count; ++r) {
        labels[r] = static_cast<std::int32_t>(random.below(classes));
        std::vector<double> z(classes, 0.0);
        for (int k = 0; k < outputs; ++k) {
            double dot = bias[k];
            for (int j = 0; j < width; ++j) dot += rows[r * width + j] * weights[k * stride + j];
            CHECK(std::abs(values[k * RowChunk::most_rows + r] - dot) < 1e-12);
            z[outputs == 1 ? 1 : k] = dot;
        }
        double total = 0;
        for (const double v : z) total += std::exp(v);
        expected_loss += std::log(total) - z[labels[r]];
        for (int k = 0; k < outputs; ++k) {
            const int own = outputs == 1 ? 1 : k;
            residual[k * RowChunk::most_rows + r] = std::exp(z[own]) / total - (labels[r] == own);
        }
    }
    const double loss = loops.softmax(chunk, labels.data(), nullptr, values.data());
    CHECK(std::abs(loss - expected_loss) < 1e-10 * (1 + expected_loss));
    loops.residuals(chunk, labels.data(), nullptr, values.data());
    std::vector<double> gradient(stride * outputs, 0.0);
    loops.gather(chunk, values.data(), gradient.data());
    for (int k = 0; k < outputs; ++k)
        for (int j = 0; j < width; ++j) {
            double expected = 0;
            for (int r = 0; r < count; ++r) expected += residual[k * RowChunk::most_rows + r] * rows[r * width + j];
            CHECK(std::abs(gradient[k * stride + j] - expected) < 1e-10);
        }
}

void test_products(const RowLoops& loops, std::size_t columns, int count) {
    Random random(columns);
    const std::size_t stride = (columns + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding;
    std::vector<double> rows(stride * count, 0.0), room(rows.size()), share(count), sums(stride * stride, 0.0);
    for (int r = 0; r < count; ++r) {
        share[r] = random.uniform();
        for (std::size_t j = 0; j < columns; ++j) rows[r * stride + j] = normal_like(random);
    }
    loops.multiply({rows.data(), share.data(), room.data(), columns, stride, count}, sums.data());
    for (std::size_t i = 0; i < columns; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double expected = 0;
            for (int r = 0; r < count; ++r) expected += share[r] * rows[r * stride + i] * rows[r * stride + j];
            CHECK(std::abs(sums[i * stride + j] - expected) < 1e-10);
        }
}

void test_row_level(const RowLoops& loops) {
    for (const int width : {1, 7, 8, 30, 41})
        for (const int outputs : {1, 2, 3, 4, 9}) test_rows(loops, width, outputs, 37);
    for (const std::size_t columns : {1, 4, 8, 11, 30, 41}) test_products(loops, columns, 37);
}

}  // namespace

int main() {
    VAGLIO_LEVELS(row_table).each([](auto table) { test_row_level(table()); });
    return check_result();
}
