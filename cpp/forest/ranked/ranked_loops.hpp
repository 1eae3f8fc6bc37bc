#pragma once
// Rows of ranks down one tree of a ranked forest (forest/ranked/ranked.hpp), compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::forest {

struct RankedNode {
    std::int32_t link;      // as in ForestNode
    std::uint16_t feature;  // the top bit says that missing values go to branch 1
    std::uint16_t rank;     // numeric: branch 0 is rank(x) <= rank; nominal: number of the bitset
};
static_assert(sizeof(RankedNode) == 8);

inline constexpr std::uint16_t no_rank = 0xffff;  // a missing value
inline constexpr std::uint16_t missing_goes_right = 0x8000;

// Writes the leaf of every row. Only for trees that test no category. `ranks` holds `width` ranks per row and one more
// at the very end, which is read but does not matter.
VAGLIO_DECLARE_LEVELS(void find_leaves(const RankedNode* tree, const std::uint16_t* ranks, std::size_t width,
                                       std::size_t rows, std::int32_t* leaves);)

}  // namespace vaglio::forest
