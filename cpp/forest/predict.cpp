// A block of rows passes through all trees before the next block comes: the rows stay in the cache, and the trees of a
// large forest stream through it.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "forest/descend.hpp"
#include "forest/ranked/ranked.hpp"

namespace vaglio {
namespace {

// Rows of a block stay in the second-level cache while every tree passes over them.
constexpr std::size_t block_rows = 2048;

std::size_t block_count(std::size_t rows) { return (rows + block_rows - 1) / block_rows; }

const auto every_row = [](std::size_t row) { return row; };

bool right(const double* decided, std::size_t width, std::int64_t label) {
    return std::max_element(decided, decided + width) - decided == label;
}

}  // namespace

const double* forest::DenseBlock::load(std::size_t first, std::size_t count) {
    if (rows_.n_nominal == 0 && rows_.single == nullptr) return rows_.numeric + first * rows_.n_numeric;
    const std::size_t width = rows_.features.size();
    values_.resize(count * width);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t numeric = (first + i) * rows_.n_numeric;
        const std::int32_t* codes = rows_.codes + (first + i) * rows_.n_nominal;
        for (std::size_t f = 0; f < width; ++f) {
            const Feature& feature = rows_.features[f];
            values_[i * width + f] = !feature.nominal            ? rows_.number(numeric + feature.column)
                                     : codes[feature.column] < 0 ? std::numeric_limits<double>::quiet_NaN()
                                                                 : codes[feature.column];
        }
    }
    return values_.data();
}

ForestSums predict_forest(const ForestView& forest, const ForestRows& rows, std::span<const double> values,
                          std::size_t width, const Bags& bags, int threads, Control& control,
                          const forest::RankedForest* ranked) {
    ForestSums result{std::vector<double>(rows.rows * width, 0.0), std::vector<std::uint32_t>(rows.rows, 0)};
    if (ranked != nullptr && bags.words == 0) {
        ranked->add(rows, values, width, 1, result.sums, threads, control);
        result.trees.assign(rows.rows, static_cast<std::uint32_t>(forest.n_trees()));
        return result;
    }
    control.expect(block_count(rows.rows));
    parallel_for(threads, block_count(rows.rows), [&](std::size_t block, int) {
        const std::size_t first = block * block_rows, count = std::min(block_rows, rows.rows - first);
        forest::DenseBlock dense(rows);
        const double* x = dense.load(first, count);
        const std::size_t stride = dense.stride();
        const auto value = [=](std::size_t row, std::uint32_t feature) { return x[row * stride + feature]; };
        double* sums = result.sums.data() + first * width;
        std::uint32_t* asked = result.trees.data() + first;
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
            const ForestNode* tree = forest.tree(t);
            const auto leaf = [&](std::size_t row, std::int32_t node) {
                const double* content = values.data() + static_cast<std::size_t>(~tree[node].link) * width;
                for (std::size_t c = 0; c < width; ++c) sums[row * width + c] += content[c];
                ++asked[row];
            };
            const auto unseen = [&](std::size_t row) {
                while (row < count && bags.drawn(t, first + row)) ++row;
                return row;
            };
            if (bags.words == 0) {
                forest::descend(forest, tree, count, value, every_row, leaf);
            } else {
                forest::descend(forest, tree, count, value, unseen, leaf);
            }
            control.check();
        }
        control.advance(1);
    });
    return result;
}

std::vector<std::int32_t> apply_forest(const ForestView& forest, const ForestRows& rows, int threads,
                                       Control& control) {
    const std::size_t n_trees = forest.n_trees();
    std::vector<std::int32_t> leaves(rows.rows * n_trees);
    parallel_for(threads, block_count(rows.rows), [&](std::size_t block, int) {
        const std::size_t first = block * block_rows, count = std::min(block_rows, rows.rows - first);
        forest::DenseBlock dense(rows);
        const double* x = dense.load(first, count);
        const std::size_t stride = dense.stride();
        const auto value = [=](std::size_t row, std::uint32_t feature) { return x[row * stride + feature]; };
        for (std::size_t t = 0; t < n_trees; ++t) {
            const auto start = static_cast<std::int32_t>(forest.starts[t]);
            forest::descend(forest, forest.tree(t), count, value, every_row, [&](std::size_t row, std::int32_t node) {
                leaves[(first + row) * n_trees + t] = start + node;
            });
            control.check();
        }
    });
    return leaves;
}

std::vector<double> permutation_importance(const ForestView& forest, const ForestRows& rows,
                                           std::span<const double> values, std::size_t width,
                                           std::span<const std::int64_t> labels, std::span<const double> targets,
                                           const Bags& bags, std::uint64_t seed, int threads, Control& control) {
    const std::size_t n_features = rows.features.size();
    std::vector<double> importances(forest.n_trees() * n_features, 0.0);
    forest::DenseBlock dense(rows);
    const double* x = dense.load(0, rows.rows);
    control.expect(forest.n_trees());
    parallel_for(threads, forest.n_trees(), [&](std::size_t t, int) {
        const ForestNode* tree = forest.tree(t);
        std::vector<std::uint32_t> unseen;
        for (std::size_t i = 0; i < rows.rows; ++i) {
            if (!bags.drawn(t, i)) unseen.push_back(static_cast<std::uint32_t>(i));
        }
        std::vector<bool> used(n_features, false);
        for (auto i = forest.starts[t]; i < forest.starts[t + 1]; ++i) {
            const ForestNode& node = forest.nodes[static_cast<std::size_t>(i)];
            if (node.link >= 0) used[node.feature & ~missing_right] = true;
        }
        // Mean loss over the unseen rows, in their own order, when feature `shuffled` is read from `source`.
        std::vector<double> losses(unseen.size());
        const auto loss = [&](std::size_t shuffled, const std::vector<std::uint32_t>& source) {
            const auto value = [&](std::size_t row, std::uint32_t feature) {
                return x[(feature == shuffled ? source[row] : unseen[row]) * n_features + feature];
            };
            forest::descend(forest, tree, unseen.size(), value, every_row, [&](std::size_t row, std::int32_t node) {
                const double* content = values.data() + static_cast<std::size_t>(~tree[node].link) * width;
                const std::size_t i = unseen[row];
                losses[row] = labels.empty() ? (content[0] - targets[i]) * (content[0] - targets[i])
                                             : (right(content, width, labels[i]) ? 0.0 : 1.0);
            });
            return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(unseen.size());
        };
        if (unseen.empty()) return;
        const double before = loss(n_features, unseen);
        for (std::size_t feature = 0; feature < n_features; ++feature) {
            if (!used[feature]) continue;
            std::vector<std::uint32_t> source = unseen;
            Random random(key_of(key_of(seed, t), 1000 + feature));
            for (std::size_t i = source.size(); i > 1; --i) std::swap(source[i - 1], source[random.below(i)]);
            importances[t * n_features + feature] = loss(feature, source) - before;
            control.check();
        }
        control.advance(1);
    });
    return importances;
}

}  // namespace vaglio
