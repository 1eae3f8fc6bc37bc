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

// The rows of a tree, drawn piece by piece: how often each counts is held for those that do.
tree::RowLists rows_of(const tree::BinnedSetting& setting, const tree::BinnedTable& table, const TreesPlan& plan,
                       std::size_t tree) {
    constexpr std::size_t piece = 1 << 18;
    const std::size_t rows = table.layout.rows;
    TreesPlan own{plan.draws, plan.hash_seed, plan.leaves_out, {plan.trees[tree]}};
    if (own.draws > 0 && own.trees[0].blocks.empty())
        own.trees[0].blocks = draw_blocks(own.trees[0].bag, rows, own.draws);
    tree::RowLists lists;
    lists.reserve(setting, table, table.weights, rows);
    for (std::size_t begin = 0; begin < rows; begin += piece) {
        const std::size_t end = std::min(rows, begin + piece);
        const auto drawn = rows_of_tree(own, 0, rows, begin, end);
        lists.append(setting, table, {drawn, {}, {}}, begin, end);
    }
    return lists;
}

tree::Tree grow_one(const tree::BinnedTable& table, const tree::TreeConfig& config, const TreesPlan& plan,
                    const tree::GrowthWeights& amounts, std::size_t tree, int threads, Control& control) {
    tree::BinnedTable own = table;
    own.layout.features.clear();
    own.columns.clear();
    for (const std::uint32_t feature : plan.trees[tree].features) {
        own.layout.features.push_back(table.layout.features[feature]);
        own.columns.push_back(table.columns[feature]);
    }
    tree::BinnedSetting setting(own.layout, config, amounts, plan.drawn());
    return tree::grow_from_root(setting, own, rows_of(setting, own, plan, tree), plan.trees[tree].seed, threads,
                                control);
}

// Calls grow(tree, threads) for every tree, with as many beside each other as threads if that is allowed.
template <class Grow>
void grow_each(std::size_t trees, int beside, int threads, Control& control, Grow grow) {
    control.expect(trees);
    const auto one = [&](std::size_t tree, int own_threads) {
        control.check();
        grow(tree, own_threads);
        control.advance(1);
    };
    if (beside < threads || trees < static_cast<std::size_t>(threads)) {
        for (std::size_t tree = 0; tree < trees; ++tree) one(tree, threads);
    } else {
        parallel_for(threads, trees, [&](std::size_t tree, int) { one(tree, 1); });
    }
}

void check_sizes(const tree::BinnedTable& table, const TreesPlan& plan) {
    if (plan.trees.empty() || table.layout.rows == 0) throw std::invalid_argument("a forest needs a tree and a row");
}

}  // namespace

std::vector<tree::Tree> grow_binned_trees(const tree::BinnedTable& table, const tree::TreeConfig& config,
                                          const TreesPlan& plan, const tree::GrowthWeights& amounts, int beside,
                                          int threads, Control& control) {
    check_sizes(table, plan);
    std::vector<tree::Tree> trees(plan.trees.size());
    grow_each(trees.size(), beside, threads, control, [&](std::size_t tree, int own_threads) {
        trees[tree] = grow_one(table, config, plan, amounts, tree, own_threads, control);
    });
    return trees;
}

Forest grow_binned_forest(const tree::BinnedTable& table, const tree::TreeConfig& config, const TreesPlan& plan,
                          const tree::GrowthWeights& amounts, int beside, int threads, Control& control) {
    check_sizes(table, plan);
    std::vector<CompactTree> trees(plan.trees.size());
    grow_each(trees.size(), beside, threads, control, [&](std::size_t tree, int own_threads) {
        trees[tree] = compact_of(grow_one(table, config, plan, amounts, tree, own_threads, control),
                                 plan.trees[tree].features, table.layout, table.layout.classes == 0);
    });
    return join_trees(trees, table.layout);
}

}  // namespace vaglio
