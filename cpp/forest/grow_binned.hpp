#pragma once
// Forests on bins.
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "forest/forest.hpp"
#include "tree/binned/choose.hpp"

namespace vaglio {

// How often the rows in [begin, end) of a table were drawn for a tree; as draw_bag, in two bytes each.
std::vector<std::uint16_t> draw_small_bag(std::uint64_t seed, std::size_t tree, std::size_t rows, std::size_t draws,
                                          std::size_t begin, std::size_t end);

Forest grow_binned_forest(const BinnedTable& table, const ForestConfig& config, const GrowthAmounts& amounts,
                          Control& control);

}  // namespace vaglio
