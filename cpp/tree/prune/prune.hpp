#pragma once
// Cutting a grown tree back. Every method returns a tree in canonical order. A leaf that no training row reached
// (weight 0: the branch of categories absent from its node) has no errors and is not counted as a leaf.
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "tree/config.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

// Weight of the training rows a node would misclassify.
double node_errors(const Tree& tree, std::size_t node);

// C4.5: a subtree that does not err less on the training rows is collapsed; then, from the leaves up, a subtree is
// replaced by a leaf, or (raising) by its largest branch with the rows of the other branches sent down it, when
// the upper confidence limit of the errors is not higher. The data are the rows the tree was grown on;
// without raising they are not read.
Tree prune_error_based(const Tree& tree, const TreeData& data, Criterion criterion, double confidence, bool raising,
                       int threads, Control& control);

// Errors to be added to e observed among n, so that the sum is the upper limit of the binomial error at the
// given confidence (normal approximation, exact at e = 0, interpolated below 1).
double added_errors(double n, double e, double confidence);

// From the leaves up, a subtree of k leaves becomes a leaf when Σ leaf errors + k·ε > node errors + ε.
Tree prune_pessimistic(const Tree& tree, double epsilon);

// Error of each node on validation rows that reach it, were it a leaf (squared error for regression). Terms are rounded
// so that sums up to `bound` are exact: the errors of parts of the rows add up to those of all.
std::vector<double> validation_errors(const Tree& tree, const TreeData& validation, double bound, Control& control);

// From the leaves up, a subtree becomes a leaf when the leaf does not err more.
Tree prune_reduced_error(const Tree& tree, std::span<const double> errors);

// What cost-complexity pruning trades against leaves: the impurity of the leaves, or their training errors.
enum class Risk : std::uint8_t { impurity, error };

// The nested sequence of trees, each from the one before by cutting the weakest links: the inner nodes with the least
// (R(node) − R(subtree)) / (leaves − 1). Entry 0 is the whole tree.
struct PruningPath {
    std::vector<double> alphas;
    std::vector<double> risks;  // R of the tree, per unit of training weight
    std::vector<std::int64_t> leaves;
};
PruningPath cost_complexity_path(const Tree& tree, Risk risk, Control& control);

// The smallest tree of the sequence whose alpha is at most the given one.
Tree prune_cost_complexity(const Tree& tree, Risk risk, double alpha, Control& control);

// The node that stands for each of these nodes in the tree that each alpha prunes to: itself, or the leaf that its
// subtree has become part of. Alphas ascend; one row of nodes per alpha. No tree is made for it.
std::vector<std::int32_t> standing_nodes(const Tree& tree, Risk risk, std::span<const std::int32_t> nodes,
                                         std::span<const double> alphas, Control& control);

}  // namespace vaglio::tree
