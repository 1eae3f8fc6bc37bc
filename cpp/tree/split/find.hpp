#pragma once
// Choosing a node's test among the best tests of its features.
#include <functional>
#include <optional>
#include <vector>

#include "tree/split/setting.hpp"

namespace vaglio::tree {

// Whether every test below this node is found from ranks, codes and the payload: then its rows need no labels, weights
// or orders.
bool payload_suffices(const GrowSetting& setting, const GrowNode& node);

// Finds the best test of each of some features.
using ScanFeatures = std::function<void(std::span<const std::uint32_t>, std::span<Candidate>)>;

// All features in the order in which the node looks at them: by their number, or as they are drawn for it.
std::vector<std::uint32_t> draw_features(const GrowSetting& setting, const GrowNode& node);

// The best tests of the features that the node looks at: all, or as many as are drawn for it.
std::vector<Candidate> scan_drawn(const GrowSetting& setting, const GrowNode& node, const ScanFeatures& scan);

// The best candidate; of those equal but for rounding, the first feature's or the one that is drawn for the node; null
// when none may be taken.
const Candidate* pick(const GrowSetting& setting, const std::vector<Candidate>& candidates, const GrowNode& node);

// Whether a test removes as much impurity as the options ask for, and divides the classes beyond chance.
bool removes_enough(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate);
bool significant(const GrowSetting& setting, const Partition& partition);

// The winning test, or nothing.
std::optional<Candidate> find_split(const GrowSetting& setting, const GrowNode& node, const Team& team);

}  // namespace vaglio::tree
