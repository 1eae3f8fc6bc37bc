// The least and the largest number do not depend on the order in which rows are seen, so every thread has ranges of its
// own.
#include "columns/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "columns/range_loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_cells = std::size_t{1} << 17;  // a part that a thread takes: a megabyte
constexpr std::size_t lanes = 8, wide = 64;                // numbers in the widest register; enough to keep it busy
constexpr std::size_t most_joined = 256;                   // columns of rows that are joined to longer ones

const auto widen_ranges = VAGLIO_LEVELS(widen_ranges).best();

// How many rows without a gap are taken for one: then the loop has whole registers, and few of them wait for each
// other.
std::size_t rows_joined(std::size_t columns) {
    if (columns > most_joined) return 1;
    const std::size_t whole = lanes / std::gcd(columns, lanes);
    return whole * ((wide + whole * columns - 1) / (whole * columns));
}

class Pass {
 public:
    explicit Pass(std::size_t columns)
        : columns_(columns),
          joined_(rows_joined(columns)),
          low_(joined_ * columns, std::numeric_limits<double>::infinity()),
          high_(joined_ * columns, -std::numeric_limits<double>::infinity()) {}

    void add(const NumberRows& x, std::size_t begin, std::size_t end) {
        const double* first = x.data + static_cast<std::ptrdiff_t>(begin) * x.row_stride;
        if (x.column_stride == 1) {
            add_rows(first, end - begin, x.row_stride);
        } else {
            for (std::size_t j = 0; j < columns_; ++j) {
                add_column(first + static_cast<std::ptrdiff_t>(j) * x.column_stride, end - begin, x.row_stride, j);
            }
        }
    }

    void add_to(ColumnRanges& found) const {
        found.missing = found.missing || missing_;
        for (std::size_t at = 0; at < low_.size(); ++at) {
            double &low = found.low[at % columns_], &high = found.high[at % columns_];
            low = std::min(low, low_[at]);
            high = std::max(high, high_[at]);
        }
    }

 private:
    void add_rows(const double* x, std::size_t rows, std::ptrdiff_t stride) {
        std::size_t done = 0;
        if (stride == static_cast<std::ptrdiff_t>(columns_)) {
            const std::size_t width = joined_ * columns_;
            done = rows / joined_ * joined_;
            missing_ |=
                widen_ranges(x, rows / joined_, static_cast<std::ptrdiff_t>(width), width, low_.data(), high_.data());
        }
        missing_ |= widen_ranges(x + static_cast<std::ptrdiff_t>(done) * stride, rows - done, stride, columns_,
                                 low_.data(), high_.data());
    }

    void add_column(const double* x, std::size_t rows, std::ptrdiff_t stride, std::size_t column) {
        if (stride != 1) {
            missing_ |= widen_ranges(x, rows, stride, 1, &low_[column], &high_[column]);
            return;
        }
        double low[wide], high[wide];
        std::fill_n(low, wide, low_[column]);
        std::fill_n(high, wide, high_[column]);
        const std::size_t whole = rows / wide;
        missing_ |= widen_ranges(x, whole, wide, wide, low, high);
        missing_ |= widen_ranges(x + whole * wide, 1, 0, rows - whole * wide, low, high);
        low_[column] = *std::min_element(low, low + wide);
        high_[column] = *std::max_element(high, high + wide);
    }

    std::size_t columns_, joined_;
    std::vector<double> low_, high_;
    bool missing_ = false;
};

void finish(ColumnRanges& found) {
    for (std::size_t j = 0; j < found.low.size(); ++j) {
        double &low = found.low[j], &high = found.high[j];
        if (low > high) {
            low = high = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        found.bounded = found.bounded && !std::isinf(low) && !std::isinf(high);
        low += 0.0;
        high += 0.0;
    }
}

}  // namespace

ColumnRanges column_ranges(const NumberRows& x, int threads, const Control& control) {
    if (x.columns == 0) return {};
    const std::size_t rows = std::max<std::size_t>(1, block_cells / x.columns);
    const std::size_t blocks = (x.rows + rows - 1) / rows;
    const std::size_t workers = std::min(static_cast<std::size_t>(std::max(1, threads)), blocks);
    std::vector<Pass> passes(workers, Pass(x.columns));
    parallel_for(static_cast<int>(workers), blocks, [&](std::size_t block, int worker) {
        control.check();
        passes[static_cast<std::size_t>(worker)].add(x, block * rows, std::min(x.rows, (block + 1) * rows));
    });
    ColumnRanges found;
    found.low.assign(x.columns, std::numeric_limits<double>::infinity());
    found.high.assign(x.columns, -std::numeric_limits<double>::infinity());
    for (const Pass& pass : passes) pass.add_to(found);
    finish(found);
    return found;
}

}  // namespace vaglio
