#pragma once
// The best division of the categories of a nominal feature into two sets.
#include <cstdint>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio {

struct SubsetSplit {
    bool found = false;
    double score = 0;  // ΣP of the two sides
    double left_weight = 0, right_weight = 0;
    std::vector<std::uint8_t> side;  // per slot; slot 0 is on side 0
};

// Over the first `slots` slots of scratch.category_sums. Exact for two classes and for numbers (the best division
// is a cut of the categories in the order of their class share or mean), and for few categories (all divisions
// are tried); otherwise the best cut of several orders: by the share of each class, and along the first
// principal component of the class shares.
SubsetSplit best_subset(const NodeContext& context, std::size_t slots, ScanScratch& scratch);

}  // namespace vaglio
