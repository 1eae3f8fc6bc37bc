#pragma once
// Carrying out a node's test, and what a node says of itself in the tree.
#include <vector>

#include "tree/split/nominal.hpp"
#include "tree/split/setting.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

// Sizes, sums and weights of the branches of a test, with the branch of every row; `nominal` is filled for a nominal
// test.
Partition divide(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team,
                 NominalBranches& nominal);

// True when the node cannot or need not be split, whatever the features say.
bool is_terminal(const GrowSetting& setting, const GrowNode& node);

// Writes the test into the tree, appends the children and moves the rows; returns the children to be split further.
std::vector<GrowNode> apply_split(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                                  const Team& team, Tree& tree);

// Writes a test into the tree and appends its children; of the partition, the weights of the branches are read.
void write_test(const GrowSetting& setting, const Candidate& candidate, const Partition& partition,
                const NominalBranches& nominal, Tree& tree, std::size_t id);

// Bounds of the branches: below a monotonic test no branch may cross the middle of the two.
void tighten_bounds(const GrowSetting& setting, const GrowNode& node, std::int32_t feature, Partition& partition);

// Value, weight and impurity of a node.
void describe_node(const GrowSetting& setting, const GrowNode& node, bool integral, Tree& tree);

}  // namespace vaglio::tree
