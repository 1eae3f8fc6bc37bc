// The coarse filter, compiled per level (base/dispatch.hpp). It is written with intrinsics instead of base/vectors.hpp,
// because the vector types have no sums that stop at the largest number, and no upper half of a product.
#include "knn/coarse/coarse_loops.hpp"

#include "base/compiler.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

#if defined(__AVX512BW__)
struct Lanes {
    using Type = __m512i;
    static constexpr std::size_t count = 32;
    static Type load(const std::uint16_t* p) { return _mm512_loadu_si512(p); }
    static Type repeat(std::uint16_t x) { return _mm512_set1_epi16(static_cast<short>(x)); }
    static Type plus(Type a, Type b) { return _mm512_adds_epu16(a, b); }
    static Type minus(Type a, Type b) { return _mm512_subs_epu16(a, b); }
    static Type joined(Type a, Type b) { return _mm512_or_si512(a, b); }
    static Type square(Type a) { return _mm512_mulhi_epu16(a, a); }
    static Type where_unequal(Type a, Type b, Type cost) {
        return _mm512_maskz_mov_epi16(_mm512_cmpneq_epi16_mask(a, b), cost);
    }
    static Type where_equal(Type a, Type b, Type cost, Type otherwise) {
        return _mm512_mask_mov_epi16(otherwise, _mm512_cmpeq_epi16_mask(a, b), cost);
    }
    static std::uint64_t not_above(Type a, Type b) { return _mm512_cmple_epu16_mask(a, b); }
};
#elif defined(__AVX2__)
struct Lanes {
    using Type = __m256i;
    static constexpr std::size_t count = 16;
    static Type load(const std::uint16_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static Type repeat(std::uint16_t x) { return _mm256_set1_epi16(static_cast<short>(x)); }
    static Type plus(Type a, Type b) { return _mm256_adds_epu16(a, b); }
    static Type minus(Type a, Type b) { return _mm256_subs_epu16(a, b); }
    static Type joined(Type a, Type b) { return _mm256_or_si256(a, b); }
    static Type square(Type a) { return _mm256_mulhi_epu16(a, a); }
    static Type where_unequal(Type a, Type b, Type cost) { return _mm256_andnot_si256(_mm256_cmpeq_epi16(a, b), cost); }
    static Type where_equal(Type a, Type b, Type cost, Type otherwise) {
        return _mm256_blendv_epi8(otherwise, cost, _mm256_cmpeq_epi16(a, b));
    }
    static std::uint64_t not_above(Type a, Type b) {
        const Type found = _mm256_cmpeq_epi16(minus(a, b), _mm256_setzero_si256());
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
    }
};
#elif defined(__SSE2__)
struct Lanes {
    using Type = __m128i;
    static constexpr std::size_t count = 8;
    static Type load(const std::uint16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
    static Type repeat(std::uint16_t x) { return _mm_set1_epi16(static_cast<short>(x)); }
    static Type plus(Type a, Type b) { return _mm_adds_epu16(a, b); }
    static Type minus(Type a, Type b) { return _mm_subs_epu16(a, b); }
    static Type joined(Type a, Type b) { return _mm_or_si128(a, b); }
    static Type square(Type a) { return _mm_mulhi_epu16(a, a); }
    static Type where_unequal(Type a, Type b, Type cost) { return _mm_andnot_si128(_mm_cmpeq_epi16(a, b), cost); }
    static Type where_equal(Type a, Type b, Type cost, Type otherwise) {
        const Type equal = _mm_cmpeq_epi16(a, b);
        return _mm_or_si128(_mm_and_si128(equal, cost), _mm_andnot_si128(equal, otherwise));
    }
    static std::uint64_t not_above(Type a, Type b) {
        const Type found = _mm_cmpeq_epi16(minus(a, b), _mm_setzero_si128());
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(found, _mm_setzero_si128())));
    }
};
#else  // another processor: one row at a time
struct Lanes {
    using Type = std::uint16_t;
    static constexpr std::size_t count = 1;
    static Type cut(std::uint32_t sum) { return static_cast<Type>(sum < coarse_most ? sum : coarse_most); }
    static Type load(const std::uint16_t* p) { return *p; }
    static Type repeat(std::uint16_t x) { return x; }
    static Type plus(Type a, Type b) { return cut(std::uint32_t{a} + b); }
    static Type minus(Type a, Type b) { return static_cast<Type>(a > b ? a - b : 0); }
    static Type joined(Type a, Type b) { return static_cast<Type>(a | b); }
    static Type square(Type a) { return static_cast<Type>((std::uint32_t{a} * a) >> 16); }
    static Type where_unequal(Type a, Type b, Type cost) { return a == b ? Type{0} : cost; }
    static Type where_equal(Type a, Type b, Type cost, Type otherwise) { return a == b ? cost : otherwise; }
    static std::uint64_t not_above(Type a, Type b) { return a > b ? 0 : 1; }
};
#endif

