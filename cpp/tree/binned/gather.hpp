#pragma once
// Sums of some rows per feature and code.
#include <span>
#include <vector>

#include "tree/binned/row_lists.hpp"

namespace vaglio::tree {

// The rows of a node, with what they add to sums.
struct NodeRows {
    std::span<const std::uint32_t> index;   // of the rows in the table
    std::span<const Label> labels;          // classification
    std::span<const std::uint16_t> counts;  // whole weights; empty: all one
    bool whole = true;                      // else the weights are in `weights`
    std::span<const double> weights, rows;  // `rows` where weights are more than counts of rows
    std::vector<double> targets, squares;   // regression: times weight

    double weight(std::size_t i) const { return !whole ? weights[i] : counts.empty() ? 1.0 : counts[i]; }
};

// The rows [start, start + size) of lists.
void view_rows(const BinnedSetting& setting, const BinnedTable& table, const RowLists& lists, std::size_t start,
               std::size_t size, NodeRows& rows);

// Weight, count and sums of the rows.
void add_up(const BinnedSetting& setting, const NodeRows& rows, GrowNode& node);

// The slots of a feature.
Slots gather_slots(const BinnedSetting& setting, const BinnedTable& table, const NodeRows& rows, std::uint32_t feature,
                   BinnedScratch& scratch);

// Class counts of whole weights, code by code: (bins + 1) · classes numbers are added to.
void count_codes(const BinnedTable& table, const NodeRows& rows, std::uint32_t feature, std::uint32_t* counts);
// The slots that such counts stand for.
Slots slots_of_counts(const BinnedSetting& setting, const std::uint32_t* counts, std::uint32_t bins,
                      ScanScratch& scratch);

}  // namespace vaglio::tree
