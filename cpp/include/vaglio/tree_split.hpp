#pragma once
// Choosing a node's test among the best tests of its features, and making the branches.
#include <optional>
#include <span>
#include <vector>

#include "vaglio/tree.hpp"
#include "vaglio/tree_partition.hpp"
#include "vaglio/tree_scan.hpp"

namespace vaglio {

// What stays the same through one growth.
struct GrowSetting {
    const TreeData& data;
    const TreeConfig& config;
    Scorer scorer;
    double total_weight = 0;
    double min_leaf = 0;
    double target_mean = 0;  // regression: targets are kept less this
    std::size_t numeric_columns = 0;

    NodeContext context(const GrowNode& node) const {
        const bool integral = node.store->integral && node.weight < static_cast<double>(scorer.table().size());
        return {data, config, scorer, node, node.sums, node.weight, min_leaf, integral};
    }
};

struct Worker {
    ScanScratch scan;
    PartitionScratch partition;
};

// The threads that may work on one node, and their memory.
struct Team {
    int threads;
    std::span<Worker> workers;
};

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
