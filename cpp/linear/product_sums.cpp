#include "linear/product_sums.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "linear/row_loops.hpp"

namespace vaglio {
namespace {

// Numbers of a block of rows, which stays in the cache while its products are taken.
constexpr std::size_t block_numbers = std::size_t{1} << 14;
constexpr std::size_t least_rows = 16, most_rows = RowChunk::most_rows;

class Summing {
 public:
    explicit Summing(const ProductRows& rows)
        : rows_(rows),
          columns_(rows.x.columns + 2),
          stride_((columns_ + RowChunk::padding - 1) / RowChunk::padding * RowChunk::padding),
          block_rows_(std::clamp(block_numbers / stride_, least_rows, most_rows)),
          moved_(columns_ - 1),
          block_(block_rows_ * stride_, 0.0),
          room_(block_.size()),
          sums_(stride_ * stride_, 0.0) {
        // By a power of two, x * unit - centre * unit is (x - centre) * unit, and no difference can be infinite.
        for (std::size_t j = 0; j < moved_.size(); ++j) moved_[j] = rows.centre[j] * rows.unit[j];
        for (std::size_t i = 0; i < block_rows_; ++i) block_[i * stride_ + columns_ - 1] = 1.0;
        share_.fill(1.0);
    }

    std::vector<double> all(Control& control) {
        for (std::size_t first = 0; first < rows_.x.rows; first += block_rows_) {
            control.check();
            add(first, std::min(block_rows_, rows_.x.rows - first));
        }
        std::vector<double> found(columns_ * columns_);
        for (std::size_t i = 0; i < columns_; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                found[i * columns_ + j] = found[j * columns_ + i] = sums_[i * stride_ + j];
        return found;
    }

 private:
    void add(std::size_t first, std::size_t n) {
        const NumberRows& x = rows_.x;
        const std::size_t p = x.columns;
        const double* from = x.data + static_cast<std::ptrdiff_t>(first) * x.row_stride;
        const int count = static_cast<int>(n);
        PlacedRows placed{from,  x.row_stride,  p,      rows_.unit.data(), moved_.data(), rows_.fill.data(),
                          count, block_.data(), stride_};
        if (x.column_stride != 1) {
            for (std::size_t j = 0; j < p; ++j)
                for (std::size_t i = 0; i < n; ++i)
                    block_[i * stride_ + j] = from[static_cast<std::ptrdiff_t>(i) * x.row_stride +
                                                   static_cast<std::ptrdiff_t>(j) * x.column_stride];
            placed.rows = block_.data(), placed.pitch = static_cast<std::ptrdiff_t>(stride_);
        }
        row_loops().place(placed);
        for (std::size_t i = 0; i < n; ++i) block_[i * stride_ + p] = rows_.y[first + i] * rows_.unit[p] - moved_[p];
        if (!rows_.weight.empty()) std::copy_n(rows_.weight.data() + first, n, share_.data());
        row_loops().multiply({block_.data(), share_.data(), room_.data(), columns_, stride_, count}, sums_.data());
    }

    const ProductRows& rows_;
    std::size_t columns_, stride_, block_rows_;
    std::vector<double> moved_, block_, room_, sums_;
    std::array<double, most_rows> share_;
};

}  // namespace

std::vector<double> product_sums(const ProductRows& rows, Control& control) { return Summing(rows).all(control); }

}  // namespace vaglio
