#pragma once
// What growing a tree decides, from sums of gradients alone: the node of the largest gain is split next, or one level
// after the other. Where the rows are, and who adds their gradients up, others know.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/binned.hpp"
#include "boosting/histogram.hpp"
#include "boosting/split.hpp"

namespace vaglio::boosting {

struct GrowthConfig {
    SplitConfig split;
    std::size_t max_leaves = 31;  // 0: no limit
    std::uint32_t max_depth = 0;  // 0: no limit
    bool level_wise = false;
    double max_features = 1.0;                             // share of the features that a node draws from
    std::vector<std::vector<std::uint32_t>> interactions;  // features that may meet on a path; empty: all
    // Per feature: the turn in which it may be tested, or -1 for always; empty: all always.
    std::vector<std::int32_t> turns;
};

// Where rows are in a list.
struct RowRange {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};

struct GrownNode {
    std::int32_t feature = -1;  // -1: a leaf
    std::uint32_t bin = 0;
    bool missing_right = true;
    std::int32_t first_child = -1;
    std::uint32_t depth = 0;
    std::vector<RowRange> rows;        // of a grower that has rows: where those of the node are, in each part of them
    std::vector<std::uint32_t> right;  // nominal
    double gain = 0.0;
    std::vector<double> values;      // per output
    std::vector<GradientSums> sums;  // likewise
    ValueRange range;

    bool is_leaf() const { return first_child < 0; }
    std::size_t row_count() const;
    // The test of a split, without children yet.
    void take_test(const Split& split);
};

struct GrownTree {
    std::vector<GrownNode> nodes;  // children lie side by side, behind their parent

    // Newton steps of the leaves, from what their sums are now.
    void take_steps(const SplitConfig& config, const FixedPoint& unit);
    // The largest value of a leaf, of one output; throws std::overflow_error if one is no number.
    double farthest_value(std::size_t output) const;
};

// What a tree is grown by, besides its rows.
struct TreeTask {
    std::size_t outputs = 1;
    FixedPoint unit{1, 1.0, 1.0, true};
    double noise = 1.0;     // mean squared gradient per Hessian
    std::uint64_t key = 0;  // of what is drawn
    std::int32_t turn = 0;  // of the features
};

class TreeGrower {
 public:
    TreeGrower(const BinnedTable& table, const GrowthConfig& config, int threads);
    TreeGrower(TreeGrower&&) = default;
    virtual ~TreeGrower() = default;

 protected:
    using Histograms = std::vector<Histogram>;  // per output
    struct Candidate {
        Split split;
        Sides sides;
        Histograms histograms;
        std::vector<std::uint32_t> groups;  // of the interaction constraints, those that the path has left open
        Histograms ahead;                   // of the smaller side, where it was counted before it is needed
    };

    void begin(const TreeTask& task);
    void plant(Histograms&& histograms);
    bool growing() const { return !open_.empty() && (config_.max_leaves == 0 || leaves_ < config_.max_leaves); }
    std::size_t next() const;
    void divide(std::size_t place);
    bool may_split(std::uint32_t depth, const std::vector<GradientSums>& sums) const;
    // Which sides of a candidate will be searched, and whether the left one has fewer rows.
    struct Below {
        bool left, right, left_smaller;
    };
    Below below(const GrownNode& node, const Sides& sides) const;

    // Sends the rows of a node that was split to its children, which lie side by side. Returns the histograms of the
    // one that has fewer rows, if one of them will be searched.
    virtual Histograms send_rows(std::size_t node, const Below& to_do, Candidate& own) = 0;
    // What is still to be done for the features of a share until these histograms are whole.
    virtual void finish(std::size_t, Histograms&) {}
    // The groups of features of a share, where there are groups for all: up to the first of the next share.
    std::size_t first_group(std::size_t share) const { return table_.groups().size() * share / shares_.size(); }
    Histograms spare();

    const BinnedTable& table_;
    const GrowthConfig& config_;
    int threads_;
    // Features that threads search: a share is always the work of the same thread, if that has time, whose cache knows
    // its histograms.
    std::vector<std::vector<std::uint32_t>> shares_;

    // Of the tree that is growing.
    TreeTask task_;
    GrownTree tree_;
    std::size_t leaves_ = 0;
    std::vector<std::size_t> open_;  // nodes with a split, in the order of their making
    std::vector<Candidate> candidates_;
    std::vector<Histograms> spares_;  // memory that no node needs any more

 private:
    // A node whose best split is looked for.
    struct Search {
        std::size_t node;
        Histograms histograms;
        std::vector<std::uint32_t> features;  // to choose from, ascending
        std::vector<Split> splits;            // of each feature of the table
    };
    Search begin_search(std::size_t node, const std::vector<std::uint32_t>& groups, Histograms&& histograms) const;
    SplitTask task_of(const Search& search) const;
    void search(Search& own, std::size_t feature) const;
    void end_search(Search& own, const std::vector<std::uint32_t>& groups);
    std::vector<std::uint32_t> features_of(std::size_t node, const std::vector<std::uint32_t>& groups) const;
    void make_children(std::size_t node, const Split& split, Sides& sides);
    std::vector<std::uint32_t> groups_with(const Candidate& parent) const;
};

}  // namespace vaglio::boosting
