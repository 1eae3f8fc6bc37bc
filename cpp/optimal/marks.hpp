#pragma once
// Columns of two values, as lists instead of codes. Of the two values the rarer is a mark: a row lists the marks it
// has, a handful where a column per category has many rows without one. What a subset gains per mark is a sum over
// these lists; the other value has the rest.
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio::optimal {

class Marks {
 public:
    static constexpr std::uint32_t none = UINT32_MAX;

    Marks() = default;
    // Takes the columns of two codes, 0 and 1; `values` has the number of codes of each column.
    Marks(std::size_t rows, std::span<const std::uint32_t> values, std::span<const std::vector<std::uint32_t>> codes);

    std::size_t size() const { return column_.size(); }
    // The mark of a column, or none if it has other than two values.
    std::uint32_t of_column(std::uint32_t column) const { return of_column_[column]; }
    std::uint32_t column(std::uint32_t mark) const { return column_[mark]; }
    // The code that is marked.
    std::uint32_t code(std::uint32_t mark) const { return code_[mark]; }

    std::span<const std::uint32_t> of_row(std::uint32_t row) const {
        return {marks_.data() + start_[row], start_[row + 1] - start_[row]};
    }

 private:
    std::vector<std::uint32_t> of_column_, column_, code_;
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> marks_;
};

}  // namespace vaglio::optimal
