#pragma once
// Dividing a column's order between two branches.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::tree {

// The side of 64 rows, and how many rows before them go to the right. The place of a row within its branch follows
// from it by counting bits: a node of millions of rows fits the cache, where an array of places would not.
struct SideBlock {
    std::uint64_t right = 0;
    std::uint32_t before = 0;
};

// An order to be divided, the parts of its entries, and where the halves go. `left` may be the order itself.
struct OrderSplit {
    const std::uint32_t* order;
    std::uint32_t length;
    std::uint32_t position_mask, label_mask;
    std::uint32_t *left, *right;
};

// Length of each half, and whether its values differ.
struct SplitLengths {
    std::uint32_t length[2];
    bool changes[2];
};

// mark_sides fills one block per 64 of n rows from their branches (0 or 1). split_by_blocks divides an order by such
// blocks; split_by_places by the place of each row in its branch, with the side in the top bit.
VAGLIO_DECLARE_LEVELS(void mark_sides(const std::int32_t* branch, std::size_t n, SideBlock* blocks);
                      SplitLengths split_by_blocks(const OrderSplit& split, const SideBlock* blocks);
                      SplitLengths split_by_places(const OrderSplit& split, const std::uint32_t* places);)

}  // namespace vaglio::tree
