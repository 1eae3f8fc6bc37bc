#pragma once
// Trees that are still growing, as whoever holds some of the rows needs them: the tests so far, which send a row to its
// open nodes, and what is asked of the rows there. Plain arrays, so that they travel.
#include <cstdint>
#include <span>
#include <vector>

#include "forest/trees_plan.hpp"
#include "tree/binned/amounts.hpp"
#include "tree/binned/table.hpp"
#include "tree/config.hpp"

namespace vaglio::tree {

struct Frontier {
    // Nodes of all trees, tree after tree; children are numbered together, and come after their parent.
    std::vector<std::int32_t> tree_start;   // first node of each tree, and the end
    std::vector<std::int32_t> tree_number;  // of each tree, for its random numbers
    std::vector<std::int32_t> feature;      // -1: the way ends here
    std::vector<std::int32_t> first_child, missing;
    std::vector<std::int64_t> last_left;    // numeric tests
    std::vector<std::int64_t> table_start;  // nominal tests: into `branches`; -1 for numeric ones
    std::vector<std::int64_t> share_start;  // where rows may be spread: into `shares`; as many as branches
    std::vector<std::int32_t> n_children;
    std::vector<std::int32_t> slot;  // of an open node; -1: nothing is asked of its rows
    std::vector<std::int32_t> branches;
    std::vector<double> shares;
    // Per slot: the features whose sums are asked for, into `features`; and where the sums go.
    std::vector<std::int64_t> feature_start;  // and the end
    std::vector<std::int32_t> features;
    std::vector<std::int64_t> offset;  // of each entry of `features` in the sums
    std::vector<std::int64_t> totals;  // of each slot: where its totals go
    std::int64_t cells = 0;            // of all sums

    std::size_t slots() const { return totals.size(); }
};

// How the sums of one feature and code are laid out, one number after the other.
struct CellLayout {
    std::size_t classes = 0;  // 0: weight, Σ w·y and Σ w·y² instead
    bool rows = false;        // numbers of rows, where weights are more than those

    std::size_t width() const { return classes > 0 ? classes : 3; }
    std::size_t size(bool squares) const { return width() + (rows ? 1 : 0) + (squares ? 1 : 0); }
};

// What rows of a part of the table add.
struct PartOfTable {
    const BinnedTable& table;               // these rows
    std::uint64_t start = 0;                // of their numbers
    std::uint64_t all_rows = 0;             // of the whole table
    const TreesPlan& plan;                  // the rows of each tree
    bool weighted = false;                  // weights are more than counts of rows
    std::span<const std::uint8_t> squares;  // per feature: whether squared weights are asked for
};

// The sums of all slots, code by code; doubles that are exact in any order.
std::vector<double> sum_frontier(const Frontier& frontier, const PartOfTable& part, const WeightSummary& amounts);

// The rows of all slots, one slot after the other: the place of each in the part, and what it weighs and counts.
struct GatheredRows {
    std::vector<std::int64_t> start;  // per slot, and the end
    std::vector<std::uint32_t> row;
    std::vector<double> weight, count;
};
GatheredRows gather_frontier(const Frontier& frontier, const PartOfTable& part, const WeightSummary& amounts);

}  // namespace vaglio::tree
