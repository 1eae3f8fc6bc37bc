#pragma once
// What is done with a part of the rows: sums that add up to those of all rows, in any order and division.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/growth/drawing.hpp"
#include "boosting/loss/loss.hpp"
#include "boosting/passes/flat_trees.hpp"

namespace vaglio::boosting {

struct PartOfRows {
    const BinnedTable& table;            // of the part, in blocks
    Target target;                       // of its rows, with their raw predictions
    std::uint64_t start = 0;             // the number of its first row in the whole table
    const std::uint8_t* held = nullptr;  // per row: not learned from, but watched; null: none is

    bool learns(std::size_t row) const { return !held || held[row] == 0; }
};

// Gradients of open nodes: (slot, output, bins of all features). And their squares, per tree.
struct NodeSums {
    std::vector<GradientSums> sums;
    std::vector<SquareSum> squares;
};
NodeSums sum_nodes(const FlatTrees& trees, const PartOfRows& part, const RoundDraw& draw, const FixedPoint& unit);

// What the leaves of finished trees have: sums (node, output) and weights (node).
struct LeafSums {
    std::vector<GradientSums> sums;
    std::vector<double> weights;
};
LeafSums sum_leaves(const FlatTrees& trees, const PartOfRows& part, const RoundDraw& draw, const FixedPoint& unit);

// The raw predictions once the values of the leaves are added, (outputs, rows).
std::vector<double> add_trees(const FlatTrees& trees, const PartOfRows& part);

// The losses of the rows that are learned from, and of those that are watched.
struct PartLosses {
    LossSum training, watched;
};
PartLosses sum_losses(const PartOfRows& part);

// What the start is made of.
BaselineSums sum_baseline(const PartOfRows& part, double least);

}  // namespace vaglio::boosting
