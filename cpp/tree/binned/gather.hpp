#pragma once
// Sums of some rows per feature and code.
#include <span>
#include <vector>

#include "tree/binned/choose.hpp"

namespace vaglio {

// The rows of a node, with what they add to sums; gathered once, read for every feature.
struct NodeRows {
    std::vector<Label> labels;
    std::vector<std::uint32_t> counts;     // whole weights; empty: all one
    bool whole = true;                     // else the weights are in `weights`
    std::vector<double> weights, rows;     // `rows` where weights are more than counts of rows
    std::vector<double> targets, squares;  // regression: times weight

    std::span<const std::uint32_t> index;  // of the rows in the table
};

// `weights` and `counts` of the rows where they are not those of the table; empty else.
void gather_rows(const BinnedSetting& setting, const BinnedTable& table, std::span<const std::uint32_t> index,
                 std::span<const double> weights, std::span<const double> counts, NodeRows& rows);

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

}  // namespace vaglio
