#pragma once
// What the four parts gain that one cut per side makes of a table of cells, for all pairs of cuts.
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio::additive {

// Sums of all cells before a corner: line i has those of the first i slots of one side, column j those of the first j
// of the other. Lines are `stride` numbers long, a multiple of eight; behind the last corner the numbers of rows are
// NaN.
struct CrossTask {
    std::size_t lines, last, stride;  // the number of the last line and of the last column
    const double *gradient, *hessian, *rows;
    double l2, least_rows, least_hessian;
};

// The best cut of one part of a table: what both sides of it gain, and where it is.
struct BestCuts {
    double *gain, *at;
};

// Of the lines before line i, and from it on: the best cut of their columns. Of the columns before column j, and from
// it on: the best cut of their lines. -1 where no cut leaves enough on both sides; of equal ones the first.
struct CrossCuts {
    BestCuts before_line, after_line, before_column, after_column;
};

VAGLIO_DECLARE_LEVELS(void best_crosses(const CrossTask& task, const CrossCuts& cuts);)

}  // namespace vaglio::additive