using Sum = Lanes::Type;
// Rows whose sums stay in registers.
constexpr std::size_t vectors = coarse_rows / Lanes::count < 4 ? coarse_rows / Lanes::count : 4;
constexpr std::size_t step = vectors * Lanes::count;

template <bool squared, bool with_missing>
VAGLIO_INLINE void add_number(const std::uint16_t* values, const CoarseTerm& term, Sum* sums) {
    const Sum low = Lanes::repeat(term.low), high = Lanes::repeat(term.high);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
        const Sum z = Lanes::load(values + v * Lanes::count);
        Sum cost = Lanes::joined(Lanes::minus(z, high), Lanes::minus(low, z));
        if constexpr (squared) cost = Lanes::square(cost);
        if constexpr (with_missing) {
            cost = Lanes::where_equal(z, Lanes::repeat(coarse_missing), Lanes::repeat(term.cost), cost);
        }
        sums[v] = Lanes::plus(sums[v], cost);
    }
}

VAGLIO_INLINE void add_category(const std::uint16_t* values, const CoarseTerm& term, Sum* sums) {
    const Sum same = Lanes::repeat(term.low), cost = Lanes::repeat(term.cost);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
        const Sum z = Lanes::load(values + v * Lanes::count);
        sums[v] = Lanes::plus(sums[v], Lanes::where_unequal(z, same, cost));
    }
}

template <bool squared>
VAGLIO_INLINE std::uint64_t passing(const std::uint16_t* rows, const CoarseQuery& query) {
    Sum sums[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = Lanes::repeat(query.base);
    for (std::size_t t = 0; t < query.n_terms; ++t) {
        const CoarseTerm& term = query.terms[t];
        const std::uint16_t* values = rows + term.column * coarse_rows;
        if (term.kind == CoarseTerm::category) {
            add_category(values, term, sums);
        } else if (term.kind == CoarseTerm::number) {
            add_number<squared, false>(values, term, sums);
        } else {
            add_number<squared, true>(values, term, sums);
        }
    }
    const Sum limit = Lanes::repeat(query.limit);
    std::uint64_t found = 0;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) found |= Lanes::not_above(sums[v], limit) << (v * Lanes::count);
    return found;
}

}  // namespace

void coarse_filter(const std::uint16_t* panels, std::size_t n_panels, std::size_t n_columns, const CoarseQuery& query,
                   std::uint64_t* passed) {
    for (std::size_t p = 0; p < n_panels; ++p) {
        const std::uint16_t* panel = panels + p * n_columns * coarse_rows;
        passed[p] = 0;
        for (std::size_t row = 0; row < coarse_rows; row += step) {
            const std::uint64_t found =
                query.squared ? passing<true>(panel + row, query) : passing<false>(panel + row, query);
            passed[p] |= found << row;
        }
    }
}

}  // namespace vaglio::knn::VAGLIO_LEVEL
