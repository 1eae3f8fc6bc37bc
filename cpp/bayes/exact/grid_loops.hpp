#pragma once
// The inner loop of the sums on a grid, compiled per level (base/dispatch.hpp). Such sums have no order, so that all
// levels give the same bits.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

// What is added up of a row: the deviation from the centre and its square, each rounded to the coarse part of its grid
// and the rest to the fine one. The numbers are those of GridRounding.
struct GridTerms {
    double centre, first_coarse, first_fine, second_coarse, second_fine;
};

// Classes that have registers of their own.
constexpr std::size_t most_grid_classes = 4;
// Per class: deviations, coarse and fine, squares, coarse and fine, and the weight.
constexpr std::size_t grid_sums = 5;

// add_grid_terms adds n rows to the sums [class][grid_sums]; labels are below `classes`, which are few, weights may be
// null, and missing numbers (NaN) add nothing.
VAGLIO_DECLARE_LEVELS(void add_grid_terms(const double* x, const std::int64_t* label, const double* weight,
                                          std::size_t n, std::size_t classes, const GridTerms& grid, double* sums);)

}  // namespace vaglio
