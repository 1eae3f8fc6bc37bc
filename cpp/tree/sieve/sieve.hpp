#pragma once
// The best thresholds of several numeric features at once, by Gini or by information gain. A few bins per feature are
// counted first; where even the best split that the class counts of a bin allow stays behind the best border of any
// feature, its rows are never sorted. The winner is exactly that of a full scan.
//
// Gain ratio is left out: its condition on the average needs the best gain of every feature.
#include <cstdint>
#include <span>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio {

// Whole counts of a few classes, Gini or gain, nothing that needs every threshold or feature judged.
bool sieve_applies(const TreeData& data, const TreeConfig& config);
bool sieve_applies(const NodeContext& context);

// A numeric column whose keys are short and of which every value is known, or missing values join a branch.
bool sieve_takes(const NodeContext& context, std::uint32_t column);

// Whether the sieve is faster than scans of an order that is kept from node to node.
bool sieve_spares_order(const NodeContext& context, std::uint32_t column);

// candidates[i] is that of features[i]: exact for the winner and whatever ties with it. Features that cannot win may be
// left without a valid candidate.
void scan_sieve(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                std::span<Candidate> candidates);

}  // namespace vaglio
