#pragma once
// The chi-square test of independence, with its own survival function.
#include <cstddef>
#include <span>

namespace vaglio {

// P(X > x) for a chi-square variable with the given degrees of freedom.
double chi_square_survival(double x, double degrees);

// p-value of the independence of rows and columns in a table of counts with `columns` columns. Rows and columns
// without counts are left out; 1 where fewer than two of either remain.
double chi_square_test(std::span<const double> table, std::size_t columns);

}  // namespace vaglio
