// Ranks of the columns of any numbers, in any order of memory; and which of any items are the same.
#include <bit>
#include <cmath>

#include "base/distinct.hpp"
#include "input.hpp"

using namespace vaglio;
using namespace vaglio::tree;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    vaglio_fuzz::Input input(data, size);
    const std::size_t columns = input.below(4);
    // Beyond some thousands of rows other digits are sorted by: rows are repeated to get there.
    const std::size_t own = 1 + input.below(60), times = input.byte() == 7 ? 600 : 1, rows = own * times;
    std::vector<double> numbers(rows * columns);
    for (std::size_t i = 0; i < own * columns; ++i) numbers[i] = input.number();
    for (std::size_t i = own * columns; i < numbers.size(); ++i) numbers[i] = numbers[i % (own * columns)];
    const bool by_rows = input.flag();
    const auto row_step = static_cast<std::ptrdiff_t>(by_rows ? columns : 1);
    const auto column_step = static_cast<std::ptrdiff_t>(by_rows ? 1 : rows);
    const MatrixView view{numbers.data(), rows, columns, row_step, column_step};
    Control control;
    const RankedColumns found = rank_columns(view, 1, control);
    PROMISE(found.firsts.size() == columns && found.ranks.size() == rows * columns);
    for (std::size_t j = 0; j < columns; ++j) {
        const RankedValues values(view.column(j), row_step, found.firsts[j]);
        for (std::size_t r = 1; r < values.size(); ++r) PROMISE(values[r - 1] < values[r]);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint32_t rank = found.ranks[j * rows + i];
            const double value = view.column(j)[static_cast<std::ptrdiff_t>(i) * row_step];
            PROMISE(rank == missing_rank ? std::isnan(value) : rank < values.size() && values[rank] == value);
        }
    }
    const std::size_t width = 1 + input.below(20), count = size / width;
    const Distinct same = distinct_items(data, count, width, control);
    PROMISE(same.code.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = static_cast<std::size_t>(same.first[static_cast<std::size_t>(same.code[i])]);
        PROMISE(first <= i && std::memcmp(data + first * width, data + i * width, width) == 0);
    }
    return 0;
}
