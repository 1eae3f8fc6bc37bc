#include "forest/ranked/ranked_loops.hpp"

#include "forest/ranked/rounds.hpp"
#if defined(__AVX512BW__)
#include "forest/ranked/row_registers.hpp"
#endif

namespace vaglio::forest::VAGLIO_LEVEL {
namespace {

// Test by test. Where no value is missing, nobody asks where a missing one would go.
template <bool missing>
void pass_one_by_one(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves) {
    const auto pass = [](const auto& treelets, const auto& asked, auto& ends) VAGLIO_INLINE_LAMBDA {
        const auto& some = *treelets[0];
        const std::uint16_t* row = asked[0];
        std::size_t at = 1;
#pragma GCC unroll 6
        for (int level = 0; level < some.levels; ++level) {
            const std::uint16_t feature = some.feature[at];
            const std::uint16_t rank = row[feature & (missing_goes_right - 1)];
            bool right = rank > some.rank[at];
            if constexpr (missing) right &= rank != no_rank || (feature & missing_goes_right) != 0;
            at = 2 * at + static_cast<std::size_t>(right);
        }
        ends[0] = some.end[at - some.size];
    };
    pass_in_rounds<1>(tree, rows, leaves, pass);
}

template <bool missing>
void pass(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves) {
#if defined(__AVX512BW__)
    if (rows.width <= line_ranks) return pass_all_at_once<missing, 1>(tree, rows, leaves);
    if (rows.width <= 2 * line_ranks) return pass_all_at_once<missing, 2>(tree, rows, leaves);
    if (rows.width <= 4 * line_ranks) return pass_all_at_once<missing, 4>(tree, rows, leaves);
#endif
    pass_one_by_one<missing>(tree, rows, leaves);
}

}  // namespace

void find_leaves(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves) {
    if (rows.missing) {
        pass<true>(tree, rows, leaves);
    } else {
        pass<false>(tree, rows, leaves);
    }
}

}  // namespace vaglio::forest::VAGLIO_LEVEL
