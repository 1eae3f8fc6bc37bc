// Several rows go down at a time: while one waits for its node to come from memory, the others go on. A row that has
// reached its leaf makes room for the next one, without a branch, because nobody can foresee where a row ends. Rows and
// nodes are read one by one: vectors of them, filled by gathers, took longer.
//
// With AVX-512 the first levels are decided for 64 rows at a time: each of their tests is made for all of these rows,
// and what the tests on the way say is chosen bit by bit.
#include "forest/ranked/ranked_loops.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#if !defined(__clang__)
// GCC 12 warns of the registers that its own intrinsics leave open.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace vaglio::forest::VAGLIO_LEVEL {
namespace {

// Where no value is missing, nobody asks where a missing one would go.
template <bool missing>
VAGLIO_INLINE std::int32_t step(const RankedNode& node, const std::uint16_t* row) {
    const std::uint16_t rank = row[node.feature & (missing_goes_right - 1)];
    bool right = rank > node.rank;
    if constexpr (missing) right &= rank != no_rank || (node.feature & missing_goes_right) != 0;
    return node.link + static_cast<std::int32_t>(right);
}

#if defined(__AVX512BW__)

constexpr int levels = 6;
constexpr std::size_t at_once = 64;

// The first levels as a complete tree: test h is followed by tests 2h + 1 and 2h + 2. Below a leaf both ways lead to
// it.
struct FirstLevels {
    RankedNode tests[(1 << levels) - 1];
    std::int32_t ends[1 << levels];

    explicit FirstLevels(const RankedNode* tree) {
        std::int32_t at[(2 << levels) - 1];
        at[0] = 0;
        for (int h = 0; h < (1 << levels) - 1; ++h) {
            tests[h] = tree[at[h]];
            const bool leaf = tests[h].link < 0;
            at[2 * h + 1] = leaf ? at[h] : tests[h].link;
            at[2 * h + 2] = leaf ? at[h] : tests[h].link + 1;
        }
        for (int e = 0; e < 1 << levels; ++e) ends[e] = at[(1 << levels) - 1 + e];
    }
};

VAGLIO_INLINE std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return low | static_cast<std::uint64_t>(high) << 32;
}

// Which of 64 rows go right.
template <bool missing>
VAGLIO_INLINE std::uint64_t tested(const RankedNode& test, const RankedRows& rows, std::size_t first) {
    const std::uint16_t* column = rows.columns + (test.feature & (missing_goes_right - 1)) * rows.column_stride + first;
    const __m512i low = _mm512_loadu_si512(column), high = _mm512_loadu_si512(column + 32);
    const __m512i rank = _mm512_set1_epi16(static_cast<short>(test.rank));
    std::uint64_t right = joined(_mm512_cmpgt_epu16_mask(low, rank), _mm512_cmpgt_epu16_mask(high, rank));
    if constexpr (missing) {
        if ((test.feature & missing_goes_right) == 0) {
            const __m512i none = _mm512_set1_epi16(-1);
            right &= joined(_mm512_cmpneq_epu16_mask(low, none), _mm512_cmpneq_epu16_mask(high, none));
        }
    }
    return right;
}

// Writes the node that each row stands at after the first levels.
template <bool missing>
void pass_first_levels(const RankedNode* tree, const RankedRows& rows, std::int32_t* nodes) {
    const FirstLevels top(tree);
    for (std::size_t first = 0; first < rows.count; first += at_once) {
        std::uint64_t way[levels], right[1 << (levels - 1)];
        __m512i end = _mm512_setzero_si512();
#pragma GCC unroll 6
        for (int level = 0; level < levels; ++level) {
            int width = 1 << level;
            for (int h = 0; h < width; ++h) right[h] = tested<missing>(top.tests[width - 1 + h], rows, first);
            // Of two neighbours the one counts that the row came to by its last step above them.
            for (int above = level; above-- > 0;) {
                width /= 2;
                for (int h = 0; h < width; ++h) {
                    right[h] = right[2 * h] ^ ((right[2 * h] ^ right[2 * h + 1]) & way[above]);
                }
            }
            way[level] = right[0];
            end = _mm512_mask_add_epi8(end, way[level], end, _mm512_set1_epi8(1 << (levels - 1 - level)));
        }
        alignas(64) std::uint8_t ends[at_once];
        _mm512_store_si512(ends, end);
        for (std::size_t i = 0; i < at_once; ++i) nodes[first + i] = top.ends[ends[i]];
    }
}

#else

template <bool missing>
void pass_first_levels(const RankedNode*, const RankedRows& rows, std::int32_t* nodes) {
    for (std::size_t i = 0; i < rows.count; ++i) nodes[i] = 0;
}

#endif

// From the node where each row stands to its leaf; `leaves` holds the one, then the other.
template <bool missing>
void descend(const RankedNode* tree, const RankedRows& rows, std::int32_t* leaves) {
    constexpr std::int32_t lanes = 16;
    static_assert(std::size_t{lanes} <= spare_rows);
    std::int32_t number[lanes], at[lanes];
    const auto count = static_cast<std::int32_t>(rows.count);
    const auto ranks = [&](std::int32_t row) { return rows.rows + static_cast<std::size_t>(row) * rows.width; };
    for (std::int32_t lane = 0; lane < lanes; ++lane) {
        leaves[count + lane] = 0;
        number[lane] = lane;
        at[lane] = leaves[lane];
    }
    for (std::int32_t coming = lanes; coming < count;) {
#pragma GCC unroll 16
        for (std::int32_t lane = 0; lane < lanes; ++lane) {
            const RankedNode node = tree[at[lane]];
            const std::int32_t next = step<missing>(node, ranks(number[lane])), other = leaves[coming];
            leaves[number[lane]] = ~node.link;  // of the last node that the row comes to, this remains
            const std::int32_t done = node.link >> 31;
            at[lane] = next ^ ((next ^ other) & done);
            number[lane] ^= (number[lane] ^ coming) & done;
            coming -= done;
        }
    }
    for (std::int32_t lane = 0; lane < lanes; ++lane) {
        if (number[lane] >= count) continue;
        std::int32_t node = at[lane];
        while (tree[node].link >= 0) node = step<missing>(tree[node], ranks(number[lane]));
        leaves[number[lane]] = ~tree[node].link;
    }
}

template <bool missing>
VAGLIO_INLINE void pass(const RankedNode* tree, const RankedRows& rows, std::int32_t* leaves) {
    pass_first_levels<missing>(tree, rows, leaves);
    descend<missing>(tree, rows, leaves);
}

}  // namespace

void find_leaves(const RankedNode* tree, const RankedRows& rows, std::int32_t* leaves) {
    if (rows.missing) {
        pass<true>(tree, rows, leaves);
    } else {
        pass<false>(tree, rows, leaves);
    }
}

}  // namespace vaglio::forest::VAGLIO_LEVEL
