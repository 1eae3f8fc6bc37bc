#pragma once
// Which of n items of equal size are the same, byte by byte.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

struct Distinct {
    std::vector<std::int64_t> first;  // where each distinct item occurs first, in that order
    std::vector<std::int64_t> code;   // which of them each item is
};

Distinct distinct_items(const unsigned char* data, std::size_t count, std::size_t width, const Control& control);

// The same for whole numbers of 1, 2, 4 or 8 bytes, with signs or without, but the distinct ones are in ascending
// order; nothing if they lie too far apart for a table by value.
std::optional<Distinct> whole_numbers(const unsigned char* data, std::size_t count, std::size_t width, bool signs,
                                      const Control& control);

}  // namespace vaglio
