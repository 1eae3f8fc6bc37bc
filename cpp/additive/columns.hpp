#pragma once
// The rows as terms see them: a column with the slot of each row. Steps are added to rows and derivatives to slots, for
// several columns side by side.
#include <cstddef>
#include <cstdint>
#include <span>

#include "boosting/fixed_point.hpp"

namespace vaglio::additive {

struct SlotColumn {
    const void* data = nullptr;
    bool wide = false;        // words instead of bytes
    std::uint32_t slots = 0;  // how many there are
};

struct ColumnValues {
    SlotColumn column;
    const double* values;  // per slot
};

struct ColumnSums {
    SlotColumn column;
    boosting::GradientSums* sums;  // per slot
};

// Adds the values of some rows, from `first` on, to `to`, whose first number is that of the first row. One column comes
// after the other, so that a number has the same bits however many are read side by side.
void add_values(std::span<const ColumnValues> columns, std::size_t first, std::size_t rows, double* to);

// Adds the derivatives of some rows to their slots.
void add_derivatives(std::span<const ColumnSums> columns, std::size_t first, std::size_t rows,
                     const boosting::RowGradient* derivatives);

}  // namespace vaglio::additive
