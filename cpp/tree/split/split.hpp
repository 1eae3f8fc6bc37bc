#pragma once
// Choosing a node's test among the best tests of its features, and making the branches.
#include <optional>
#include <span>
#include <vector>

#include "tree/partition/partition.hpp"
#include "tree/split/context.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// What stays the same through one growth.
struct GrowSetting {
    const TreeData& data;
    const TreeConfig& config;
    Scorer scorer;
    double total_weight = 0;
    double min_leaf = 0;
    double target_mean = 0;  // regression: targets are kept less this
    // Place of each numeric column among the orders that are kept, or no_order.
    std::vector<std::uint32_t> slot;
    std::size_t slots = 0;

    NodeContext context(const GrowNode& node) const {
        // Entropies of whole counts come from the table, as far as it reaches.
        const bool covered = !scorer.entropy() || node.weight < static_cast<double>(scorer.table().size());
        const bool integral = node.store->integral && covered;
        return {data, config, scorer, node, node.sums, node.weight, min_leaf, integral};
    }
};

constexpr std::uint32_t no_order = UINT32_MAX;

// The threads that may work on one node, and the memory of each.
struct Team {
    int threads;
    std::span<ScanScratch> scan;
    std::span<PartitionScratch> partition;
};

// Whether the sieve finds every test below this node: then its rows need no labels, weights or orders.
bool all_sieved(const GrowSetting& setting, const GrowNode& node);

// True when the node cannot or need not be split, whatever the features say.
bool is_terminal(const GrowSetting& setting, const GrowNode& node);

// The winning test, or nothing.
std::optional<Candidate> find_split(const GrowSetting& setting, const GrowNode& node, const Team& team);

// Writes the test into the tree, appends the children and moves the rows; returns the children to be split further.
std::vector<GrowNode> apply_split(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                                  const Team& team, Tree& tree);

// Value, weight and impurity of a node.
void describe_node(const GrowSetting& setting, const GrowNode& node, bool integral, Tree& tree);

}  // namespace vaglio
