#pragma once
// Raw predictions of boosted trees: sums over the trees of each output.
#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "forest/ranked/ranked.hpp"

namespace vaglio::boosting {

// (rows, outputs): start[k] plus the values of the trees k, k + outputs, … from first_tree up to last_tree. With a
// ranked form of the forest, that one is asked where all trees are.
std::vector<double> predict_raw(const ForestView& forest, const ForestRows& rows, std::span<const double> values,
                                std::span<const double> start, std::size_t first_tree, std::size_t last_tree,
                                int threads, Control& control, const forest::RankedForest* ranked = nullptr);

}  // namespace vaglio::boosting
