// Equal leaves are stored once: fully grown trees have very few different ones.
#include "forest/joining.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "base/random.hpp"

namespace vaglio {

std::uint64_t tree_key(std::uint64_t seed, std::size_t tree, Purpose purpose) {
    return key_of(key_of(seed, tree), purpose);
}

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

CompactTree compact_of(const tree::Tree& tree, const std::vector<std::uint32_t>& chosen, const tree::TreeData& data,
                       bool regression) {
    CompactTree result;
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
        const Feature& tested = data.features[feature];
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

namespace {

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

}  // namespace

Forest join_trees(std::vector<CompactTree>& trees, const tree::TreeData& data) {
    const std::size_t width = data.classes == 0 ? 2 : data.classes;
    Forest forest;
    forest.leaf_width = width;
    LeafTable leaves(width);
    forest.starts.push_back(0);
    for (CompactTree& tree : trees) {
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

}  // namespace vaglio
