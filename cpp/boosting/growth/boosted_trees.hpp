#pragma once
// The trees of all rounds.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/growth/tree_grower.hpp"
#include "forest/forest.hpp"

namespace vaglio::boosting {

// The trees in the compact form that all forests share; a leaf says (value, weight of its training rows). A tree for
// several outputs is kept once per output: whoever reads the model sees one tree per output and round.
struct BoostedTrees {
    std::vector<ForestNode> nodes;
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint32_t> tables;
    std::vector<double> leaves;  // two numbers each
    std::vector<double> gains;   // of each node, 0 for a leaf

    // One output of a tree; weights are those of the training rows of each node that is a leaf.
    void add(const GrownTree& tree, std::size_t output, const std::vector<double>& weights,
             const std::vector<BinnedFeature>& features);
};

}  // namespace vaglio::boosting
