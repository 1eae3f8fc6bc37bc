// The inner loops of the Bayesian learners, compiled per level (base/dispatch.hpp).
#include "bayes/loops.hpp"

namespace vaglio::VAGLIO_LEVEL {

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

}  // namespace vaglio::VAGLIO_LEVEL
