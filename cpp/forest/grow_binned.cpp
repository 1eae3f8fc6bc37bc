// Forests on bins: as those on exact numbers, with the histogram grower.
#include "forest/grow_binned.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "forest/joining.hpp"
#include "tree/binned/grow.hpp"

namespace vaglio {
namespace {

Tree grow_one(const BinnedTable& table, const TreeConfig& config, const TreesPlan& plan, const GrowthAmounts& amounts,
              std::size_t tree, int threads, Control& control) {
    BinnedTable own = table;
    const auto rows = rows_of_tree(plan, tree, table.layout.rows, 0, table.layout.rows);
    if (!rows.empty()) own.multiplicity = rows.data();
    own.layout.features.clear();
    own.columns.clear();
    for (const std::uint32_t feature : plan.trees[tree].features) {
        own.layout.features.push_back(table.layout.features[feature]);
        own.columns.push_back(table.columns[feature]);
    }
    BinnedSetting setting(own.layout, config, amounts, plan.drawn());
    return grow_from_root(setting, own, plan.trees[tree].seed, threads, control);
}

// Calls grow(tree, threads) for every tree.
template <class Grow>
void grow_each(std::size_t trees, int threads, Control& control, Grow grow) {
    control.expect(trees);
    const auto one = [&](std::size_t tree, int own_threads) {
        control.check();
        grow(tree, own_threads);
        control.advance(1);
    };
    if (trees < static_cast<std::size_t>(threads)) {
        for (std::size_t tree = 0; tree < trees; ++tree) one(tree, threads);
    } else {
        parallel_for(threads, trees, [&](std::size_t tree, int) { one(tree, 1); });
    }
}

void check_sizes(const BinnedTable& table, const TreesPlan& plan) {
    if (plan.trees.empty() || table.layout.rows == 0) throw std::invalid_argument("a forest needs a tree and a row");
}

}  // namespace

std::vector<Tree> grow_binned_trees(const BinnedTable& table, const TreeConfig& config, const TreesPlan& plan,
                                    const GrowthAmounts& amounts, int threads, Control& control) {
    check_sizes(table, plan);
    std::vector<Tree> trees(plan.trees.size());
    grow_each(trees.size(), threads, control, [&](std::size_t tree, int own_threads) {
        trees[tree] = grow_one(table, config, plan, amounts, tree, own_threads, control);
    });
    return trees;
}

Forest grow_binned_forest(const BinnedTable& table, const TreeConfig& config, const TreesPlan& plan,
                          const GrowthAmounts& amounts, int threads, Control& control) {
    check_sizes(table, plan);
    std::vector<CompactTree> trees(plan.trees.size());
    grow_each(trees.size(), threads, control, [&](std::size_t tree, int own_threads) {
        trees[tree] = compact_of(grow_one(table, config, plan, amounts, tree, own_threads, control),
                                 plan.trees[tree].features, table.layout, table.layout.classes == 0);
    });
    return join_trees(trees, table.layout);
}

}  // namespace vaglio
