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

// pass(treelets, rows, ends) finds the ends that `lanes` rows come to.
template <std::size_t lanes, class Pass>
VAGLIO_INLINE void pass_in_rounds(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves, Pass pass) {
    std::uint32_t open[round_rows];
    std::int32_t part[round_rows], ends[lanes];
    const std::uint16_t* asked[lanes];
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
        // The last lanes repeat the last row where there are no more.
        const auto lane_of = [](std::size_t k, std::size_t lane, std::size_t all)
                                 VAGLIO_INLINE_LAMBDA { return k + lane < all ? k + lane : all - 1; };
        const TreeTop* tops[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) tops[lane] = tree.top;
        for (std::size_t k = 0; k < count; k += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                asked[lane] = ranks + lane_of(k, lane, count) * rows.stride;
            pass(tops, asked, ends);
            for (std::size_t i = k; i < count && i < k + lanes; ++i) arrive(static_cast<std::uint32_t>(i), ends[i - k]);
        }
        while (left > 0) {
            const std::size_t now = left;
            left = 0;
            const TreePart* parts[lanes];
            for (std::size_t k = 0; k < now; k += lanes) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const std::size_t i = lane_of(k, lane, now);
                    parts[lane] = tree.parts + part[i];
                    asked[lane] = ranks + open[i] * rows.stride;
                }
                pass(parts, asked, ends);
                for (std::size_t i = k; i < now && i < k + lanes; ++i) arrive(open[i], ends[i - k]);
            }
        }
    }
}

}  // namespace vaglio::forest
