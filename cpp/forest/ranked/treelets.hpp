#pragma once
// Cuts the trees of a forest into treelets.
#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.hpp"
#include "forest/ranked/ranked_loops.hpp"

namespace vaglio::forest {

struct TreeletTree {
    TreeTop top;
    std::vector<TreePart> parts;
};

// More nodes may lead to more parts than vectors of 32-bit numbers can address.
inline constexpr std::int64_t most_treelet_nodes = std::int64_t{1} << 26;

// `ranks` are those of the tests, node by node.
TreeletTree cut_into_treelets(std::span<const ForestNode> nodes, std::span<const std::uint16_t> ranks);

}  // namespace vaglio::forest
