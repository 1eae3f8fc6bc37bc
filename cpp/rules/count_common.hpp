#pragma once
// How many rows three sets of rows have in common; compiled per level (base/dispatch.hpp), because counting the bits of
// a word is one instruction from v3 on, but not on the baseline.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

VAGLIO_DECLARE_LEVELS(std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                                                 std::size_t words);)

}  // namespace vaglio
