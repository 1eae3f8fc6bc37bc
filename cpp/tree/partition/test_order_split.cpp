// Orders of columns divided between two branches: by blocks of sides as by places, labels and marks carried along.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "tree/node.hpp"
#include "tree/partition/order_split.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

struct Halves {
    SplitLengths lengths;
    std::vector<std::uint32_t> left, right;
};

template <class Split, class Places>
Halves split(Split split_order, const std::vector<std::uint32_t>& order, const Places* places) {
    Halves result;
    result.left.resize(order.size() + 1);
    result.right.resize(order.size() + 1);
    result.lengths = split_order({order.data(), static_cast<std::uint32_t>(order.size()), position_mask & ~entry_labels,
                                  entry_labels, result.left.data(), result.right.data()},
                                 places);
    result.left.resize(result.lengths.length[0]);
    result.right.resize(result.lengths.length[1]);
    return result;
}

void check_split(std::uint32_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint32_t> order(rows), target(rows), value(rows);
    std::vector<std::int32_t> branch(rows);
    std::uint32_t next[2] = {0, 0};
    for (std::uint32_t i = 0; i < rows; ++i) {
        value[i] = static_cast<std::uint32_t>(random.below(rows / 3 + 1));
        branch[i] = static_cast<std::int32_t>(random.below(2));
        target[i] = next[branch[i]]++ | static_cast<std::uint32_t>(branch[i]) << 31;
    }
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return value[a] < value[b]; });
    std::vector<std::uint32_t> entries = order;
    for (std::uint32_t i = 0; i < rows; ++i) {
        entries[i] |= (order[i] % 5) << entry_label_shift;
        if (i == 0 || value[order[i]] != value[order[i - 1]]) entries[i] |= new_value;
    }
    std::vector<SideBlock> blocks((rows + 63) / 64);
    VAGLIO_LEVELS(mark_sides).best()(branch.data(), rows, blocks.data());
    const Halves by_place = split(VAGLIO_LEVELS(split_by_places).best(), entries, target.data());
    const Halves by_block = split(VAGLIO_LEVELS(split_by_blocks).best(), entries, blocks.data());
    CHECK(by_place.left == by_block.left && by_place.right == by_block.right);
    CHECK(by_place.lengths.changes[0] == by_block.lengths.changes[0]);
    // The same by hand, a branch at a time.
    for (std::int32_t side = 0; side < 2; ++side) {
        const auto& half = side == 0 ? by_block.left : by_block.right;
        std::size_t at = 0;
        std::uint32_t last = UINT32_MAX;
        for (const std::uint32_t row : order) {
            if (branch[row] != side) continue;
            CHECK((half[at] & position_mask & ~entry_labels) == (target[row] & position_mask));
            CHECK((half[at] & entry_labels) >> entry_label_shift == row % 5);
            CHECK(((half[at] & new_value) != 0) == (last != value[row]));
            last = value[row];
            ++at;
        }
        CHECK(at == half.size());
    }
}

}  // namespace

int main() {
    for (std::uint32_t rows : {1u, 2u, 63u, 64u, 65u, 1000u, 4096u}) check_split(rows, rows);
    return check_result();
}
