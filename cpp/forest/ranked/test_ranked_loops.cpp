// Every level finds the leaf that a plain walk finds: for any number of rows and of features, with missing values, in
// trees that end before the top does and in long thin ones.
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "forest/ranked/treelets.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

// A tree whose leaves lie at very different depths; leaves are numbered from 0, and a threshold is its rank.
std::vector<ForestNode> random_tree(Random& random, std::size_t width, int inner) {
    std::vector<ForestNode> tree{{0, -1, 0}};
    std::vector<std::size_t> leaves{0};
    for (int i = 0; i < inner; ++i) {
        const std::size_t which = random.below(3) == 0 ? random.below(leaves.size()) : leaves.size() - 1;
        const auto feature = static_cast<std::uint32_t>(random.below(width) | (random.below(2) << 31));
        tree[leaves[which]] = {static_cast<double>(random.below(0xfffe)), static_cast<int>(tree.size()), feature};
        leaves[which] = tree.size();
        leaves.push_back(tree.size() + 1);
        tree.resize(tree.size() + 2);
    }
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) tree[leaves[leaf]] = {0, ~static_cast<int>(leaf), 0};
    return tree;
}

std::int32_t walk(const std::vector<ForestNode>& tree, const std::uint16_t* ranks) {
    const ForestNode* node = tree.data();
    while (node->link >= 0) {
        const std::uint16_t rank = ranks[node->feature & ~missing_right];
        const bool right = rank == forest::no_rank ? (node->feature & missing_right) != 0 : rank > node->threshold;
        node = &tree[static_cast<std::size_t>(node->link) + right];
    }
    return ~node->link;
}

void test_rows(decltype(&forest::v1::find_leaves) find_leaves, std::size_t rows, std::size_t width, int inner) {
    Random random(key_of(key_of(rows, width), static_cast<std::uint64_t>(inner)));
    const std::vector<ForestNode> tree = random_tree(random, width, inner);
    std::vector<std::uint16_t> tests;
    for (const ForestNode& node : tree) tests.push_back(static_cast<std::uint16_t>(node.threshold));
    const forest::TreeletTree cut = forest::cut_into_treelets(tree, tests);
    const std::size_t stride = width + random.below(3);
    const bool missing = random.below(2) == 0;
    std::vector<std::uint16_t> ranks(rows * stride + 4 * forest::line_ranks);
    for (auto& rank : ranks) {
        rank = static_cast<std::uint16_t>(missing && random.below(8) == 0 ? forest::no_rank : random.below(0xffff));
    }
    std::vector<std::int32_t> leaves(rows + 1, -7);
    find_leaves({&cut.top, cut.parts.data()}, {rows, width, stride, ranks.data(), missing}, leaves.data());
    bool agree = leaves[rows] == -7;  // nothing is written behind the rows
    for (std::size_t i = 0; i < rows; ++i) agree &= leaves[i] == walk(tree, ranks.data() + i * stride);
    CHECK(agree);
}

void test_level(decltype(&forest::v1::find_leaves) find_leaves) {
    for (const std::size_t width : {1U, 5U, 32U, 33U, 64U, 65U, 128U, 129U}) {
        for (const std::size_t rows : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 700U}) {
            for (const int inner : {0, 1, 2, 30, 300}) test_rows(find_leaves, rows, width, inner);
        }
    }
}

}  // namespace

int main() {
    using namespace forest;
    VAGLIO_LEVELS(find_leaves).each(test_level);
    return check_result();
}
