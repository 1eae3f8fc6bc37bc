#pragma once
// Choosing a node's test among the best tests of its features.
#include <optional>

#include "tree/split/setting.hpp"

namespace vaglio {

// Whether the sieve finds every test below this node: then its rows need no labels, weights or orders.
bool all_sieved(const GrowSetting& setting, const GrowNode& node);

// The winning test, or nothing.
std::optional<Candidate> find_split(const GrowSetting& setting, const GrowNode& node, const Team& team);

}  // namespace vaglio
