#pragma once
// Delimited text that is written in the plain way, read in one pass: no quotes, as many fields in every row as there
// are columns, and nothing in a column but what its type says. Any other text is not read: it needs a reader that knows
// all ways.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/large_memory.hpp"

namespace vaglio {

// What the fields of a column are: whole numbers, decimal numbers, dates, or words.
enum class FieldType : std::uint8_t { whole, decimal, date, word };

struct PlainText {
    std::span<const unsigned char> rows;  // below the names, in UTF-8
    unsigned char delimiter;
    std::vector<FieldType> types;      // of each column
    std::vector<std::string> missing;  // what stands for a missing number or date; none of it is a number
};

// One column: numbers (days since 1970 of a date; NaN is missing), or codes of its words, which are in order.
struct PlainColumn {
    LargeVector<double> numbers;
    LargeVector<std::int32_t> codes;
    std::vector<std::string> words;
};

// The columns of a text; none if it is not plain.
std::vector<PlainColumn> read_plain(const PlainText& text, int threads);

}  // namespace vaglio
