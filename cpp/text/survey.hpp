#pragma once
// What can be said of the bytes of a text before it is cut into fields.
#include <cstddef>
#include <span>

namespace vaglio {

// Where the first sequence of bytes starts that is not UTF-8; the size of the text if there is none.
std::size_t first_invalid_utf8(std::span<const unsigned char> text, int threads);

// How many lines end, and whether a field starts with a zero and another digit, as codes do.
struct TextSurvey {
    std::size_t line_ends = 0;
    bool leading_zero = false;
};
TextSurvey survey_text(std::span<const unsigned char> text, unsigned char delimiter, int threads);

}  // namespace vaglio
