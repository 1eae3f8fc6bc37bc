#pragma once
// Rows of ranks down one tree of a ranked forest (forest/ranked/ranked.hpp), compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::forest {

struct RankedNode {
    std::int32_t link;      // as in ForestNode
    std::uint16_t feature;  // the top bit says that missing values go to branch 1; of a leaf it is 0
    std::uint16_t rank;     // numeric: branch 0 is rank(x) <= rank; nominal: number of the bitset
};
static_assert(sizeof(RankedNode) == 8);

inline constexpr std::uint16_t no_rank = 0xffff;  // a missing value
inline constexpr std::uint16_t missing_goes_right = 0x8000;

// Rows are read in groups: this many more than there are must exist, with any ranks.
inline constexpr std::size_t spare_rows = 64;

// A block of ranks, row after row and column after column.
struct RankedRows {
    std::size_t count, width;
    const std::uint16_t* rows;
    const std::uint16_t* columns;
    std::size_t column_stride;
    bool missing;  // whether a rank is no_rank
};

// Writes the leaf of every row, and anything into the spare places behind them. Only for trees that test no category.
VAGLIO_DECLARE_LEVELS(void find_leaves(const RankedNode* tree, const RankedRows& rows, std::int32_t* leaves);)

}  // namespace vaglio::forest
