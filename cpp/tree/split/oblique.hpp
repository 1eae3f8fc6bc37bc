#pragma once
// Tests of a linear combination of numeric features (oblique trees).
#include <optional>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio::tree {

// The best test Σ coefficient·x <= threshold found for the node, if its gain (and its worth) is higher than that of
// the axis-parallel choice; nothing otherwise. `axis` are the best tests of the single features, `chosen` the one
// that won (or null). Directions tried: Fisher's discriminant of each class against the rest, for numbers the slopes by
// least squares and the discriminant of those above the middle, then random changes of the best one so far; the random
// numbers depend on the node's key alone.
std::optional<Candidate> search_linear(const NodeContext& context, std::span<const Candidate> axis,
                                       const Candidate* chosen, ScanScratch& scratch);

// Branch of every row of the node under a linear test; the candidate's missing branch where a value is unknown.
void assign_linear(const TreeData& data, const GrowNode& node, const Candidate& candidate,
                   std::vector<std::int32_t>& branch);

}  // namespace vaglio::tree
