#include "optimal/marks.hpp"

#include <algorithm>

namespace vaglio::optimal {

Marks::Marks(std::size_t rows, std::span<const std::uint32_t> values, std::span<const std::vector<std::uint32_t>> codes)
    : of_column_(values.size(), none), start_(rows + 1, 0) {
    for (std::uint32_t c = 0; c < values.size(); ++c) {
        if (values[c] != 2) continue;
        const auto second = static_cast<std::size_t>(std::count(codes[c].begin(), codes[c].end(), 1u));
        of_column_[c] = static_cast<std::uint32_t>(column_.size());
        column_.push_back(c);
        code_.push_back(second <= rows - second ? 1 : 0);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::uint32_t mark = 0; mark < column_.size(); ++mark)
            if (codes[column_[mark]][row] == code_[mark]) marks_.push_back(mark);
        start_[row + 1] = marks_.size();
    }
}

}  // namespace vaglio::optimal
