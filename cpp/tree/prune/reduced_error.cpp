// Reduced-error pruning: the validation rows go down the tree once and are counted in every node they pass.
#include <algorithm>

#include "tree/binned/amounts.hpp"
#include "tree/prune/prune.hpp"
#include "tree/prune/route.hpp"

namespace vaglio::tree {

std::vector<double> validation_errors(const Tree& tree, const TreeData& data, double bound, Control& control) {
    const Rounding rounding(bound);
    std::vector<double> errors(tree.size(), 0.0);
    std::vector<std::size_t> majority(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto first = tree.value.begin() + static_cast<std::ptrdiff_t>(i * tree.width);
        majority[i] =
            static_cast<std::size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(tree.width)) - first);
    }
    const RowRouter router(tree, data);
    RowRouter::Scratch scratch;
    constexpr std::uint32_t piece = 4096;
    std::vector<WeightedRow> rows;
    for (std::uint32_t row = 0; row < data.rows; ++row) {
        rows.push_back({row, data.weights ? data.weights[row] : 1.0});
        if (rows.size() < piece && row + 1 < data.rows) continue;
        control.check();
        router.route(0, rows, scratch, [&](std::size_t node, std::span<const WeightedRow> arrived) {
            for (const auto& [at, share] : arrived) {
                if (data.classes > 0) {
                    errors[node] += majority[node] == static_cast<std::size_t>(data.labels[at]) ? 0 : rounding(share);
                } else {
                    const double difference = data.targets[at] - tree.value[node];
                    errors[node] += rounding(share * difference * difference);
                }
            }
        });
        rows.clear();
    }
    return errors;
}

Tree prune_reduced_error(const Tree& tree, std::span<const double> own) {
    Tree pruned = tree;
    std::vector<double> below(own.begin(), own.end());
    for (std::size_t i = tree.size(); i-- > 0;) {
        if (tree.is_leaf(i)) continue;
        double sum = 0;
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
            sum += below[static_cast<std::size_t>(tree.first_child[i] + c)];
        if (own[i] <= sum + 1e-9 * (1 + sum)) {
            pruned.make_leaf(i);
        } else {
            below[i] = sum;
        }
    }
    return compact(pruned);
}

}  // namespace vaglio::tree
