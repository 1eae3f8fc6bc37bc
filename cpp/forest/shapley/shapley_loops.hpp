#pragma once
// The loops over the rows of a walk (forest/shapley/shapley_rows.hpp), compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::forest {

inline constexpr std::size_t shapley_lanes = 4;  // points at a time, at every level: the same bits on every machine

// What a step to a child does to the numbers of a row, by the way of the row: three lists of `points` numbers, for a
// row that has met all tests of the feature, one that fails this one, and one that failed one before.
struct ShapleyStep {
    std::size_t rows, points;
    const std::uint8_t* way;  // per row
    const double* ratio;      // what the product of a row is multiplied by
    const double* part;       // what the sum below counts for in the contribution of the feature
};

// product = above · ratio, for every row and point, and below = 0.
VAGLIO_DECLARE_LEVELS(void shapley_enter(const ShapleyStep& step, const double* above, double* product, double* below);)

// Adds the sums below an edge to those above it, and their parts to `lanes` sums per row, `stride` numbers apart.
VAGLIO_DECLARE_LEVELS(void shapley_leave(const ShapleyStep& step, const double* below, double* above, double* sums,
                                         std::size_t stride);)

// Both for a leaf, which has one value per row.
VAGLIO_DECLARE_LEVELS(void shapley_leaf(const ShapleyStep& step, const double* product, const double* value,
                                        double* above, double* sums, std::size_t stride);)

}  // namespace vaglio::forest
