#pragma once
// The weighted median of a set of rows that grows, and the absolute error around it: a Fenwick tree over the ranks of
// the node's targets has the weights and the weighted targets below every rank. A row is added, and the median found,
// in O(log n).
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/node.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {

// The targets of a node in order.
class RankedTargets {
 public:
    explicit RankedTargets(std::span<const double> targets);

    std::size_t size() const { return ascending_.size(); }
    double at(std::size_t rank) const { return ascending_[rank]; }
    std::uint32_t rank(std::uint32_t position) const { return rank_[position]; }
    double of(std::uint32_t position) const { return ascending_[rank_[position]]; }

 private:
    std::vector<double> ascending_;
    std::vector<std::uint32_t> rank_;  // by the row's position in the node
};

// The targets of a node, those of each output where there are several.
std::vector<RankedTargets> rank_targets(const GrowNode& node, const Outputs* outputs);

class GrowingMedian {
 public:
    GrowingMedian(const RankedTargets& targets, const GrowNode& node);

    void clear();
    void add(std::uint32_t position);
    // Of the rows added so far; nothing where there is none.
    Fit fit() const;

 private:
    struct Below {
        double weight = 0, sum = 0;
    };
    // The last rank below which the weight is at most `limit` (or, if strict, less than it), and what is below it.
    std::size_t descend(double limit, bool strict, Below& below) const;

    const RankedTargets& targets_;
    const GrowNode& node_;
    std::vector<Below> tree_;  // entry i has ranks (i − lowest bit of i, i]
    std::size_t top_ = 1;      // the greatest power of two up to the number of ranks
    Below all_;
};

// The fits of both sides of every cut of an order that may be taken: entry i is the cut behind order[i]. Rows in `left`
// and `right` stand on that side from the start.
struct CutFits {
    std::vector<Fit> left, right;
};
struct Cuts {
    std::span<const std::uint32_t> order;
    std::span<const std::uint32_t> left, right;
    std::size_t first, end;  // the cuts in [first, end) where the value changes
};
// Of several outputs the losses are the mean, and the values those of the last.
CutFits fit_cuts(std::span<const RankedTargets> targets, const GrowNode& node, const Cuts& cuts);

}  // namespace vaglio::tree
