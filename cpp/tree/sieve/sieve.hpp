#pragma once
// The sieves: the best thresholds of several numeric features of a node at once. A few bins per feature are summed up
// first; where even the best split that the sums of a bin allow stays behind the best border of any feature, its rows
// are never sorted. The winner is that of a full scan of every feature, to the bit. There is one sieve per kind of sum:
// whole counts of classes, squared errors of numbers, and real weights of classes.
//
// Gain ratio is left out: its condition on the average needs the best gain of every feature.
#include <cstdint>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio::tree {

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

// The same for any number of classes and for values that are missing, by Gini or by entropy: where scan_sieve, whose
// counts fit a word, hands over.
void sieve_classes(const NodeContext& context, std::span<const std::uint32_t> features, SieveScratch& scratch,
                   std::span<Candidate> candidates);

// Numbers as targets, by squared error. The bits of a sum of doubles depend on the order of its terms, so that a scan
// cannot leap over bins as it does with whole counts: this sieve tells which features may win, and these are scanned
// from end to end.

// Up to here the order of every column is kept from node to node: sorting it once serves the whole subtree.
inline constexpr std::uint32_t fewest_sieved_targets = 512;

// Whole weights, missing values that join a branch, and squared errors without constraints. Real weights are left out:
// where the light side of a cut has next to nothing, the rounding of sums may give it any score, and no bound holds.
bool sieves_targets(const TreeData& data, const TreeConfig& config);
bool sieves_targets(const NodeContext& context);

// The best thresholds of these features, among them the best of all: the others may be missing.
void scan_targets(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                  std::span<Candidate> candidates);

// Classes by the Gini index where rows have weights of their own, as in the rounds of boosting. Weights are taken as
// whole multiples of one power of two, so small that its rounding is that of a sum of doubles. Their sums are exact in
// any order, and so the bins lose nothing.

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

}  // namespace vaglio::tree
