#pragma once
// Several trees on bins.
#include <functional>
#include <vector>

#include "base/control.hpp"
#include "forest/forest.hpp"
#include "forest/trees_plan.hpp"
#include "tree/binned/choose.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// Every tree in the numbers of the features that it may use. Each takes memory for its rows: at most `beside` grow at a
// time, one with all threads if these are more.
std::vector<tree::Tree> grow_binned_trees(const tree::BinnedTable& table, const tree::TreeConfig& config,
                                          const TreesPlan& plan, const tree::GrowthWeights& amounts, int beside,
                                          int threads, Control& control);

Forest grow_binned_forest(const tree::BinnedTable& table, const tree::TreeConfig& config, const TreesPlan& plan,
                          const tree::GrowthWeights& amounts, int beside, int threads, Control& control);

}  // namespace vaglio
