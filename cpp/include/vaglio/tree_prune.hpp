#pragma once
// Cutting a grown tree back. Every method returns a tree in canonical order.
#include "vaglio/control.hpp"
#include "vaglio/tree.hpp"
#include "vaglio/tree_data.hpp"

namespace vaglio {

// Weight of the rows a node of these class weights would misclassify; 0 for a node that no training row reached.
double node_errors(const Tree& tree, std::size_t node);

// C4.5: a subtree that does not err less on the training rows is collapsed; then, from the leaves up, a subtree is
// replaced by a leaf, or (raising) by its largest branch with the rows of the other branches sent down it, when
// the upper confidence limit of the errors is not higher. The data are the rows the tree was grown on.
Tree prune_error_based(const Tree& tree, const TreeData& data, double confidence, bool raising, Control& control);

// Errors to be added to e observed among n, so that the sum is the upper limit of the binomial error at the
// given confidence (normal approximation, exact at e = 0, interpolated below 1).
double added_errors(double n, double e, double confidence);

}  // namespace vaglio
