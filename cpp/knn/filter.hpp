#pragma once
// The inner loop of the Euclidean search, compiled per level (base/dispatch.hpp). It only filters. Levels round
// differently, but the caller built a bound of the rounding error into the numbers, so the neighbours are the same on
// every machine.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::knn {

inline constexpr std::size_t panel_rows = 32;     // rows of a packed panel: two vectors of the widest level
inline constexpr std::size_t group_queries = 12;  // queries scanned together: their sums fill the registers of AVX-512

// Panels follow one another; each is panel_rows offsets, then panel_rows values for every column.
// `queries` holds group_queries doubled values for every column; `limits` holds one limit per query.
// offer(context, query, row in the block, bits of the rows) is called where offset - 2 x.z <= limit, and may
// lower limits[query].
struct FilterBlock {
    const float* panels;
    std::size_t n_panels;
    std::size_t n_columns;
    const float* queries;
    const float* limits;
    void (*offer)(void* context, std::size_t query, std::size_t first_row, std::uint32_t rows);
    void* context;
};

VAGLIO_DECLARE_LEVELS(void filter_rows(const FilterBlock& block);)

}  // namespace vaglio::knn
