#pragma once
// Rows of ranks down one tree of a ranked forest (forest/ranked/ranked.hpp), compiled per level (base/dispatch.hpp).
//
// The tree is cut into treelets, pieces of a few levels. Within a treelet the tests lie as in a heap, without links:
// two lines of the cache serve four steps.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::forest {

inline constexpr std::uint16_t no_rank = 0xffff;  // a missing value
inline constexpr std::uint16_t missing_goes_right = 0x8000;

// Test 1 is the first, tests 2h and 2h + 1 follow test h, and behind the last ones are the ends. Below a leaf there
// are tests of which both ways lead to it.
template <int depth>
struct alignas(64) Treelet {
    static constexpr int levels = depth, size = 1 << depth;

    std::uint16_t feature[size];  // the top bit says that missing values go to branch 1
    std::uint16_t rank[size];     // numeric: branch 0 is rank(x) <= rank; nominal: number of the bitset
    std::int32_t end[size];       // >= 0: number of the part that follows, else ~row of `leaves`
};

using TreeTop = Treelet<6>;
using TreePart = Treelet<4>;
static_assert(sizeof(TreePart) == 128);

struct RankedTree {
    const TreeTop* top;
    const TreePart* parts;
};

// A block of ranks, row after row. A row is read as whole lines of the cache: what follows in its last one must exist,
// with any content.
inline constexpr std::size_t line_ranks = 32;
struct RankedRows {
    std::size_t count, width, stride;
    const std::uint16_t* ranks;
    bool missing;  // whether a rank is no_rank
};

// Writes the leaf of every row. Only for trees that test no category.
VAGLIO_DECLARE_LEVELS(void find_leaves(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves);)

}  // namespace vaglio::forest
