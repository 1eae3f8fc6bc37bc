#pragma once
// Sending the rows of a node into its branches.
#include <cstdint>
#include <span>
#include <vector>

#include "tree/config.hpp"
#include "tree/node.hpp"
#include "tree/partition/order_split.hpp"

namespace vaglio::tree {

constexpr std::int32_t every_branch = -1;  // a row of unknown value, shared by the branches

struct Partition {
    std::vector<std::int32_t> branch;  // per row of the node
    std::int32_t branches = 0;
    bool spread = false;             // some row goes into every branch
    std::vector<double> share;       // of each branch in the weight of the rows of known value
    std::vector<GrowNode> children;  // sums, weight and size are set; rows only once moved
};

// Sizes, sums, weights and shares of the branches, from `branch` and `branches`.
void measure_branches(const GrowNode& node, const TreeData& data, Partition& partition);

// Divides the rows of a packed node by a numeric test: sizes, sums and weights of the two branches, and their rows.
// Rows of unknown value go to the right, unless `missing_left`.
void split_packed(const GrowNode& node, RankColumn column, std::uint32_t last_left, bool missing_left,
                  std::vector<std::uint32_t>& buffer, Partition& partition);
// The same by the branches of categories.
void split_packed(const GrowNode& node, const std::int32_t* codes, std::span<const std::int32_t> branches,
                  bool missing_left, std::vector<std::uint32_t>& buffer, Partition& partition);

// Memory one worker reuses from column to column.
struct PartitionScratch {
    std::vector<std::uint32_t> entries, words, position;
    std::vector<SideBlock> sides;
    std::vector<Label> labels;
    std::vector<double> numbers;
    std::vector<std::int32_t> branch;
};

// Moves rows, labels, weights and orders; children with wanted[b] == false get no rows. Columns are worked on by up
// to `threads` threads, each with its own scratch.
void move_rows(const GrowNode& node, const std::vector<bool>& wanted, std::size_t slots, bool keep_constant,
               int threads, std::span<PartitionScratch> scratch, Partition& partition);

}  // namespace vaglio::tree
