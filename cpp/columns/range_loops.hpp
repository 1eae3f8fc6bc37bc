#pragma once
// The inner loop of the ranges of columns, compiled per level (base/dispatch.hpp).
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio {

// widen_ranges lowers `low` and raises `high`, one number per column of each, to hold all numbers of some rows, of
// which the next is `stride` numbers further. NaN changes neither: the result says whether there was one.
VAGLIO_DECLARE_LEVELS(bool widen_ranges(const double* x, std::size_t rows, std::ptrdiff_t stride, std::size_t columns,
                                        double* low, double* high);)

}  // namespace vaglio
