#pragma once
// What chance alone explains: of the gain of a nominal feature of many values, and of the classes that a split divides.
#include <cstddef>
#include <cstdint>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio::tree {

// Whether a feature has so many values that its gain is corrected for chance.
bool is_guarded(const NodeContext& context, std::int32_t feature);

// The part of a guarded feature's gain that is expected on other rows, from 0 to 1. Reads the sums, weights and squared
// weights of the first `known` slots of the scratch memory.
double expected_part(const NodeContext& context, const ScanScratch& scratch, std::size_t known);

// P(X > x) for a chi-square variable with the given degrees of freedom.
double chi_square_survival(double x, double degrees);

// p-value of the independence of rows and columns in a table of counts with `columns` columns. Rows and columns
// without counts are left out; 1 where fewer than two of either remain.
double chi_square_test(std::span<const double> table, std::size_t columns);

}  // namespace vaglio::tree
