#pragma once
// How much of what a nominal feature of many values explains would be explained by chance.
#include "tree/split/context.hpp"

namespace vaglio {

// Whether a feature has so many values that its gain is corrected for chance.
bool is_guarded(const NodeContext& context, std::int32_t feature);

// The part of a guarded feature's gain that is expected on other rows, from 0 to 1. Reads the sums, weights and squared
// weights of the first `known` slots of the scratch memory.
double expected_part(const NodeContext& context, const ScanScratch& scratch, std::size_t known);

}  // namespace vaglio
