// Every instruction set this processor has, against plain loops.
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "vaglio/kernel_ops.hpp"
#include "vaglio/levels.hpp"
#include "vaglio/random.hpp"
#include "vaglio/row_ops.hpp"

namespace vaglio {
namespace v1 {
template <class T>
KernelOps<T> table();
RowOps row_table();
}  // namespace v1
#ifdef __x86_64__
namespace v3 {
template <class T>
KernelOps<T> table();
RowOps row_table();
}  // namespace v3
namespace v4 {
template <class T>
KernelOps<T> table();
RowOps row_table();
}  // namespace v4
#endif
}  // namespace vaglio

namespace {

using namespace vaglio;

double normal_like(Random& random) { return random.uniform() + random.uniform() + random.uniform() - 1.5; }

double kernel_of(const KernelSpec& spec, double dot, double norm_a, double norm_b) {
    switch (spec.kind) {
        case KernelKind::rbf:
            return std::exp(-spec.gamma * (norm_a + norm_b - 2 * dot));
        case KernelKind::polynomial:
            return std::pow(spec.gamma * dot + spec.coef0, spec.degree);
        case KernelKind::sigmoid:
            return std::tanh(spec.gamma * dot + spec.coef0);
        default:
            return dot;
    }
}

template <class T>
void test_tile(const KernelOps<T>& ops, KernelKind kind, int d) {
    Random random(static_cast<std::uint64_t>(d));
    const int rows = ops.block_rows, width = ops.panel_width;
    std::vector<T> block(static_cast<std::size_t>(rows * d)), panel(static_cast<std::size_t>(width * d));
    for (T& v : block) v = static_cast<T>(normal_like(random));
    for (T& v : panel) v = static_cast<T>(normal_like(random));
    std::vector<T> block_norm(static_cast<std::size_t>(rows)), panel_norm(static_cast<std::size_t>(width));
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < d; ++k) block_norm[r] += block[k * rows + r] * block[k * rows + r];
    for (int c = 0; c < width; ++c)
        for (int k = 0; k < d; ++k) panel_norm[c] += panel[k * width + c] * panel[k * width + c];
    const KernelSpec spec{kind, 0.3, 0.5, 3};
    std::vector<T> tile(static_cast<std::size_t>(rows * width));
    ops.tile(spec, block.data(), block_norm.data(), panel.data(), panel_norm.data(), d, tile.data());
    const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
    std::vector<double> coef(static_cast<std::size_t>(rows)), sum(static_cast<std::size_t>(width), 1.0);
    for (double& v : coef) v = normal_like(random);
    ops.add_rows(tile.data(), width, coef.data(), rows, sum.data(), width);
    for (int c = 0; c < width; ++c) {
        double expected_sum = 1.0;
        for (int r = 0; r < rows; ++r) {
            double dot = 0;
            for (int k = 0; k < d; ++k) dot += double(block[k * rows + r]) * double(panel[k * width + c]);
            const double expected = kernel_of(spec, dot, block_norm[r], panel_norm[c]);
            CHECK(std::abs(tile[r * width + c] - expected) <= tolerance * (1 + std::abs(expected)));
            expected_sum += coef[r] * double(tile[r * width + c]);
        }
        CHECK(std::abs(sum[c] - expected_sum) <= 1e-12 * (1 + std::abs(expected_sum)));
    }
    std::vector<T> weights(static_cast<std::size_t>(2 * width)), sums(static_cast<std::size_t>(rows * 2 * ops.lanes));
    for (T& v : weights) v = static_cast<T>(normal_like(random));
    ops.project(tile.data(), weights.data(), width, 2, sums.data());
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 2; ++k) {
            double got = 0, expected = 0;
            for (int i = 0; i < ops.lanes; ++i) got += sums[(r * 2 + k) * ops.lanes + i];
            for (int c = 0; c < width; ++c) expected += double(tile[r * width + c]) * double(weights[k * width + c]);
            CHECK(std::abs(got - expected) <= 50 * tolerance * (1 + std::abs(expected)));
        }
}

// Two points at distance two: both multipliers become one half, the slopes meet.
template <class T>
void test_optimise(const KernelOps<T>& ops) {
    constexpr int size = 16;
    std::vector<T> kernel(size * size, T{});
    kernel[0] = 1, kernel[1] = -1, kernel[size] = -1, kernel[size + 1] = 1;
    std::vector<double> slope(size, 0.0), beta(size, 0.0), low(size, 0.0), high(size, 0.0), up(size), down(size),
        diagonal(size, 0.0);
    slope[0] = 1, slope[1] = -1, high[0] = 10, low[1] = -10, diagonal[0] = diagonal[1] = 1;
    const WorkingSet<T> set{size,        kernel.data(), slope.data(), beta.data(),    low.data(),
                            high.data(), up.data(),     down.data(),  diagonal.data()};
    CHECK(ops.optimise(set, 1e-9, 100) == 1);
    CHECK(std::abs(beta[0] - 0.5) < 1e-12 && std::abs(beta[1] + 0.5) < 1e-12);
    CHECK(std::abs(slope[0] - slope[1]) < 1e-12);
}

template <class T>
void test_level(const KernelOps<T>& ops) {
    for (const KernelKind kind : {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf, KernelKind::sigmoid})
        for (const int d : {1, 3, 17}) test_tile(ops, kind, d);
    test_optimise(ops);
}

void test_rows(const RowOps& ops, int width, int outputs, int count) {
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
    ops.apply(chunk, values.data());
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
    const double loss = ops.softmax(chunk, labels.data(), nullptr, values.data());
    CHECK(std::abs(loss - expected_loss) < 1e-10 * (1 + expected_loss));
    std::vector<double> gradient(stride * outputs, 0.0);
    ops.gather(chunk, values.data(), gradient.data());
    for (int k = 0; k < outputs; ++k)
        for (int j = 0; j < width; ++j) {
            double expected = 0;
            for (int r = 0; r < count; ++r) expected += residual[k * RowChunk::most_rows + r] * rows[r * width + j];
            CHECK(std::abs(gradient[k * stride + j] - expected) < 1e-10);
        }
}

void test_row_level(const RowOps& ops) {
    for (const int width : {1, 7, 8, 30, 41})
        for (const int outputs : {1, 2, 3, 4, 9}) test_rows(ops, width, outputs, 37);
}

}  // namespace

int main() {
    test_level(v1::table<float>());
    test_level(v1::table<double>());
    test_row_level(v1::row_table());
#ifdef __x86_64__
    if (x86_level() >= 3) {
        test_level(v3::table<float>());
        test_level(v3::table<double>());
        test_row_level(v3::row_table());
    }
    if (x86_level() >= 4) {
        test_level(v4::table<float>());
        test_level(v4::table<double>());
        test_row_level(v4::row_table());
    }
#endif
    return check_result();
}
