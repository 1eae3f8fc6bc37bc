#pragma once
// Rows down one tree, in rounds: all rows of a small group go through the top, then those that have not reached a leaf
// go through one more part each, and so on. The rows of a round do not wait for each other, and there is no branch to
// foresee. The ranks of a group stay in the first-level cache, and its next parts come there ahead of their round.
#include <cstddef>
#include <cstdint>

#include "base/compiler.hpp"
#include "forest/ranked/ranked_loops.hpp"

namespace vaglio::forest {

inline constexpr std::size_t round_rows = 256;

// Brings the part that follows into the cache. The number of a leaf gives an address where no part is, which does no
// harm: it is computed as a number and only hinted at.
VAGLIO_INLINE void fetch(const TreePart* parts, std::int32_t end) {
    const auto address = reinterpret_cast<std::uintptr_t>(parts) + sizeof(TreePart) * static_cast<std::size_t>(end);
    const auto* part = reinterpret_cast<const TreePart*>(address);  // NOLINT(performance-no-int-to-ptr)
    VAGLIO_PREFETCH(part->feature);
    VAGLIO_PREFETCH(part->end);
}

// pass(treelet, row) gives the end that a row comes to.
template <class Pass>
VAGLIO_INLINE void pass_in_rounds(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves, Pass pass) {
    std::uint32_t open[round_rows];
    std::int32_t part[round_rows];
    for (std::size_t first = 0; first < rows.count; first += round_rows) {
        const std::size_t count = rows.count - first < round_rows ? rows.count - first : round_rows;
        const std::uint16_t* ranks = rows.ranks + first * rows.stride;
        std::size_t left = 0;
        const auto arrive = [&](std::uint32_t row, std::int32_t end) VAGLIO_INLINE_LAMBDA {
            leaves[first + row] = ~end;  // of the last end that the row comes to, this remains
            open[left] = row;
            part[left] = end;
            left += end >= 0;
            fetch(tree.parts, end);
        };
        for (std::uint32_t row = 0; row < count; ++row) arrive(row, pass(*tree.top, ranks + row * rows.stride));
        while (left > 0) {
            const std::size_t now = left;
            left = 0;
            for (std::size_t k = 0; k < now; ++k) {
                const std::uint32_t row = open[k];
                arrive(row, pass(tree.parts[part[k]], ranks + row * rows.stride));
            }
        }
    }
}

}  // namespace vaglio::forest
