#pragma once
// Exact ranks of numeric columns: what the trees see of a number is its place among the distinct values.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/large_memory.hpp"

namespace vaglio::tree {

constexpr std::uint32_t missing_rank = 0xFFFFFFFFu;

// A matrix by its strides (in elements), so that neither row nor column order is copied.
struct MatrixView {
    const double* data;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;

    const double* column(std::size_t j) const { return data + static_cast<std::ptrdiff_t>(j) * column_stride; }
};

// The distinct values of a column, ascending, by rank: a list, or read out of the table through a row that has the
// value, which takes half the memory. -0.0 counts as 0.0.
class RankedValues {
 public:
    RankedValues(std::span<const double> list) : list_(list.data()), size_(list.size()) {}
    RankedValues(const std::vector<double>& list) : RankedValues(std::span(list)) {}
    RankedValues(const double* column, std::ptrdiff_t stride, std::span<const std::uint32_t> rows)
        : list_(column), stride_(stride), rows_(rows.data()), size_(rows.size()) {}

    std::size_t size() const { return size_; }
    // The value of a row that has one, whose rank is `rank()`: out of the table without asking for it.
    template <class Rank>
    double of_row(std::size_t row, Rank rank) const {
        return list_[(rows_ ? static_cast<std::ptrdiff_t>(row) : static_cast<std::ptrdiff_t>(rank())) * stride_] + 0.0;
    }
    double operator[](std::size_t rank) const {
        return list_[(rows_ ? static_cast<std::ptrdiff_t>(rows_[rank]) : static_cast<std::ptrdiff_t>(rank)) * stride_] +
               0.0;
    }

 private:
    const double* list_;
    std::ptrdiff_t stride_ = 1;
    const std::uint32_t* rows_ = nullptr;
    std::size_t size_;
};

struct RankedColumns {
    LargeVector<std::uint32_t> ranks;                // column after column; missing_rank for NaN
    std::vector<std::vector<std::uint32_t>> firsts;  // per column and rank the first row of that value
};

RankedColumns rank_columns(const MatrixView& matrix, int threads, Control& control);

// The ranks of some rows of a table, from the ranks of all of them (column after column): nothing is sorted again.
RankedColumns take_ranks(const std::uint32_t* ranks, std::size_t all_rows, std::span<const std::uint64_t> distinct,
                         std::span<const std::int64_t> rows, int threads, Control& control);

}  // namespace vaglio::tree
