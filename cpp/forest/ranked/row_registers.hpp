#pragma once
// With AVX-512 a row of at most 128 ranks lies in registers, and all tests of a treelet are made at once: one
// instruction picks the rank that each test asks for, the next one compares. Which way the results lead is found for
// many rows at a time. Gathers of ranks and nodes took longer.
//
// Only for sources that are compiled per level (base/dispatch.hpp).
#include <immintrin.h>

#include "forest/ranked/rounds.hpp"
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the registers that its own intrinsics leave open.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace vaglio::forest::VAGLIO_LEVEL {
namespace {

// A row in so many registers of 32 ranks.
template <int lines>
struct RowRegisters {
    __m512i part[lines];

    VAGLIO_INLINE explicit RowRegisters(const std::uint16_t* row) {
        for (int line = 0; line < lines; ++line) part[line] = _mm512_loadu_si512(row + line * line_ranks);
    }

    VAGLIO_INLINE __m512i ranks(__m512i features) const {
        if constexpr (lines == 1) {
            return _mm512_permutexvar_epi16(features, part[0]);
        } else if constexpr (lines == 2) {
            return _mm512_permutex2var_epi16(part[0], features, part[1]);
        } else {
            const __mmask32 behind = _mm512_test_epi16_mask(features, _mm512_set1_epi16(2 * line_ranks));
            return _mm512_mask_blend_epi16(behind, _mm512_permutex2var_epi16(part[0], features, part[1]),
                                           _mm512_permutex2var_epi16(part[2], features, part[3]));
        }
    }
};

// Which of 32 tests lead to the right.
template <bool missing, class Row>
VAGLIO_INLINE __mmask32 tested(const Row& row, const std::uint16_t* feature, const std::uint16_t* rank) {
    const __m512i features = _mm512_load_si512(feature), ranks = row.ranks(features);
    __mmask32 right = _mm512_cmpgt_epu16_mask(ranks, _mm512_load_si512(rank));
    if constexpr (missing) {
        right &= _mm512_cmpneq_epu16_mask(ranks, _mm512_set1_epi16(-1)) | _mm512_movepi16_mask(features);
    }
    return right;
}

template <bool missing, class Row>
VAGLIO_INLINE std::uint64_t tested(const Row& row, const TreeTop& top) {
    const std::uint64_t behind = tested<missing>(row, top.feature + line_ranks, top.rank + line_ranks);
    return behind << line_ranks | tested<missing>(row, top.feature, top.rank);
}

template <bool missing, class Row>
VAGLIO_INLINE std::uint16_t tested(const Row& row, const TreePart& some) {
    const __m256i features = _mm256_load_si256(reinterpret_cast<const __m256i*>(some.feature));
    const __m256i ranks = _mm512_castsi512_si256(row.ranks(_mm512_castsi256_si512(features)));
    __mmask16 right = _mm256_cmpgt_epu16_mask(ranks, _mm256_load_si256(reinterpret_cast<const __m256i*>(some.rank)));
    if constexpr (missing) {
        right &= _mm256_cmpneq_epu16_mask(ranks, _mm256_set1_epi16(-1)) | _mm256_movepi16_mask(features);
    }
    return right;
}

// Where the results of the 64 tests lead each of eight rows: one level further is at -> 2 at + (right >> at & 1).
VAGLIO_INLINE __m256i way_through_top(const std::uint64_t* results) {
    const __m512i right = _mm512_load_si512(results), one = _mm512_set1_epi64(1);
    __m512i at = one;
#pragma GCC unroll 6
    for (int level = 0; level < TreeTop::levels; ++level) {
        at = _mm512_ternarylogic_epi64(_mm512_add_epi64(at, at), _mm512_srlv_epi64(right, at), one, 0xf8);
    }
    return _mm512_cvtepi64_epi32(at);
}

// The same for the 16 tests of sixteen rows.
VAGLIO_INLINE __m512i way_through_part(const std::uint16_t* results) {
    const __m512i right = _mm512_cvtepu16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(results)));
    const __m512i one = _mm512_set1_epi32(1);
    __m512i at = one;
#pragma GCC unroll 4
    for (int level = 0; level < TreePart::levels; ++level) {
        at = _mm512_ternarylogic_epi32(_mm512_add_epi32(at, at), _mm512_srlv_epi32(right, at), one, 0xf8);
    }
    return at;
}

constexpr std::size_t at_once = 16;

VAGLIO_INLINE __mmask16 those_below(std::size_t count) {
    return static_cast<__mmask16>(count >= at_once ? 0xffff : (1U << count) - 1);
}

