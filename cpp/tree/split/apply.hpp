#pragma once
// Carrying out a node's test, and what a node says of itself in the tree.
#include <vector>

#include "tree/split/nominal.hpp"
#include "tree/split/setting.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// Sizes, sums and weights of the branches of a test, with the branch of every row; `nominal` is filled for a nominal
// test.
Partition divide(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team,
                 NominalBranches& nominal);

// True when the node cannot or need not be split, whatever the features say.
bool is_terminal(const GrowSetting& setting, const GrowNode& node);

// Writes the test into the tree, appends the children and moves the rows; returns the children to be split further.
std::vector<GrowNode> apply_split(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                                  const Team& team, Tree& tree);

// Value, weight and impurity of a node.
void describe_node(const GrowSetting& setting, const GrowNode& node, bool integral, Tree& tree);

}  // namespace vaglio
