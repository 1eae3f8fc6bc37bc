// Trees are grown independently, each with random numbers of its own key, and joined in their order: the forest does
// not depend on the number of threads.
#include "tree/grow.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "forest/bootstrap.hpp"
#include "forest/forest.hpp"
#include "tree/sieve/sieve.hpp"

namespace vaglio {
namespace {

enum Purpose : std::uint64_t { bag_key, features_key, growth_key };

std::uint64_t tree_key(std::uint64_t seed, std::size_t tree, Purpose purpose) {
    return key_of(key_of(seed, tree), purpose);
}

// One finished tree, with its own leaf contents still one by one.
struct Compact {
    std::vector<ForestNode> nodes;
    std::vector<std::uint32_t> tables;
    std::vector<double> leaves;
    std::vector<double> importances;
};

// The features a tree may use at all, ascending.
std::vector<std::uint32_t> choose_features(std::size_t total, std::size_t wanted, std::uint64_t key) {
    std::vector<std::uint32_t> all(total);
    std::iota(all.begin(), all.end(), 0u);
    if (wanted == 0 || wanted >= total) return all;
    Random random(key);
    for (std::size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + random.below(total - i)]);
    all.resize(wanted);
    std::sort(all.begin(), all.end());
    return all;
}

Compact compact_of(const Tree& tree, const std::vector<std::uint32_t>& chosen, const TreeData& data, bool regression) {
    Compact result;
    const std::size_t n = tree.size(), width = regression ? 2 : tree.width;
    result.nodes.resize(n);
    result.importances.assign(data.features.size(), 0.0);
    double removed = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ForestNode& node = result.nodes[i];
        if (tree.is_leaf(i)) {
            node = {0, ~static_cast<std::int32_t>(result.leaves.size() / width), 0};
            const double* value = tree.value.data() + i * tree.width;
            result.leaves.insert(result.leaves.end(), value, value + tree.width);
            if (regression) result.leaves.push_back(tree.weight[i]);
            continue;
        }
        if (tree.n_children[i] != 2) throw std::logic_error("a forest needs trees with two branches a node");
        const std::uint32_t feature = chosen[static_cast<std::size_t>(tree.feature[i])];
        node = {tree.threshold[i], tree.first_child[i], feature};
        if (tree.missing_branch[i] == 1) node.feature |= missing_right;
        const TreeFeature& tested = data.features[feature];
        if (tested.nominal) {
            const std::size_t words = (data.categories[tested.column] + 31) / 32;
            node.threshold = static_cast<double>(result.tables.size());
            const std::uint32_t* table = tree.tables.data() + tree.table_start[i];
            result.tables.insert(result.tables.end(), table, table + words);
        }
        const double gain = tree.gain[i] * tree.weight[i];
        result.importances[feature] += gain;
        removed += gain;
    }
    if (removed > 0) {
        for (double& importance : result.importances) importance /= removed;
    }
    return result;
}

// Equal leaf contents share one row, in the order of their first appearance.
class LeafTable {
 public:
    explicit LeafTable(std::size_t width) : width_(width) {}

    std::int32_t row_of(const double* leaf) {
        std::uint64_t hash = 0;
        for (std::size_t c = 0; c < width_; ++c) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, leaf + c, sizeof bits);
            hash = mix(hash ^ bits);
        }
        for (auto [it, end] = rows_.equal_range(hash); it != end; ++it) {
            if (std::equal(leaf, leaf + width_, values_.data() + static_cast<std::size_t>(it->second) * width_)) {
                return it->second;
            }
        }
        const auto row = static_cast<std::int32_t>(values_.size() / width_);
        values_.insert(values_.end(), leaf, leaf + width_);
        rows_.emplace(hash, row);
        return row;
    }
    std::vector<double>&& take() { return std::move(values_); }

 private:
    std::size_t width_;
    std::vector<double> values_;
    std::unordered_multimap<std::uint64_t, std::int32_t> rows_;
};

Compact grow_one(const TreeData& data, const ForestConfig& config, std::size_t tree, int threads, Control& control,
                 GrowScratch& scratch) {
    TreeData own = data;
    std::vector<std::uint32_t> bag;
    if (config.draws > 0) {
        bag = draw_bag(config.seed, tree, data.rows, config.draws);
        own.multiplicity = bag.data();
    }
    const auto chosen =
        choose_features(data.features.size(), config.features_per_tree, tree_key(config.seed, tree, features_key));
    own.features.clear();
    for (const std::uint32_t feature : chosen) own.features.push_back(data.features[feature]);
    TreeConfig options = config.tree;
    options.seed = tree_key(config.seed, tree, growth_key);
    return compact_of(grow_tree(own, options, threads, control, scratch), chosen, data, data.classes == 0);
}

Forest joined(std::vector<Compact>& trees, const TreeData& data) {
    const std::size_t width = data.classes == 0 ? 2 : data.classes;
    Forest forest;
    forest.leaf_width = width;
    LeafTable leaves(width);
    forest.starts.push_back(0);
    for (Compact& tree : trees) {
        const double table_start = static_cast<double>(forest.tables.size());
        for (ForestNode& node : tree.nodes) {
            if (node.link < 0) {
                node.link = ~leaves.row_of(tree.leaves.data() + static_cast<std::size_t>(~node.link) * width);
            } else if (data.features[node.feature & ~missing_right].nominal) {
                node.threshold += table_start;
            }
        }
        forest.nodes.insert(forest.nodes.end(), tree.nodes.begin(), tree.nodes.end());
        forest.starts.push_back(static_cast<std::int64_t>(forest.nodes.size()));
        forest.tables.insert(forest.tables.end(), tree.tables.begin(), tree.tables.end());
        forest.importances.insert(forest.importances.end(), tree.importances.begin(), tree.importances.end());
        tree = {};
    }
    forest.leaves = leaves.take();
    return forest;
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

Forest grow_forest(const TreeData& table, const ForestConfig& config, Control& control) {
    if (config.n_trees == 0 || table.rows == 0) throw std::invalid_argument("a forest needs a tree and a row");
    TreeData data = table;
    data.orders = nullptr;  // trees are grown at the same time, each on rows of its own
    find_complete(data, config.threads);
    std::optional<RankRows> rows;
    if (sieve_applies(data, config.tree) && RankRows::worthwhile(data, config.tree.max_features)) {
        rows.emplace(data, config.threads);
        data.rank_rows = rows->ranks.data();
        data.rank_stride = rows->stride;
    }
    std::vector<Compact> trees(config.n_trees);
    control.expect(config.n_trees);
    std::vector<GrowScratch> scratch(static_cast<std::size_t>(std::max(1, config.threads)));
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
    return joined(trees, data);
}

}  // namespace vaglio
