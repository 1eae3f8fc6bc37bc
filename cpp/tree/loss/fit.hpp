#pragma once
// Losses of regression that sums over rows cannot tell: the absolute error, and the deviance of Poisson's counts. What
// a node predicts and loses by them comes from its rows, once per node.
#include <vector>

#include "tree/config.hpp"
#include "tree/partition/partition.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {

struct WeightedTarget {
    double target, weight;
};

inline bool fits_rows(Criterion criterion) {
    return criterion == Criterion::absolute_error || criterion == Criterion::poisson;
}

// The weighted median with Σ w·|y − median|, or the mean with Σ w·y·ln(y / mean). Where any number between two targets
// is a median, it is the one in the middle. The rows may be put into another order.
Fit fit_rows(Criterion criterion, std::vector<WeightedTarget>& rows);

// The fit of a node that has its rows, and of the branches of a node whose rows are still together.
void fit_node(Criterion criterion, const Outputs* outputs, GrowNode& node);
void fit_branches(Criterion criterion, const Outputs* outputs, const GrowNode& node, Partition& partition);

}  // namespace vaglio::tree
