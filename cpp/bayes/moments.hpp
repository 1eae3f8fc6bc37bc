#pragma once
// Weight, mean and sum of squared deviations of every column within every class, in one pass over the rows.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

// Rows of doubles with any strides (in elements); NaN is a missing value.
struct StridedRows {
    const double* data;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;

    double at(std::size_t row, std::size_t column) const {
        return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                    static_cast<std::ptrdiff_t>(column) * column_stride];
    }
};

// All three are [class][column]. Moments of two parts of a table merge into those of the whole.
struct Moments {
    std::size_t classes = 0, columns = 0;
    std::vector<double> weight, mean, deviation;

    Moments() = default;
    Moments(std::size_t n_classes, std::size_t n_columns);
    void merge(const Moments& other);
};

// `label` holds a class in [0, classes) per row; `weight` one weight per row, or null when all are one. Missing
// values are left out. Blocks are fixed by the shape of the table and merged in order, so the result does not
// depend on the number of threads.
Moments class_moments(const StridedRows& x, const std::int64_t* label, const double* weight, std::size_t classes,
                      int threads, const Control& control);

}  // namespace vaglio
