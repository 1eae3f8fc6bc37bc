// Dividing orders without a branch per entry, compiled per level (base/dispatch.hpp).
#include "tree/partition/order_split.hpp"

#include "tree/node.hpp"

namespace vaglio::tree::VAGLIO_LEVEL {
namespace {

struct Place {
    std::uint32_t side, position;
};

// One stable pass over a column's order. An entry that opens a new value does so for both branches, whichever the row
// itself goes to: the marks are kept until the branch's next entry.
template <class PlaceOf>
VAGLIO_INLINE SplitLengths divide(const OrderSplit& split, PlaceOf place_of) {
    const auto [order, length, positions, labels, left, right] = split;
    std::uint32_t l = 0, r = 0, left_mark = 0, right_mark = 0, left_seen = 0, right_seen = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t entry = order[i], mark = entry & new_value;
        const auto [side, position] = place_of(entry & positions);
        const std::uint32_t moved = position | (entry & labels);
        left_mark |= mark;
        right_mark |= mark;
        left[l] = moved | left_mark;
        right[r] = moved | right_mark;
        left_seen |= l > 0 && side == 0 ? left_mark : 0;
        right_seen |= r > 0 && side == 1 ? right_mark : 0;
        left_mark &= 0u - side;
        right_mark &= side - 1u;
        l += 1 - side;
        r += side;
    }
    return {{l, r}, {left_seen != 0, right_seen != 0}};
}

}  // namespace

void mark_sides(const std::int32_t* branch, std::size_t n, SideBlock* blocks) {
    std::uint32_t before = 0;
    for (std::size_t first = 0; first < n; first += 64) {
        const std::size_t count = n - first < 64 ? n - first : 64;
        std::uint64_t right = 0;
        for (std::size_t i = 0; i < count; ++i) right |= static_cast<std::uint64_t>(branch[first + i]) << i;
        blocks[first / 64] = {right, before};
        before += count_ones(right);
    }
}

SplitLengths split_by_blocks(const OrderSplit& split, const SideBlock* blocks) {
    return divide(split, [blocks](std::uint32_t row) {
        const SideBlock block = blocks[row / 64];
        const std::uint64_t bit = std::uint64_t{1} << row % 64;
        const std::uint32_t before = block.before + count_ones(block.right & (bit - 1));
        const auto side = static_cast<std::uint32_t>((block.right & bit) != 0);
        // Arithmetic instead of a branch: sides alternate at random, and a processor would mispredict every second one.
        return Place{side, (before & (0u - side)) | ((row - before) & (side - 1u))};
    });
}

SplitLengths split_by_places(const OrderSplit& split, const std::uint32_t* places) {
    return divide(split, [places](std::uint32_t row) {
        const std::uint32_t to = places[row];
        return Place{to >> 31, to & position_mask};
    });
}

}  // namespace vaglio::tree::VAGLIO_LEVEL
