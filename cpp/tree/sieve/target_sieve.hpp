#pragma once
// The sieve of numbers as targets, by squared error. The bits of a sum of doubles depend on the order of its terms, so
// that a scan cannot leap over bins as it does with whole counts: the sieve tells which features may win, and these are
// scanned from end to end. The winner is that of scans of all features, to the bit.
#include <cstdint>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio {

// Up to here the order of every column is kept from node to node: sorting it once serves the whole subtree.
inline constexpr std::uint32_t fewest_sieved_targets = 512;

// Whole weights, missing values that join a branch, and squared errors without constraints. Real weights are left out:
// where the light side of a cut has next to nothing, the rounding of sums may give it any score, and no bound holds.
bool sieves_targets(const TreeData& data, const TreeConfig& config);
bool sieves_targets(const NodeContext& context);

// The best thresholds of these features, among them the best of all: the others may be missing.
void scan_targets(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                  std::span<Candidate> candidates);

}  // namespace vaglio
