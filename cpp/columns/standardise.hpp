#pragma once
// Numbers without their centre, in units of their scale.
#include <cstddef>
#include <span>

#include "base/large_memory.hpp"

namespace vaglio {

// Rows of numbers in any order in memory.
struct NumberRows {
    const double* data;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;
};

// (x - centre) / scale of every number, rows one after the other; `fill` where that is no number.
LargeVector<double> standardised(const NumberRows& x, std::span<const double> centre, std::span<const double> scale,
                                 std::span<const double> fill);

}  // namespace vaglio
