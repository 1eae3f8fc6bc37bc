#pragma once
// One tree: the node of the largest gain is split next, or one level after the other.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
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

// Derivatives of the outputs that a tree speaks for: those of output k begin at rows + k * stride.
struct TreeGradients {
    const RowGradient* rows = nullptr;
    std::size_t stride = 0, outputs = 1;
};

struct GrownNode {
    std::int32_t feature = -1;  // -1: a leaf
    std::uint32_t bin = 0;
    bool missing_right = true;
    std::int32_t first_child = -1;
    std::uint32_t depth = 0;
    std::size_t begin = 0, end = 0;    // its rows, in the grower's order
    std::vector<std::uint32_t> right;  // nominal
    double gain = 0.0;
    std::vector<double> values;      // per output
    std::vector<GradientSums> sums;  // likewise
    ValueRange range;

    bool is_leaf() const { return first_child < 0; }
};

struct GrownTree {
    std::vector<GrownNode> nodes;  // children lie side by side, behind their parent

    // The leaf of a row of the table, by its bins.
    std::size_t leaf(const BinnedTable& table, std::size_t row) const;
};

class Grower {
 public:
    Grower(const BinnedTable& table, const GrowthConfig& config, int threads)
        : table_(table), config_(config), threads_(threads), histograms_(table, threads) {}

    // Grows a tree on the given rows, whose order it changes: the rows of a leaf end up side by side.
    GrownTree grow(const TreeGradients& gradients, const FixedPoint& unit, double noise,
                   std::vector<std::uint32_t>& rows, std::uint64_t key, std::int32_t turn, Control& control);

 private:
    using Histograms = std::vector<Histogram>;  // per output
    struct Candidate {
        Split split;
        Sides sides;
        Histograms histograms;
        std::vector<std::uint32_t> groups;  // of the interaction constraints, those that the path has left open
    };
    bool may_split(const GrownNode& node) const;
    void make_root();
    void find(std::size_t node, const std::vector<std::uint32_t>& groups, Histograms&& histograms);
    std::vector<std::uint32_t> features_of(std::size_t node, const std::vector<std::uint32_t>& groups) const;
    std::size_t next() const;
    void divide(std::size_t node);
    void make_children(std::size_t node, const Split& split, Sides& sides);
    std::size_t partition(const GrownNode& node);
    Histograms count(const GrownNode& node);

    const BinnedTable& table_;
    const GrowthConfig& config_;
    int threads_;
    HistogramBuilder histograms_;

    // Of the tree that is growing.
    TreeGradients gradients_;
    FixedPoint unit_{1, 1.0, 1.0, true};
    double noise_ = 1.0;
    std::uint64_t key_ = 0;
    std::int32_t turn_ = 0;
    std::vector<std::uint32_t>* rows_ = nullptr;
    std::vector<std::uint32_t> moved_;
    GrownTree tree_;
    std::size_t leaves_ = 0;
    std::vector<std::size_t> open_;  // nodes with a split, in the order of their making
    std::vector<Candidate> candidates_;
    std::vector<Histograms> spares_;
};

}  // namespace vaglio::boosting
