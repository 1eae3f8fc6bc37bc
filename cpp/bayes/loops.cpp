// The inner loops of the Bayesian learners, compiled per level (base/dispatch.hpp).
#include "bayes/loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Real = Vector<double>;
constexpr std::size_t step = width<double>;
constexpr std::size_t block = 8;  // sums side by side on every level, so that all add up in the same order

VAGLIO_INLINE void add_kernels(const double* values, const double* weights, const KernelQuery& query, Real* sums) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < block / step; ++v) {
        const Real t = (query.x - load<Real>(values + v * step)) * query.inverse;
        sums[v] = sums[v] + load<Real>(weights + v * step) * exponential<double>(query.least - 0.5 * t * t);
    }
}

VAGLIO_INLINE double total(const Real* sums) {
    double each[block];
    for (std::size_t v = 0; v < block / step; ++v) store(each + v * step, sums[v]);
    return ((each[0] + each[1]) + (each[2] + each[3])) + ((each[4] + each[5]) + (each[6] + each[7]));
}

}  // namespace

void add_row(const double* __restrict x, double w, std::size_t columns, const MomentCells& cells) {
    const double* __restrict shift = cells.shift;
    double* __restrict weight = cells.weight;
    double* __restrict sum = cells.sum;
    double* __restrict square = cells.square;
    for (std::size_t j = 0; j < columns; ++j) {
        const double d = x[j] - shift[j];
        const bool present = d == d;
        const double v = present ? d : 0.0;
        const double wv = w * v;
        weight[j] += present ? w : 0.0;
        sum[j] += wv;
        square[j] += wv * v;
    }
}

void add_gaussian(const double* __restrict x, std::size_t n, const GaussianTerm& term, double* __restrict sum) {
    const auto [mean, scale, normaliser] = term;
    for (std::size_t i = 0; i < n; ++i) {
        const double d = x[i] - mean;
        const double value = normaliser - d * d * scale;
        sum[i] += x[i] == x[i] ? value : 0.0;
    }
}

double sum_kernels(const double* values, const double* weights, std::size_t n, const KernelQuery& query) {
    Real sums[block / step] = {};
    std::size_t i = 0;
    for (; i + block <= n; i += block) add_kernels(values + i, weights + i, query, sums);
    if (i < n) {
        double last_values[block], last_weights[block];
        for (std::size_t l = 0; l < block; ++l) {
            last_values[l] = values[i + l < n ? i + l : n - 1];
            last_weights[l] = i + l < n ? weights[i + l] : 0.0;
        }
        add_kernels(last_values, last_weights, query, sums);
    }
    return total(sums);
}

double sum_series(const KernelSeries& series, std::size_t first, std::size_t last, double x) {
    constexpr double farthest = 40;  // where a kernel is 0 and a power of the distance still a number
    Real sums[block / step] = {};
    for (std::size_t i = first; i < last; i += block) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < block / step; ++v) {
            const std::size_t at = i + v * step;
            Real u = (x - load<Real>(series.centres + at)) * series.inverse;
            u = larger(smaller(u, Real{} + farthest), Real{} - farthest);
            const double* power = series.coefficients + (KernelSeries::terms - 1) * series.stride + at;
            Real sum = load<Real>(power);
#pragma GCC unroll 18
            for (std::size_t k = 1; k < KernelSeries::terms; ++k) sum = sum * u + load<Real>(power - k * series.stride);
            sums[v] = sums[v] + sum * exponential<double>(-0.5 * u * u);
        }
    }
    return total(sums);
}

}  // namespace vaglio::VAGLIO_LEVEL
