#pragma once
// The thresholds of numeric features by the Gini index where rows have weights of their own, as in the rounds of
// boosting: a few weights per bin tell which rows are worth sorting.
//
// Weights are taken as whole multiples of one power of two, so small that its rounding is that of a sum of doubles.
// Their sums are exact in any order, and so the bins lose nothing.
#include <cstdint>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio {

// Whether the trees of this growth are worth it: small tables and deep trees have small nodes, for which orders are
// kept.
bool weighs_rows(const TreeData& data, const TreeConfig& config);

// Whether it can take features of a node.
bool weighs_rows(const NodeContext& context);

// Whether it can take this column of such a node.
inline bool weighs_column(const NodeContext& context, std::uint32_t column) { return context.data.complete[column]; }

// The best thresholds of these features, among them the best of all: the others may be missing.
void scan_weighed(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                  std::span<Candidate> candidates);

}  // namespace vaglio
