#pragma once
// The sums of products of all columns with each other, which least squares need of the rows: one pass, and no copy.
#include <span>
#include <vector>

#include "base/control.hpp"
#include "columns/standardise.hpp"

namespace vaglio {

// Rows of numbers, and the number to predict as one more column. A number counts as (x - centre) * unit, a missing one
// as `fill`; units are powers of two, by which no bit is lost.
struct ProductRows {
    NumberRows x;
    std::span<const double> y;
    std::span<const double> weight;        // empty: all one
    std::span<const double> centre, unit;  // of the columns, and of y behind them
    std::span<const double> fill;          // of the columns
};

// A symmetric matrix [columns + 2][columns + 2]: the columns, y, and a column of ones.
std::vector<double> product_sums(const ProductRows& rows, Control& control);

}  // namespace vaglio
