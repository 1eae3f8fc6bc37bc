#pragma once
// The test of a node, chosen from the sums of its rows per feature and code: the one function that decides, wherever
// the sums were made.
#include <functional>
#include <optional>
#include <span>

#include "tree/binned/amounts.hpp"
#include "tree/binned/table.hpp"
#include "tree/split/apply.hpp"
#include "tree/threshold/by_slots.hpp"

namespace vaglio::tree {

// Memory of one worker.
struct BinnedScratch {
    ScanScratch scan;
    SlotRows rows;
    std::vector<std::uint32_t> histogram;
    std::vector<std::uint64_t> keys, spare;

    explicit BinnedScratch(const TreeData& layout) : rows(layout) {}
};

// Fills the slots of a feature (split/nominal.hpp) in the worker's memory.
using GatherSlots = std::function<Slots(std::uint32_t feature, BinnedScratch& scratch)>;

// A chosen test. Of the partition, sums, weights and counts of the branches are set, and the branches' shares; where
// rows are spread over the branches, the sums have their parts in proportion.
struct BinnedChoice {
    Candidate candidate;
    NominalBranches nominal;
    Partition partition;
};

std::optional<BinnedChoice> choose_split(const GrowSetting& setting, const GrowNode& node, const GatherSlots& gather,
                                         int threads, std::span<BinnedScratch> scratch);

// The branch of a code under a test; every_branch where its rows are spread.
struct BranchOf {
    std::vector<std::int32_t> table;  // nominal: per code; empty for a numeric test
    std::uint32_t last_left = 0;      // numeric
    std::uint32_t bins = 0;           // the code of a missing value
    std::int32_t missing = every_branch;

    BranchOf() = default;
    BranchOf(const Candidate& candidate, const NominalBranches& nominal, std::uint32_t bins);
    std::int32_t operator()(std::uint32_t code) const {
        if (code >= bins) return missing;
        return table.empty() ? static_cast<std::int32_t>(code > last_left) : table[code];
    }
};

// What is known of weights and targets before growth.
struct GrowthWeights {
    AmountBounds bounds;
    double unit = 1;        // the given weight that a weight of one stands for
    double middle = 0;      // regression: what was taken from the targets
    bool whole = true;      // weights are whole numbers
    bool weighted = false;  // and more than counts of rows
};

// What all ways of growing on bins share: the setting of the splits, the marks of nodes, how amounts are rounded.
class BinnedSetting {
 public:
    // `drawn`: rows count as often as they are drawn.
    BinnedSetting(const TreeData& layout, const TreeConfig& config, const GrowthWeights& amounts, bool drawn);
    BinnedSetting(const BinnedSetting&) = delete;

    void set_totals(double weight, double rows);
    GrowNode root(std::uint64_t key) const;
    const GrowSetting& growth() const { return setting_; }
    const WeightSummary& amounts() const { return amounts_; }
    bool weighted() const { return whole_->weighted; }
    bool equal() const { return whole_->weights.empty(); }

    // Marks a child of a node: what it may test, its random numbers, its bounds and whether its weights are whole.
    void inherit(const GrowNode& parent, const BinnedChoice& choice, std::size_t branch, GrowNode& child) const;
    std::vector<BinnedScratch> scratch(int threads) const;

 private:
    TreeData layout_;
    TreeConfig config_;
    GrowSetting setting_;
    WeightSummary amounts_;
    std::shared_ptr<RowStore> whole_, real_;  // no rows: marks of nodes whose weights are whole numbers, or not
};

}  // namespace vaglio::tree
