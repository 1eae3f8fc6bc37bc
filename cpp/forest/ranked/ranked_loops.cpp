// Several rows go down at a time: while one waits for its node to come from memory, the others go on. A row that has
// reached its leaf makes room for the next one. With AVX-512, sixteen rows take a step with the same instructions; this
// needs gathers and compressed masks, which base/vectors.hpp does not have.
#include "forest/ranked/ranked_loops.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#if !defined(__clang__)
// GCC 12 warns of the registers that its own intrinsics leave open.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace vaglio::forest::VAGLIO_LEVEL {

#if defined(__AVX512F__)

namespace {

constexpr int lanes = 16;
// Vectors of rows on their way: a step of one takes as long as the steps of so many.
constexpr int chains = 4;

struct Chain {
    __m512i row, at;
    __mmask16 active;
};

struct Way {
    const RankedNode* tree;
    const std::uint16_t* ranks;
    std::size_t rows;
    std::int32_t* leaves;
    __m512i width, limit;
    std::size_t coming;
};

// Takes the next rows into the lanes of `mask`.
VAGLIO_INLINE void take_rows(Way& way, Chain& chain, __mmask16 mask) {
    const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i next = _mm512_add_epi32(order, _mm512_set1_epi32(static_cast<int>(way.coming)));
    chain.row = _mm512_mask_expand_epi32(chain.row, mask, next);
    chain.at = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~mask), chain.at);
    chain.active =
        static_cast<__mmask16>((chain.active & ~mask) | _mm512_mask_cmplt_epi32_mask(mask, chain.row, way.limit));
    way.coming += count_ones(mask);
}

VAGLIO_INLINE void take_step(Way& way, Chain& chain) {
    const __m512i nothing = _mm512_setzero_si512();
    const __m256i low = _mm512_castsi512_si256(chain.at), high = _mm512_extracti64x4_epi64(chain.at, 1);
    // Lanes without a row stay at the root: it is read for nothing, but without a mask.
    const __m512i first = _mm512_i32gather_epi64(low, way.tree, 8);
    const __m512i second = _mm512_i32gather_epi64(high, way.tree, 8);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    const __m512i link = _mm512_permutex2var_epi32(first, even, second);
    const __m512i test = _mm512_permutex2var_epi32(first, odd, second);
    const __mmask16 done = _mm512_mask_cmplt_epi32_mask(chain.active, link, nothing);
    const __m512i feature = _mm512_and_si512(test, _mm512_set1_epi32(missing_goes_right - 1));
    const __m512i place = _mm512_add_epi32(_mm512_mullo_epi32(chain.row, way.width), feature);
    const auto going = static_cast<__mmask16>(chain.active & ~done);
    const __m512i pair = _mm512_mask_i32gather_epi32(nothing, going, place, way.ranks, 2);
    const __m512i rank = _mm512_and_si512(pair, _mm512_set1_epi32(0xffff));
    const __mmask16 above = _mm512_mask_cmpgt_epi32_mask(going, rank, _mm512_srli_epi32(test, 16));
    const __mmask16 missing = _mm512_mask_cmpeq_epi32_mask(above, rank, _mm512_set1_epi32(no_rank));
    const __mmask16 left = _mm512_mask_testn_epi32_mask(missing, test, _mm512_set1_epi32(missing_goes_right));
    const auto right = static_cast<__mmask16>(above & ~left);
    chain.at = _mm512_maskz_mov_epi32(going, _mm512_mask_add_epi32(link, right, link, _mm512_set1_epi32(1)));
    if (done != 0) {
        _mm512_mask_i32scatter_epi32(way.leaves, done, chain.row, _mm512_xor_si512(link, _mm512_set1_epi32(-1)), 4);
        take_rows(way, chain, done);
    }
}

}  // namespace

void find_leaves(const RankedNode* tree, const std::uint16_t* ranks, std::size_t width, std::size_t rows,
                 std::int32_t* leaves) {
    Way way{tree,
            ranks,
            rows,
            leaves,
            _mm512_set1_epi32(static_cast<int>(width)),
            _mm512_set1_epi32(static_cast<int>(rows)),
            0};
    Chain chain[chains];
    std::uint32_t active = 0;
    for (Chain& one : chain) {
        one = {_mm512_setzero_si512(), _mm512_setzero_si512(), 0};
        take_rows(way, one, 0xffff);
        active |= one.active;
    }
    while (active != 0) {
        active = 0;
#pragma GCC unroll 4
        for (Chain& one : chain) {
            take_step(way, one);
            active |= one.active;
        }
    }
}

#else

namespace {

// About as many rows as a core can wait for at a time.
constexpr std::size_t lanes = 16;

// Where no value is missing, nobody asks where a missing one would go.
template <bool missing>
VAGLIO_INLINE void descend(const RankedNode* tree, const std::uint16_t* ranks, std::size_t width, std::size_t rows,
                           std::int32_t* leaves) {
    const std::uint16_t* row[lanes];
    std::size_t number[lanes];
    std::int32_t at[lanes];
    std::size_t active = rows < lanes ? rows : lanes, coming = active;
    for (std::size_t lane = 0; lane < active; ++lane) {
        row[lane] = ranks + lane * width;
        number[lane] = lane;
        at[lane] = 0;
    }
    while (active > 0) {
        for (std::size_t lane = 0; lane < active;) {
            const RankedNode node = tree[at[lane]];
            if (node.link >= 0) {
                const std::uint16_t rank = row[lane][node.feature & (missing_goes_right - 1)];
                bool right = rank > node.rank;
                if constexpr (missing) right &= rank != no_rank || (node.feature & missing_goes_right) != 0;
                at[lane] = node.link + static_cast<std::int32_t>(right);
                ++lane;
                continue;
            }
            leaves[number[lane]] = ~node.link;
            if (coming < rows) {
                row[lane] = ranks + coming * width;
                number[lane] = coming++;
                at[lane++] = 0;
            } else {
                --active;
                row[lane] = row[active];
                number[lane] = number[active];
                at[lane] = at[active];
            }
        }
    }
}

}  // namespace

void find_leaves(const RankedNode* tree, const std::uint16_t* ranks, std::size_t width, std::size_t rows,
                 std::int32_t* leaves) {
    // The whole block is asked, without a way out of the loop: many ranks at a time.
    std::uint16_t most = 0;
    for (std::size_t i = 0; i < rows * width; ++i) most = ranks[i] > most ? ranks[i] : most;
    if (most == no_rank) {
        descend<true>(tree, ranks, width, rows, leaves);
    } else {
        descend<false>(tree, ranks, width, rows, leaves);
    }
}

#endif

}  // namespace vaglio::forest::VAGLIO_LEVEL
