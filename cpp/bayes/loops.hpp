#pragma once
// The inner loops of the Bayesian learners, compiled per level (base/dispatch.hpp). Every lane works for itself, so all
// levels give the same bits.
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio {

// The sums of one class, one number per column in each: shifted values are added to `sum`, their squares to `square`.
struct MomentCells {
    const double* shift;
    double *weight, *sum, *square;
};

// A normal density as naive Bayes adds it up: normaliser - (x - mean)^2 * scale.
struct GaussianTerm {
    double mean, scale, normaliser;
};

// Where a kernel density is asked for: the query, 1 / bandwidth, and the exponent of the nearest value.
struct KernelQuery {
    double x, inverse, least;
};

// Sums of kernels as series around the centres of cells: the terms [power][cell]. Behind the last cell there is room
// for `padding` more, with terms of zero.
struct KernelSeries {
    static constexpr std::size_t terms = 18, padding = 8;
    const double *centres, *coefficients;
    std::size_t stride;
    double inverse;  // 1 / bandwidth
};

// add_row adds one row of weight w to the cells of its class. add_gaussian adds the term of one class for n rows. A
// missing value (NaN) adds nothing. sum_kernels adds up n > 0 weights, each times its kernel relative to the nearest
// one; sum_series the kernels of the cells from `first` to `last`, and of up to seven after them.
VAGLIO_DECLARE_LEVELS(void add_row(const double* x, double w, std::size_t columns, const MomentCells& cells);
                      void add_gaussian(const double* x, std::size_t n, const GaussianTerm& term, double* sum);
                      double sum_kernels(const double* values, const double* weights, std::size_t n,
                                         const KernelQuery& query);
                      double sum_series(const KernelSeries& series, std::size_t first, std::size_t last, double x);)

}  // namespace vaglio