// Up to round_rows rows, listed as those on their way and those that have arrived.
template <bool missing, int lines>
class RowGroup {
 public:
    RowGroup(const RankedTree& tree, const std::uint16_t* ranks, std::size_t stride)
        : tree_(tree), ranks_(ranks), stride_(stride) {}

    void pass(std::size_t count, std::int32_t* leaves) {
        pass_top(count);
        while (open_ > 0) pass_parts();
        for (std::size_t k = 0; k < count; ++k) leaves[done_[k]] = ~leaf_[k];
    }

 private:
    RowRegisters<lines> row(std::size_t number) const { return RowRegisters<lines>(ranks_ + number * stride_); }

    void pass_top(std::size_t count) {
        alignas(64) std::uint64_t results[round_rows];
        const TreeTop& top = *tree_.top;
        for (std::size_t i = 0; i < count; ++i) results[i] = tested<missing>(row(i), top);
        __m512i ends[4], numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for (std::size_t e = 0; e < 4; ++e) ends[e] = _mm512_load_si512(top.end + e * at_once);
        for (std::size_t i = 0; i < count; i += at_once) {
            const __m512i at = _mm512_inserti64x4(_mm512_castsi256_si512(way_through_top(results + i)),
                                                  way_through_top(results + i + at_once / 2), 1);
            const __mmask16 behind = _mm512_test_epi32_mask(at, _mm512_set1_epi32(2 * at_once));
            arrive(numbers,
                   _mm512_mask_blend_epi32(behind, _mm512_permutex2var_epi32(ends[0], at, ends[1]),
                                           _mm512_permutex2var_epi32(ends[2], at, ends[3])),
                   those_below(count - i));
            numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(at_once));
        }
    }

    void pass_parts() {
        alignas(64) std::uint16_t results[round_rows];
        const std::size_t count = open_;
        // A part as 32 numbers of four bytes, of which the ends are the second half.
        const auto* numbers = reinterpret_cast<const std::int32_t*>(tree_.parts);
        constexpr int part_bits = 5;
        static_assert(sizeof(TreePart) == 4 << part_bits && offsetof(TreePart, end) == 4 * TreePart::size);
        for (std::size_t k = 0; k < count; ++k) results[k] = tested<missing>(row(row_[k]), tree_.parts[part_[k]]);
        open_ = 0;
        for (std::size_t k = 0; k < count; k += at_once) {
            const __mmask16 those = those_below(count - k);
            const __m512i places = _mm512_add_epi32(_mm512_slli_epi32(_mm512_load_si512(part_ + k), part_bits),
                                                    way_through_part(results + k));
            alignas(64) std::uint32_t place[at_once];
            alignas(64) std::int32_t end[at_once];
            _mm512_store_si512(place, _mm512_maskz_mov_epi32(those, places));
#pragma GCC unroll 16
            for (std::size_t lane = 0; lane < at_once; ++lane) {
                end[lane] = numbers[place[lane]];
                fetch(tree_.parts, end[lane]);
            }
            arrive(_mm512_load_si512(row_ + k), _mm512_load_si512(end), those);
        }
    }

    // Lists those of sixteen rows by what they have come to.
    VAGLIO_INLINE void arrive(__m512i rows, __m512i ends, __mmask16 those) {
        const __mmask16 over = _mm512_movepi32_mask(ends) & those, on = those & ~over;
        _mm512_storeu_si512(row_ + open_, _mm512_maskz_compress_epi32(on, rows));
        _mm512_storeu_si512(part_ + open_, _mm512_maskz_compress_epi32(on, ends));
        _mm512_storeu_si512(done_ + ended_, _mm512_maskz_compress_epi32(over, rows));
        _mm512_storeu_si512(leaf_ + ended_, _mm512_maskz_compress_epi32(over, ends));
        open_ += count_ones(on);
        ended_ += count_ones(over);
    }

    const RankedTree& tree_;
    const std::uint16_t* ranks_;
    std::size_t stride_, open_ = 0, ended_ = 0;
    // Sixteen are written at a time.
    alignas(64) std::uint32_t row_[round_rows + at_once], done_[round_rows + at_once];
    alignas(64) std::int32_t part_[round_rows + at_once], leaf_[round_rows + at_once];
};

template <bool missing, int lines>
void pass_all_at_once(const RankedTree& tree, const RankedRows& rows, std::int32_t* leaves) {
    for (std::size_t first = 0; first < rows.count; first += round_rows) {
        RowGroup<missing, lines> group(tree, rows.ranks + first * rows.stride, rows.stride);
        group.pass(rows.count - first < round_rows ? rows.count - first : round_rows, leaves + first);
    }
}

}  // namespace
}  // namespace vaglio::forest::VAGLIO_LEVEL
