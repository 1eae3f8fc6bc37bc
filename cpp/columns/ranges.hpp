#pragma once
// The range of every column of numbers, and whether a number is missing or infinite: one pass over the rows.
#include <vector>

#include "base/control.hpp"
#include "columns/standardise.hpp"

namespace vaglio {

struct ColumnRanges {
    std::vector<double> low, high;  // NaN for a column without numbers; no negative zero
    bool missing = false;           // whether there is a NaN
    bool bounded = true;            // whether no number is infinite
};

ColumnRanges column_ranges(const NumberRows& x, int threads, const Control& control);

}  // namespace vaglio
