#pragma once
// The one tree grower: ID3, C4.5, CART, the trees of forests and of boosting, by their configuration.
#include "base/control.hpp"
#include "tree/config.hpp"
#include "tree/partition/partition.hpp"
#include "tree/split/context.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// The same tree for any number of threads. A table that allows no split gives one leaf.
Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control);

// Memory that one tree after the other is grown with.
struct GrowScratch {
    std::vector<ScanScratch> scan;  // one per thread
    std::vector<PartitionScratch> partition;
};
Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control, GrowScratch& scratch);

}  // namespace vaglio
