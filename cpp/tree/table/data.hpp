#pragma once
// The training table as the exact grower sees it: ranks of numbers, codes of categories, and what is to be predicted.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_memory.hpp"
#include "columns/binned.hpp"
#include "tree/table/rank.hpp"

namespace vaglio::tree {

// One column of ranks, wherever they lie.
struct RankColumn {
    const std::uint32_t* ranks;
    std::size_t stride;
    std::uint32_t operator[](std::size_t row) const { return ranks[row * stride]; }
};

struct RootOrders;  // tree/partition/order.hpp

struct Outputs;  // tree/table/outputs.hpp

struct TreeData {
    std::size_t rows = 0;
    std::vector<Feature> features;  // in the user's order: ties go to the first

    const std::uint32_t* ranks = nullptr;      // column after column
    const std::uint32_t* rank_rows = nullptr;  // the same row after row, or null
    std::size_t rank_stride = 0;               // from one row to the next
    std::vector<RankedValues> values;          // distinct values per numeric column; of a bin, the greatest
    std::vector<RankedValues> lowest;          // of a bin, the least value; empty: ranks are exact
    std::vector<bool> complete;                // per numeric column: no value is missing; empty: not looked for
    const std::int32_t* codes = nullptr;       // column after column; negative: missing
    std::vector<std::uint32_t> categories;     // per nominal column

    std::size_t classes = 0;                      // 0: regression
    const std::int64_t* labels = nullptr;         // classification
    const double* targets = nullptr;              // regression
    const Outputs* outputs = nullptr;             // in place of these: several targets, and classes is 0
    const double* weights = nullptr;              // null: all one
    const std::uint32_t* multiplicity = nullptr;  // null: all one; how often a row was drawn
    RootOrders* orders = nullptr;                 // null: the orders of the root are of no further use

    const std::uint32_t* rank_column(std::uint32_t column) const { return ranks + column * rows; }
    // Where a node of `size` rows best reads a column. When it has most rows of the table, its ranks are close together
    // within the column; else those of its rows are, across columns.
    RankColumn ranks_for(std::uint32_t column, std::size_t size) const {
        constexpr std::size_t dense = 8;  // from every eighth row on, a line of the column serves two rows
        if (!rank_rows || size >= rows / dense) return {rank_column(column), 1};
        return {rank_rows + column, rank_stride};
    }
    const std::int32_t* code_column(std::uint32_t column) const { return codes + column * rows; }
};

// Fills data.complete.
void find_complete(TreeData& data, int threads);

// Ranks row after row, on cache lines of their own: a small node reads a few features of scattered rows, and finds
// those of a row side by side.
struct RankRows {
    std::size_t stride = 0;
    LargeVector<std::uint32_t> ranks;

    RankRows(const TreeData& data, int threads);
    // Whether nodes that look at so many features (0: all) find several of them on a cache line.
    static bool worthwhile(const TreeData& data, std::size_t max_features);
};

}  // namespace vaglio::tree
