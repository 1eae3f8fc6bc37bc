#pragma once
// Which rows of a node have a value, for the absolute error, which needs them one by one: the rows of each category of
// a nominal feature with the best division of the categories, and those that an order of numbers leaves out.
#include <cstdint>
#include <span>
#include <vector>

#include "tree/split/nominal.hpp"

namespace vaglio::tree {

// Puts the positions of the node's rows together by slot, in scratch.grouped and scratch.group_start; rows of unknown
// value come last.
void group_rows(const NodeContext& context, std::span<const std::int32_t> codes, ScanScratch& scratch);

// Those of one slot, and of all slots before it.
std::span<const std::uint32_t> rows_in(const ScanScratch& scratch, std::size_t slot);
std::span<const std::uint32_t> rows_before(const ScanScratch& scratch, std::size_t slot);

// The best cut of the first `slots` slots in the order of their medians. (Of all divisions another one may be better:
// unlike the squared error, the absolute error does not promise that the best one follows an order.)
SubsetSplit best_median_cut(const NodeContext& context, std::size_t slots, const ScanScratch& scratch);

// Positions of the rows that an order does not have: their value is missing.
std::vector<std::uint32_t> left_out(const GrowNode& node, std::span<const std::uint32_t> order);

}  // namespace vaglio::tree
