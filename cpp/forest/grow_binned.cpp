// Forests on bins: as those on exact numbers, with the histogram grower.
#include "forest/grow_binned.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "forest/bootstrap.hpp"
#include "forest/joining.hpp"
#include "tree/binned/grow.hpp"

namespace vaglio {
namespace {

CompactTree grow_one(const BinnedTable& table, const ForestConfig& config, const GrowthAmounts& amounts,
                     std::size_t tree, int threads, Control& control) {
    BinnedTable own = table;
    const auto bag = draw_small_bag(config.seed, tree, table.layout.rows, config.draws, 0, table.layout.rows);
    if (config.draws > 0) own.multiplicity = bag.data();
    const auto chosen =
        choose_features(table.columns.size(), config.features_per_tree, tree_key(config.seed, tree, features_key));
    own.layout.features.clear();
    own.columns.clear();
    for (const std::uint32_t feature : chosen) {
        own.layout.features.push_back(table.layout.features[feature]);
        own.columns.push_back(table.columns[feature]);
    }
    BinnedSetting setting(own.layout, config.tree, amounts, config.draws > 0);
    return compact_of(grow_from_root(setting, own, tree_key(config.seed, tree, growth_key), threads, control), chosen,
                      table.layout, table.layout.classes == 0);
}

}  // namespace

std::vector<std::uint16_t> draw_small_bag(std::uint64_t seed, std::size_t tree, std::size_t rows, std::size_t draws,
                                          std::size_t begin, std::size_t end) {
    if (draws == 0) return {};
    constexpr std::size_t piece = 1 << 16;
    std::vector<std::uint16_t> bag(end - begin);
    std::vector<std::uint32_t> counts(std::min(piece, end - begin));
    for (std::size_t first = begin; first < end; first += piece) {
        const std::size_t last = std::min(end, first + piece);
        draw_counts(tree_key(seed, tree, bag_key), rows, draws, first, last, counts.data());
        for (std::size_t i = first; i < last; ++i) {
            if (counts[i - first] > UINT16_MAX) throw std::overflow_error("a row was drawn more than 65535 times");
            bag[i - begin] = static_cast<std::uint16_t>(counts[i - first]);
        }
    }
    return bag;
}

Forest grow_binned_forest(const BinnedTable& table, const ForestConfig& config, const GrowthAmounts& amounts,
                          Control& control) {
    if (config.n_trees == 0 || table.layout.rows == 0) throw std::invalid_argument("a forest needs a tree and a row");
    std::vector<CompactTree> trees(config.n_trees);
    control.expect(config.n_trees);
    const auto grow = [&](std::size_t tree, int threads) {
        control.check();
        trees[tree] = grow_one(table, config, amounts, tree, threads, control);
        control.advance(1);
    };
    if (config.n_trees < static_cast<std::size_t>(config.threads)) {
        for (std::size_t tree = 0; tree < config.n_trees; ++tree) grow(tree, config.threads);
    } else {
        parallel_for(config.threads, config.n_trees, [&](std::size_t tree, int) { grow(tree, 1); });
    }
    return join_trees(trees, table.layout);
}

}  // namespace vaglio
