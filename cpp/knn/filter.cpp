// The filter of the Euclidean search, compiled per level (base/dispatch.hpp). It is written with intrinsics instead of
// base/vectors.hpp, because the vector types have no operation that turns the lanes of a comparison into bits.
#include "knn/filter.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t step_queries = 12;  // 2 x 12 sums of the 32 registers
struct Lanes {
    using Type = __m512;
    static constexpr std::size_t count = 16;
    static Type load(const float* p) { return _mm512_loadu_ps(p); }
    static Type repeat(float x) { return _mm512_set1_ps(x); }
    static Type subtract_product(Type sum, Type a, Type b) { return _mm512_fnmadd_ps(a, b, sum); }
    static std::uint32_t not_above(Type a, Type b) { return _mm512_cmp_ps_mask(a, b, _CMP_NGT_UQ); }
};
#elif defined(__AVX2__)
constexpr std::size_t step_queries = 6;  // 2 x 6 sums of the 16 registers
struct Lanes {
    using Type = __m256;
    static constexpr std::size_t count = 8;
    static Type load(const float* p) { return _mm256_loadu_ps(p); }
    static Type repeat(float x) { return _mm256_set1_ps(x); }
    static Type subtract_product(Type sum, Type a, Type b) { return _mm256_fnmadd_ps(a, b, sum); }
    static std::uint32_t not_above(Type a, Type b) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NGT_UQ)));
    }
};
#elif defined(__SSE2__)
constexpr std::size_t step_queries = 6;
struct Lanes {
    using Type = __m128;
    static constexpr std::size_t count = 4;
    static Type load(const float* p) { return _mm_loadu_ps(p); }
    static Type repeat(float x) { return _mm_set1_ps(x); }
    static Type subtract_product(Type sum, Type a, Type b) { return _mm_sub_ps(sum, _mm_mul_ps(a, b)); }
    static std::uint32_t not_above(Type a, Type b) {
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpngt_ps(a, b)));
    }
};
#else  // another processor: one row at a time
constexpr std::size_t step_queries = 6;
struct Lanes {
    using Type = float;
    static constexpr std::size_t count = 1;
    static Type load(const float* p) { return *p; }
    static Type repeat(float x) { return x; }
    static Type subtract_product(Type sum, Type a, Type b) { return sum - a * b; }
    static std::uint32_t not_above(Type a, Type b) { return a > b ? 0 : 1; }
};
#endif

constexpr std::size_t step_rows = 2 * Lanes::count;

// Sums stay in registers; only the outcome of the comparison leaves.
inline void scan_step(const FilterBlock& block, const float* panel, std::size_t panel_start, std::size_t row,
                      std::size_t query) {
    Lanes::Type low[step_queries], high[step_queries];
    const Lanes::Type offset_low = Lanes::load(panel + row);
    const Lanes::Type offset_high = Lanes::load(panel + row + Lanes::count);
#pragma GCC unroll 16
    for (std::size_t q = 0; q < step_queries; ++q) {
        low[q] = offset_low;
        high[q] = offset_high;
    }
    const float* values = panel + panel_rows + row;
    const float* x = block.queries + query;
    for (std::size_t j = 0; j < block.n_columns; ++j, values += panel_rows, x += group_queries) {
        const Lanes::Type z_low = Lanes::load(values);
        const Lanes::Type z_high = Lanes::load(values + Lanes::count);
#pragma GCC unroll 16
        for (std::size_t q = 0; q < step_queries; ++q) {
            const Lanes::Type both = Lanes::repeat(x[q]);
            low[q] = Lanes::subtract_product(low[q], both, z_low);
            high[q] = Lanes::subtract_product(high[q], both, z_high);
        }
    }
#pragma GCC unroll 16
    for (std::size_t q = 0; q < step_queries; ++q) {
        const Lanes::Type limit = Lanes::repeat(block.limits[query + q]);
        const std::uint32_t rows = Lanes::not_above(low[q], limit) | (Lanes::not_above(high[q], limit) << Lanes::count);
        if (rows) block.offer(block.context, query + q, panel_start + row, rows);
    }
}

}  // namespace

void filter_rows(const FilterBlock& block) {
    const std::size_t panel_size = panel_rows * (block.n_columns + 1);
    for (std::size_t p = 0; p < block.n_panels; ++p) {
        const float* panel = block.panels + p * panel_size;
        for (std::size_t row = 0; row < panel_rows; row += step_rows) {
            for (std::size_t query = 0; query < group_queries; query += step_queries) {
                scan_step(block, panel, p * panel_rows, row, query);
            }
        }
    }
}

}  // namespace vaglio::knn::VAGLIO_LEVEL
