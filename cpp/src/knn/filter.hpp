#pragma once
// The hot loop of the Euclidean search, compiled once per x86-64 level (filter_base, filter_v3, filter_v4).
// It only filters: whatever rounding a level has, its error is inside the bound that the caller built into the
// numbers, so the neighbours are the same on every machine.
#include <cstddef>
#include <cstdint>

namespace vaglio::knn {

inline constexpr std::size_t panel_rows = 32;     // rows of a packed panel
inline constexpr std::size_t group_queries = 12;  // queries scanned together

// Panels follow one another; each is panel_rows offsets, then panel_rows values for every column.
// `queries` holds group_queries doubled values for every column; `limits` one limit a query.
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

using Filter = void (*)(const FilterBlock&);

void filter_base(const FilterBlock& block);
void filter_v3(const FilterBlock& block);
void filter_v4(const FilterBlock& block);

}  // namespace vaglio::knn
