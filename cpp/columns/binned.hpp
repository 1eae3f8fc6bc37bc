#pragma once
// Columns of bins: numbers as the bin they fall into, categories as codes, in as few bytes as they need. Every grower
// on bins reads them, of trees (tree/binned) as of boosting.
#include <cstddef>
#include <cstdint>

#include "columns/cutting.hpp"

namespace vaglio {

// Where a feature is in a table, whose numeric and nominal columns lie in blocks of their own.
struct Feature {
    bool nominal;
    std::uint32_t column;  // within its block
};

// The bytes of a code of a column with so many bins; the code of a missing value comes after them.
inline std::uint8_t code_bytes(std::uint32_t bins) { return bins <= 0xFF ? 1 : bins <= 0xFFFF ? 2 : 4; }

struct BinnedColumn {
    const void* codes = nullptr;
    std::uint8_t bytes = 1;   // of a code: 1, 2 or 4
    std::uint32_t bins = 0;   // known codes are below; this one is a missing value
    bool has_missing = true;  // false: no row of the table misses the value

    std::uint32_t at(std::size_t row) const {
        if (bytes == 1) return static_cast<const std::uint8_t*>(codes)[row];
        if (bytes == 2) return static_cast<const std::uint16_t*>(codes)[row];
        return static_cast<const std::uint32_t*>(codes)[row];
    }
};

// Calls use(codes) with the codes as what they are.
template <class Use>
decltype(auto) with_codes(const BinnedColumn& column, Use use) {
    if (column.bytes == 1) return use(static_cast<const std::uint8_t*>(column.codes));
    if (column.bytes == 2) return use(static_cast<const std::uint16_t*>(column.codes));
    return use(static_cast<const std::uint32_t*>(column.codes));
}

// The codes of the rows [first, end) of a numeric column with these cuts; `value(i)` is a number, NaN a missing one. A
// bin has the numbers up to its upper cut or, if strict, below it.
template <class Code, class Value>
void code_numbers(std::span<const double> cuts, bool strict, std::size_t first, std::size_t end, Value value,
                  Code* codes) {
    const auto missing = static_cast<Code>(cuts.size() + 1);
    const auto put = [&](std::size_t i, double x, std::size_t place) {
        codes[i] = x != x ? missing : static_cast<Code>(place);
    };
    if (strict) {
        count_cuts<true>(cuts, first, end, value, put);
    } else {
        count_cuts<false>(cuts, first, end, value, put);
    }
}

// The codes of the rows of a nominal column, in which a missing value is negative.
template <class Code>
void code_categories(const std::int32_t* categories, std::size_t rows, std::uint32_t bins, Code* codes) {
    for (std::size_t i = 0; i < rows; ++i)
        codes[i] = static_cast<Code>(categories[i] < 0 ? bins : static_cast<std::uint32_t>(categories[i]));
}

}  // namespace vaglio
