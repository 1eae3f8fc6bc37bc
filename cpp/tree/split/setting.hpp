#pragma once
// What all splits of one growth share: the table, the options, the threads and their memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/partition/partition.hpp"
#include "tree/split/context.hpp"

namespace vaglio::tree {

// What stays the same through one growth.
struct GrowSetting {
    const TreeData& data;
    const TreeConfig& config;
    Scorer scorer;
    double total_weight = 0;
    double rows = 0;           // that count, as often as they were drawn
    Minimum minimum;           // of a branch
    double unit = 1;           // rows per weight, where statistics need counts
    double target_centre = 0;  // regression: targets are kept less this
    // Place of each numeric column among the orders that are kept, or no_order.
    std::vector<std::uint32_t> slot;
    std::size_t slots = 0;

    NodeContext context(const GrowNode& node) const {
        // Entropies of whole counts come from the table, as far as it reaches.
        const bool covered = !scorer.entropy() || node.weight < static_cast<double>(scorer.table().size());
        const bool integral = node.store->integral && covered;
        const bool medians = config.criterion == Criterion::absolute_error;
        std::shared_ptr<const std::vector<RankedTargets>> targets;
        if (medians) targets = std::make_shared<const std::vector<RankedTargets>>(rank_targets(node, data.outputs));
        return {data, config, scorer, node, node.sums, node.weight, minimum, unit, integral, std::move(targets)};
    }
};

// The threads that may work on one node, and the memory of each.
struct Team {
    int threads;
    std::span<ScanScratch> scan;
    std::span<PartitionScratch> partition;
};

// How many threads a node is worth, for work on so many of its columns.
inline int helpers(const Team& team, const GrowNode& node, std::size_t columns) {
    // Some tens of microseconds of work: below this, waking other threads costs more than it saves.
    constexpr std::size_t shared_cells = 1u << 16;
    return static_cast<std::size_t>(node.size) * columns >= shared_cells ? team.threads : 1;
}

}  // namespace vaglio::tree
