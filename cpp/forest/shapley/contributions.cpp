// Shapley values of a forest: those of its trees, added up.
#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "forest/descend.hpp"
#include "forest/shapley/shapley_rows.hpp"

namespace vaglio {
namespace {

constexpr std::size_t trees_at_once = 16;  // laid out for the walk at a time; many take much memory

// A tree's nodes with the weight of their training rows, summed up from the leaves.
std::vector<tree::ShapleyNode> nodes_of(const ForestView& forest, std::size_t tree,
                                        std::span<const double> leaf_weight) {
    const ForestNode* from = forest.tree(tree);
    std::vector<tree::ShapleyNode> nodes(static_cast<std::size_t>(forest.starts[tree + 1] - forest.starts[tree]));
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const std::int32_t link = from[i].link;
        if (link < 0) {
            nodes[i].weight = leaf_weight[static_cast<std::size_t>(~link)];
        } else {
            const auto child = static_cast<std::size_t>(link);
            nodes[i] = {link, 2, static_cast<std::int32_t>(from[i].feature & ~missing_right),
                        nodes[child].weight + nodes[child + 1].weight};
        }
    }
    return nodes;
}

}  // namespace

std::vector<double> forest_contributions(const ForestView& forest, const ForestRows& rows,
                                         std::span<const double> leaf_weight, std::span<const double> values,
                                         std::size_t width, std::span<const double> direction, std::size_t outputs,
                                         int threads, Control& control) {
    const std::size_t n_features = rows.features.size(), columns = n_features + 1;
    std::vector<double> result(rows.rows * columns, 0.0);
    forest::DenseBlock dense(rows);
    const double* x = dense.load(0, rows.rows);
    const std::size_t batches = (rows.rows + forest::shapley_rows - 1) / forest::shapley_rows;
    for (std::size_t begin = 0; begin < forest.n_trees(); begin += trees_at_once) {
        const std::size_t count = std::min(trees_at_once, forest.n_trees() - begin);
        std::vector<std::unique_ptr<const tree::ShapleyTree>> trees(count);
        parallel_for(threads, count, [&](std::size_t t, int) {
            trees[t] = std::make_unique<const tree::ShapleyTree>(nodes_of(forest, begin + t, leaf_weight), n_features);
        });
        parallel_for(threads, batches, [&](std::size_t batch, int) {
            const std::size_t first = batch * forest::shapley_rows;
            const std::size_t n = std::min(forest::shapley_rows, rows.rows - first);
            forest::ShapleyRows walk(n_features);
            walk.start(n);
            for (std::size_t t = 0; t < count; ++t) {
                control.check();
                const ForestNode* nodes = forest.tree(begin + t);
                const auto goes_right = [&](std::size_t row, std::int32_t node) {
                    const double value = x[(first + row) * n_features + (nodes[node].feature & ~missing_right)];
                    return forest::goes_right<true>(forest, nodes[node], value);
                };
                const auto value = [&](std::size_t row, std::int32_t node) {
                    const double* meant = &direction[((first + row) * outputs + (begin + t) % outputs) * width];
                    const double* says = &values[static_cast<std::size_t>(~nodes[node].link) * width];
                    return std::inner_product(says, says + width, meant, 0.0);
                };
                walk.add(*trees[t], goes_right, value);
            }
            for (std::size_t row = 0; row < n; ++row) {
                double* found = result.data() + (first + row) * columns;
                for (std::size_t j = 0; j < n_features; ++j) found[j] += walk.contribution(row, j);
                found[n_features] += walk.nothing_known(row);
            }
        });
    }
    return result;
}

}  // namespace vaglio
