#pragma once
// The exact grower: rows in memory, every distinct value a possible threshold. It serves ID3, C4.5, CART, AdaBoost,
// bagging, random forests and the local trees of neighbours, which differ only in their options (tree/config.hpp).
//
// It is one of four growers, because the rows decide what a split costs:
// clang-format off
//   exact      tree/grow.cpp           ranks of rows in memory; any criterion, missing-value policy and constraint
//   histogram  tree/binned/grow.cpp    rows in memory as bins (max_bins): sums per bin in place of scans of rows
//   levels     tree/binned/levels.cpp  rows out of core: one pass over them brings the sums of many nodes; nodes that
//                                      have become small are finished by the histogram grower
//   gradients  boosting/growth/        boosting: sums of gradients and Hessians per bin in fixed point, a sibling's by
//                                      subtraction; in memory (Grower) or in passes (PassGrower)
// clang-format on
// The first three return a tree::Tree. The second and third decide by one function (tree/binned/choose.cpp), which
// judges tests with the code of the exact grower. Boosting shares the columns of bins (columns/binned.hpp) and packs
// its own trees: its gain is that of a Newton step.
#include "base/control.hpp"
#include "tree/config.hpp"
#include "tree/partition/partition.hpp"
#include "tree/split/context.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

// The same tree for any number of threads. A table that allows no split gives one leaf.
Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control);

// The same, cut back as the options say.
Tree learn_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control);

// Memory that one tree after the other is grown with.
struct GrowScratch {
    std::vector<ScanScratch> scan;  // one per thread
    std::vector<PartitionScratch> partition;
};
Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control, GrowScratch& scratch);

}  // namespace vaglio::tree
