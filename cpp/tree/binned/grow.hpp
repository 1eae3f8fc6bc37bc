#pragma once
// The histogram grower: trees on bins, from sums per node, feature and code. It grows what max_bins asks for in memory,
// and finishes nodes of larger tables whose rows have been gathered.
#include "base/control.hpp"
#include "tree/binned/choose.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// Adds weight, count and sums of all rows of a table to a node.
void measure_rows(const BinnedSetting& setting, const BinnedTable& table, std::span<const double> weights,
                  std::span<const double> counts, GrowNode& node);

// The tree of the rows of a table, below a node that may stand anywhere in a larger tree: `start` has their sums, and
// what it has from the nodes above. `weights` and `counts` of the rows are given where they are not those of the table,
// because a test above has spread them. The same tree for any number of threads, and whatever the order of the rows.
Tree grow_binned(const BinnedSetting& setting, const BinnedTable& table, std::span<const double> weights,
                 std::span<const double> counts, const GrowNode& start, int threads, Control& control);

// The tree of all rows; the seed is that of its random numbers.
Tree grow_from_root(BinnedSetting& setting, const BinnedTable& table, std::uint64_t seed, int threads,
                    Control& control);

}  // namespace vaglio
