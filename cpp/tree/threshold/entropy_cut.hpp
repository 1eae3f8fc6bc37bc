#pragma once
// The cut of a numeric column that leaves least entropy, for real weights and few classes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tree/node.hpp"

namespace vaglio::tree {

// More classes than these are scanned row by row: their sums would not stay in registers.
constexpr std::size_t most_cut_classes = 4;

// Class weights and weight of a side.
struct Side {
    const double* classes;
    double weight;
};

// The cuts that may be made, each by the last entry on its left: from `first` on and before `end`, with enough weight
// on either side.
struct Admitted {
    std::size_t first = 0, end = 0;
    double min_weight = 0;
};

struct EntropyCut {
    bool found = false;
    double score = 0;  // ΣP of the two sides
    std::uint32_t position = 0;
};

// The best place between entries of an order, by the last entry on the left; nothing for too many classes. `left` and
// `right` are the sides before the first entry moves.
std::optional<EntropyCut> best_entropy_cut(const GrowNode& node, std::span<const std::uint32_t> order, Side left,
                                           Side right, std::size_t classes, const Admitted& admitted);

// The same between values, by the first value on the right: `sums` has the class weights of each value, nothing where
// it does not occur. `thresholds` is the number of places that leave enough on either side.
EntropyCut best_entropy_cut(std::span<const double> sums, Side all, std::size_t classes, double min_leaf,
                            std::size_t& thresholds);

}  // namespace vaglio::tree
