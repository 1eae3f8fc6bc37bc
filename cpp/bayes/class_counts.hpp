#pragma once
// Weight of every class beside every value of a column: by category code, or by number.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "bayes/moments.hpp"

namespace vaglio {

// Columns of category codes with any strides (in elements); a code outside [0, categories) is missing.
struct StridedCodes {
    const std::int32_t* data;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;
};

// One table [class][category] per column, one after the other in column order.
std::vector<double> code_counts(const StridedCodes& codes, const std::int64_t* categories, const std::int64_t* label,
                                const double* weight, std::size_t classes, int threads, const Control& control);

// The distinct (value, class) pairs of a numeric column, by value and then class, with the weight of each.
struct ValueCounts {
    std::vector<double> value, weight;
    std::vector<std::int32_t> label;
};

// One per column of x; missing values are left out.
std::vector<ValueCounts> value_counts(const StridedRows& x, const std::int64_t* label, const double* weight,
                                      int threads, const Control& control);

}  // namespace vaglio
