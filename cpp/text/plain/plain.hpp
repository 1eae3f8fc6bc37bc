#pragma once
// Delimited text that is written in the plain way, read in one pass: no quotes, and as many fields in every row as
// there are columns. Any other text is not read, nor is a column with anything else in it than its type says: they need
// a reader that knows all ways.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/large_memory.hpp"

namespace vaglio {

// What the fields of a column are: whole numbers, decimal numbers, dates, words, or something that is not read.
enum class FieldType : std::uint8_t { whole, decimal, date, word, other };

struct PlainText {
    std::span<const unsigned char> rows;  // below the names, in UTF-8
    unsigned char delimiter;
    std::vector<FieldType> types;      // of each column
    std::vector<std::string> missing;  // what stands for a missing number or date; none of it is a number
};

// One column: numbers (days since 1970 of a date; NaN is missing), or codes of its words, which are in order.
struct PlainColumn {
    bool plain = true;  // without anything that its type does not say; else nothing else of it holds
    LargeVector<double> numbers;
    LargeVector<std::int32_t> codes;
    std::vector<std::string> words;
};

// The columns of a text; none if it is not plain.
std::vector<PlainColumn> read_plain(const PlainText& text, int threads);

}  // namespace vaglio
