#pragma once
// A tree of thresholds with its nodes depth first, all of the left branch before the right, and what the training rows
// leave in each node: how scikit-learn keeps a tree.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio::tree {

// What a walk down needs of a tree in which every test compares one number with a threshold.
struct ThresholdTests {
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::int32_t> first_child;  // -1 for a leaf; else children are this node and the next
    std::span<const std::int32_t> missing_branch;

    std::size_t size() const { return first_child.size(); }
};

// The training rows in single precision, strides in numbers.
struct SingleRows {
    const float* values;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;

    float at(std::size_t row, std::size_t column) const {
        return values[static_cast<std::ptrdiff_t>(row) * row_stride +
                      static_cast<std::ptrdiff_t>(column) * column_stride];
    }
};

// What the rows weigh and the numbers they have; no weights are weights of one, no targets are none to sum.
struct RowAmounts {
    std::span<const double> weights;
    std::span<const double> targets;  // rows x outputs
    std::size_t outputs = 0;
};

struct Preorder {
    std::vector<std::int64_t> order;        // the number in the tree of each node
    std::vector<std::int64_t> left, right;  // places of the children; -1 for a leaf
    std::vector<std::int64_t> rows;         // that have a weight above zero
    std::vector<std::uint8_t> missing_left;
    std::vector<double> weight;  // of the rows; empty without targets, like the next
    std::vector<double> sums;    // outputs x nodes: weight times target
    std::size_t depth = 0;
};

// `complete[f]`: no training row lacks feature f. A missing value then goes where most rows go; of equally many, right.
// Throws std::invalid_argument where children do not come after their parent or a feature is not among the columns.
Preorder lay_out(const ThresholdTests& tree, const SingleRows& rows, std::span<const std::uint8_t> complete,
                 const RowAmounts& amounts, Control& control);

}  // namespace vaglio::tree
