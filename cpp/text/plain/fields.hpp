#pragma once
// The fields of one column of a block of lines, one after the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "text/plain/number.hpp"
#include "text/plain/words.hpp"

namespace vaglio {

// Where the fields of a column are. At least `bytes_before` bytes before the block can be read.
struct Fields {
    static constexpr std::size_t bytes_before = 16;

    const unsigned char* text;
    const std::uint32_t* ends;  // of all fields of the block; before the first of them is the place before the text
    std::size_t rows, columns, column;

    // Calls use(row, begin, end) for each row until it returns false; returns whether it never did. The carriage
    // return of a line end is no part of a field.
    template <class Use>
    bool each(const Use& use) const {
        const std::uint32_t* at = ends + column;
        const bool is_last = column + 1 == columns;
        for (std::size_t row = 0; row < rows; ++row, at += columns) {
            const unsigned char* const begin = text + static_cast<std::uint32_t>(at[-1] + 1);
            const unsigned char* end = text + at[0];
            if (is_last) end -= end > begin && end[-1] == '\r';
            if (!use(row, begin, end)) return false;
        }
        return true;
    }
};

// Reads numbers or dates by one of the functions of number.hpp; false if a field is neither that nor missing.
template <auto read>
bool read_numbers(const Fields& fields, const std::vector<std::string>& missing, double* out) {
    return fields.each([&](std::size_t row, const unsigned char* begin, const unsigned char* end) {
        if (read(begin, end, out[row])) return true;
        const std::string_view field(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin));
        out[row] = std::numeric_limits<double>::quiet_NaN();
        return std::find(missing.begin(), missing.end(), field) != missing.end();
    });
}

inline bool read_words(const Fields& fields, WordTable& table, std::int32_t* out) {
    return fields.each([&](std::size_t row, const unsigned char* begin, const unsigned char* end) {
        out[row] = table.number(make_word(begin, static_cast<std::uint32_t>(end - begin)));
        return true;
    });
}

}  // namespace vaglio
