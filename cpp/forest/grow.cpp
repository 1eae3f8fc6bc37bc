// Trees are grown independently, each with random numbers of its own key, and joined in their order: the forest does
// not depend on the number of threads.
#include "tree/grow.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "forest/bootstrap.hpp"
#include "forest/forest.hpp"
#include "forest/joining.hpp"
#include "tree/sieve/sieve.hpp"

namespace vaglio {
namespace {

CompactTree grow_one(const tree::TreeData& data, const ForestConfig& config, std::size_t tree, int threads,
                     Control& control, tree::GrowScratch& scratch) {
    tree::TreeData own = data;
    std::vector<std::uint32_t> bag;
    if (config.draws > 0) {
        bag = draw_bag(config.seed, tree, data.rows, config.draws);
        own.multiplicity = bag.data();
    }
    const auto chosen =
        choose_features(data.features.size(), config.features_per_tree, tree_key(config.seed, tree, features_key));
    own.features.clear();
    for (const std::uint32_t feature : chosen) own.features.push_back(data.features[feature]);
    tree::TreeConfig options = config.tree;
    options.seed = tree_key(config.seed, tree, growth_key);
    return compact_of(tree::grow_tree(own, options, threads, control, scratch), chosen, data, data.classes == 0);
}

}  // namespace

std::vector<std::uint32_t> draw_bag(std::uint64_t seed, std::size_t tree, std::size_t rows, std::size_t draws) {
    std::vector<std::uint32_t> bag(rows);
    draw_counts(tree_key(seed, tree, bag_key), rows, draws, 0, rows, bag.data());
    return bag;
}

Bags draw_bags(std::uint64_t seed, std::size_t n_trees, std::size_t rows, std::size_t draws, int threads) {
    Bags bags{(rows + 63) / 64, {}};
    bags.bits.assign(n_trees * bags.words, 0);
    parallel_for(threads, n_trees, [&](std::size_t tree, int) {
        const std::vector<std::uint32_t> bag = draw_bag(seed, tree, rows, draws);
        for (std::size_t row = 0; row < rows; ++row) {
            if (bag[row] > 0) bags.bits[tree * bags.words + row / 64] |= std::uint64_t{1} << (row % 64);
        }
    });
    return bags;
}

Forest grow_forest(const tree::TreeData& table, const ForestConfig& config, Control& control) {
    if (config.n_trees == 0 || table.rows == 0) throw std::invalid_argument("a forest needs a tree and a row");
    tree::TreeData data = table;
    data.orders = nullptr;  // trees are grown at the same time, each on rows of its own
    tree::find_complete(data, config.threads);
    std::optional<tree::RankRows> rows;
    const bool sieved = tree::sieve_applies(data, config.tree) || tree::sieves_targets(data, config.tree);
    if (sieved && tree::RankRows::worthwhile(data, config.tree.max_features)) {
        rows.emplace(data, config.threads);
        data.rank_rows = rows->ranks.data();
        data.rank_stride = rows->stride;
    }
    std::vector<CompactTree> trees(config.n_trees);
    control.expect(config.n_trees);
    std::vector<tree::GrowScratch> scratch(static_cast<std::size_t>(std::max(1, config.threads)));
    const auto grow = [&](std::size_t tree, int threads, int worker) {
        control.check();
        trees[tree] = grow_one(data, config, tree, threads, control, scratch[static_cast<std::size_t>(worker)]);
        control.advance(1);
    };
    if (config.n_trees < static_cast<std::size_t>(config.threads)) {
        for (std::size_t tree = 0; tree < config.n_trees; ++tree) grow(tree, config.threads, 0);
    } else {
        parallel_for(config.threads, config.n_trees, [&](std::size_t tree, int worker) { grow(tree, 1, worker); });
    }
    return join_trees(trees, data);
}

}  // namespace vaglio
