#include "forest/trees_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "forest/bootstrap.hpp"
#include "forest/joining.hpp"

namespace vaglio {
namespace {

std::vector<std::uint16_t> drawn_rows(const TreePlan& tree, std::size_t rows, std::size_t draws, std::size_t begin,
                                      std::size_t end) {
    constexpr std::size_t piece = 1 << 16;
    const auto blocks = tree.blocks.empty() ? draw_blocks(tree.bag, rows, draws) : tree.blocks;
    std::vector<std::uint16_t> bag(end - begin);
    std::vector<std::uint32_t> counts(std::min(piece, end - begin));
    for (std::size_t first = begin; first < end; first += piece) {
        const std::size_t last = std::min(end, first + piece);
        draw_counts(tree.bag, rows, blocks, first, last, counts.data());
        for (std::size_t i = first; i < last; ++i) {
            if (counts[i - first] > UINT16_MAX) throw std::overflow_error("a row was drawn more than 65535 times");
            bag[i - begin] = static_cast<std::uint16_t>(counts[i - first]);
        }
    }
    return bag;
}

}  // namespace

TreesPlan plan_forest(std::size_t n_features, std::size_t n_trees, std::size_t draws, std::size_t features_per_tree,
                      std::uint64_t seed) {
    TreesPlan plan;
    plan.draws = draws;
    for (std::size_t t = 0; t < n_trees; ++t) {
        TreePlan tree;
        tree.features = choose_features(n_features, features_per_tree, tree_key(seed, t, features_key));
        tree.seed = tree_key(seed, t, growth_key);
        tree.bag = tree_key(seed, t, bag_key);
        plan.trees.push_back(std::move(tree));
    }
    return plan;
}

std::uint64_t hash_of_row(std::uint64_t row, std::uint64_t seed) {
    std::uint64_t word = row * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
}

std::vector<std::uint16_t> rows_of_tree(const TreesPlan& plan, std::size_t tree, std::size_t rows, std::size_t begin,
                                        std::size_t end) {
    const TreePlan& own = plan.trees[tree];
    if (plan.draws > 0) return drawn_rows(own, rows, plan.draws, begin, end);
    if (!plan.leaves_out) return {};
    std::vector<std::uint16_t> kept(end - begin);
    for (std::size_t row = begin; row < end; ++row) {
        const std::uint64_t hash = hash_of_row(row, plan.hash_seed);
        kept[row - begin] = hash < own.first_out || hash > own.last_out;
    }
    return kept;
}

}  // namespace vaglio
