#pragma once
// The similarity of two rows is the share of trees in which they end in the same leaf. The result is sparse: only pairs
// that share a leaf have a number.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/large_memory.hpp"

namespace vaglio {

// The leaf of each row in each tree, row after row; leaves are numbered through all trees, below n_leaves.
struct LeafRows {
    const std::int32_t* leaves = nullptr;
    std::size_t rows = 0;
};

struct SimilarityConfig {
    std::size_t n_trees = 0;
    std::size_t n_leaves = 0;
    std::span<const double> tree_weights;  // empty: all trees alike
    std::size_t top = 0;                   // keep only that many per row, ties to the lowest; 0: all
    int threads = 1;
};

// CSR with ascending columns: similarity of each row of `queries` to the rows of `others`.
struct SimilarRows {
    std::vector<std::int64_t> offsets;
    LargeVector<std::int32_t> columns;
    LargeVector<double> values;
};
SimilarRows leaf_similarity(LeafRows queries, LeafRows others, const SimilarityConfig& config, Control& control);

// Sum over the other rows (of the same group, if groups are given) of the squared similarity.
std::vector<double> squared_similarity(LeafRows queries, LeafRows others, std::span<const std::int64_t> query_groups,
                                       std::span<const std::int64_t> other_groups, const SimilarityConfig& config,
                                       Control& control);

}  // namespace vaglio
