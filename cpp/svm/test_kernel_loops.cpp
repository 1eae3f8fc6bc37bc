// Every instruction set this processor has, against plain loops.
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "svm/kernel_loops.hpp"

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
void test_tile(const KernelLoops<T>& loops, KernelKind kind, int d) {
    Random random(static_cast<std::uint64_t>(d));
    const int rows = loops.block_rows, width = loops.panel_width;
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
    loops.tile(spec, block.data(), block_norm.data(), panel.data(), panel_norm.data(), d, tile.data());
    const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
    std::vector<double> coef(static_cast<std::size_t>(rows)), sum(static_cast<std::size_t>(width), 1.0);
    for (double& v : coef) v = normal_like(random);
    loops.add_rows(tile.data(), width, coef.data(), rows, sum.data(), width);
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
    std::vector<T> weights(static_cast<std::size_t>(2 * width)), sums(static_cast<std::size_t>(rows * 2 * loops.lanes));
    for (T& v : weights) v = static_cast<T>(normal_like(random));
    loops.project(tile.data(), weights.data(), width, 2, sums.data());
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 2; ++k) {
            double got = 0, expected = 0;
            for (int i = 0; i < loops.lanes; ++i) got += sums[(r * 2 + k) * loops.lanes + i];
            for (int c = 0; c < width; ++c) expected += double(tile[r * width + c]) * double(weights[k * width + c]);
            CHECK(std::abs(got - expected) <= 50 * tolerance * (1 + std::abs(expected)));
        }
}

// Two points at distance two: both multipliers become one half, the slopes meet.
template <class T>
void test_optimise(const KernelLoops<T>& loops) {
    constexpr int size = 16;
    std::vector<T> kernel(size * size, T{});
    kernel[0] = 1, kernel[1] = -1, kernel[size] = -1, kernel[size + 1] = 1;
    std::vector<double> slope(size, 0.0), beta(size, 0.0), low(size, 0.0), high(size, 0.0), up(size), down(size),
        diagonal(size, 0.0);
    slope[0] = 1, slope[1] = -1, high[0] = 10, low[1] = -10, diagonal[0] = diagonal[1] = 1;
    const WorkingSet<T> set{size,        kernel.data(), slope.data(), beta.data(),    low.data(),
                            high.data(), up.data(),     down.data(),  diagonal.data()};
    CHECK(loops.optimise(set, 1e-9, 100) == 1);
    CHECK(std::abs(beta[0] - 0.5) < 1e-12 && std::abs(beta[1] + 0.5) < 1e-12);
    CHECK(std::abs(slope[0] - slope[1]) < 1e-12);
}

template <class T>
void test_level(const KernelLoops<T>& loops) {
    for (const KernelKind kind : {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf, KernelKind::sigmoid})
        for (const int d : {1, 3, 17}) test_tile(loops, kind, d);
    test_optimise(loops);
}

}  // namespace

int main() {
    const auto test = [](auto table) { test_level(table()); };
    VAGLIO_LEVELS(kernel_table<float>).each(test);
    VAGLIO_LEVELS(kernel_table<double>).each(test);
    return check_result();
}
