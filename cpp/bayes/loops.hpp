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

// add_row adds one row of weight w to the cells of its class. add_gaussian adds the term of one class for n rows. A
// missing value (NaN) adds nothing.
VAGLIO_DECLARE_LEVELS(void add_row(const double* x, double w, std::size_t columns, const MomentCells& cells);
                      void add_gaussian(const double* x, std::size_t n, const GaussianTerm& term, double* sum);)

}  // namespace vaglio
