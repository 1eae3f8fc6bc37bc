#pragma once
// Which of n items of equal size are the same, byte by byte.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

struct Distinct {
    std::vector<std::int64_t> first;  // where each distinct item occurs first, in that order
    std::vector<std::int64_t> code;   // which of them each item is
};

Distinct distinct_items(const unsigned char* data, std::size_t count, std::size_t width, const Control& control);

}  // namespace vaglio
