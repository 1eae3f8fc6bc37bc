#pragma once
// Where lines and fields end in a text without quotes, 64 bytes at a time; compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

struct LineLook {
    std::size_t lines = 0;  // line ends
    bool plain = true;      // no quotes, and carriage returns at line ends only
};

VAGLIO_DECLARE_LEVELS(LineLook look_at_lines(const unsigned char* at, const unsigned char* end);)

// Writes the places of all delimiters and line ends, counted from `at`, and returns how many there are; if these are
// more than `most`, a number above it. `ends` has room for `most` and `spare_ends` more.
inline constexpr std::size_t spare_ends = 128;
VAGLIO_DECLARE_LEVELS(std::size_t index_fields(const unsigned char* at, const unsigned char* end,
                                               unsigned char delimiter, std::uint32_t* ends, std::size_t most);)

}  // namespace vaglio
