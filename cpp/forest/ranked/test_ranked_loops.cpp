// Every level finds the leaf that a plain walk finds, for any number of rows, with missing values.
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "forest/ranked/ranked_loops.hpp"

using namespace vaglio;
using forest::RankedNode;

namespace {

constexpr std::size_t width = 5;

// A tree whose leaves lie at very different depths; leaves are numbered from 0.
std::vector<RankedNode> random_tree(Random& random, int inner) {
    std::vector<RankedNode> tree{{-1, 0, 0}};
    std::vector<std::size_t> leaves{0};
    for (int i = 0; i < inner; ++i) {
        const std::size_t which = random.below(3) == 0 ? random.below(leaves.size()) : leaves.size() - 1;
        const auto feature = static_cast<std::uint16_t>(random.below(width) | (random.below(2) << 15));
        tree[leaves[which]] = {static_cast<std::int32_t>(tree.size()), feature,
                               static_cast<std::uint16_t>(random.below(0xfffe))};
        leaves[which] = tree.size();
        leaves.push_back(tree.size() + 1);
        tree.resize(tree.size() + 2);
    }
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) tree[leaves[leaf]] = {~static_cast<int>(leaf), 0, 0};
    return tree;
}

std::int32_t walk(const std::vector<RankedNode>& tree, const std::uint16_t* ranks) {
    std::int32_t at = 0;
    while (tree[static_cast<std::size_t>(at)].link >= 0) {
        const RankedNode& node = tree[static_cast<std::size_t>(at)];
        const std::uint16_t rank = ranks[node.feature & 0x7fff];
        const bool right = rank == forest::no_rank ? node.feature >> 15 != 0 : rank > node.rank;
        at = node.link + static_cast<std::int32_t>(right);
    }
    return ~tree[static_cast<std::size_t>(at)].link;
}

void test_level(decltype(&forest::v1::find_leaves) find_leaves) {
    Random random(1);
    for (const std::size_t rows : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 500U}) {
        for (const int inner : {0, 1, 2, 30, 300}) {
            const std::vector<RankedNode> tree = random_tree(random, inner);
            const std::size_t stride = rows + forest::spare_rows;
            std::vector<std::uint16_t> ranks(stride * width), columns(stride * width);
            const bool missing = random.below(2) == 0;
            for (std::size_t i = 0; i < ranks.size(); ++i) {
                const bool unknown = missing && random.below(8) == 0;
                ranks[i] = static_cast<std::uint16_t>(unknown ? forest::no_rank : random.below(0xffff));
                columns[i % width * stride + i / width] = ranks[i];
            }
            std::vector<std::int32_t> leaves(stride, -7);
            find_leaves(tree.data(), {rows, width, ranks.data(), columns.data(), stride, missing}, leaves.data());
            for (std::size_t i = 0; i < rows; ++i) CHECK(leaves[i] == walk(tree, ranks.data() + i * width));
        }
    }
}

}  // namespace

int main() {
    using namespace forest;
    VAGLIO_LEVELS(find_leaves).each(test_level);
    return check_result();
}
