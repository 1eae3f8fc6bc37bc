#pragma once
// Exact ranks of numeric columns: what the trees see of a number is its place among the distinct values.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vaglio/control.hpp"

namespace vaglio {

constexpr std::uint32_t missing_rank = 0xFFFFFFFFu;

// A matrix by its strides (in elements), so that neither row nor column order is copied.
struct MatrixView {
    const double* data;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;
};

struct RankedColumns {
    std::vector<std::uint32_t> ranks;         // column after column; missing_rank for NaN
    std::vector<std::vector<double>> values;  // per column the distinct values, ascending; -0.0 counts as 0.0
};

RankedColumns rank_columns(const MatrixView& matrix, int threads, Control& control);

}  // namespace vaglio
