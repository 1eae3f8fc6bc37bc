#pragma once
// The histogram grower: trees on bins, from sums per node, feature and code. It grows what max_bins asks for in memory,
// and finishes nodes of larger tables whose rows have been gathered.
#include "base/control.hpp"
#include "tree/binned/row_lists.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

// Sets weight, count and sums of a node to those of rows.
void measure_rows(const BinnedSetting& setting, const BinnedTable& table, const RowLists& lists, GrowNode& node);

// The tree of some rows of a table, below a node that may stand anywhere in a larger tree: `start` has their sums, and
// what it has from the nodes above. The same tree for any number of threads, and whatever the order of the rows.
Tree grow_binned(const BinnedSetting& setting, const BinnedTable& table, RowLists lists, const GrowNode& start,
                 int threads, Control& control);

// The tree whose root has these rows; the seed is that of its random numbers.
Tree grow_from_root(BinnedSetting& setting, const BinnedTable& table, RowLists lists, std::uint64_t seed, int threads,
                    Control& control);

}  // namespace vaglio::tree
