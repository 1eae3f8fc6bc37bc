#pragma once
// The cut of a column's order that leaves least entropy, for real weights and few classes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vaglio/tree_node.hpp"

namespace vaglio {

struct EntropyCut {
    bool found = false;
    double score = 0;            // ΣP of the two sides
    std::uint32_t position = 0;  // of the last entry on the left
};

// `left` and `right` are the class weights of the sides before the first entry moves to the left. Nothing is returned
// for more classes than this is made for.
std::optional<EntropyCut> best_entropy_cut(const GrowNode& node, std::span<const std::uint32_t> order,
                                           const double* left, const double* right, std::size_t classes,
                                           double left_weight, double right_weight, double min_leaf);

}  // namespace vaglio
