// One row through all trees, several trees at a time: while one waits for its node to come from memory, the others go
// on.
#include <algorithm>

#include "forest/descend.hpp"

namespace vaglio {
namespace {

// Calls add(tree, leaf) with the number of the leaf's content, in the order of the trees: the same sum as for many
// rows.
template <bool nominal, class Add>
void pass_trees(const ForestView& forest, const double* x, const Add& add) {
    const ForestNode* tree[forest::lanes];
    std::int32_t at[forest::lanes];
    for (std::size_t first = 0; first < forest.n_trees(); first += forest::lanes) {
        const std::size_t count = std::min(forest::lanes, forest.n_trees() - first);
        for (std::size_t lane = 0; lane < count; ++lane) {
            tree[lane] = forest.tree(first + lane);
            at[lane] = 0;
        }
        for (bool moving = true; moving;) {
            moving = false;
            for (std::size_t lane = 0; lane < count; ++lane) {
                const ForestNode& node = tree[lane][at[lane]];
                if (node.link < 0) continue;
                at[lane] = node.link + forest::goes_right<nominal>(forest, node, x[node.feature & ~missing_right]);
                moving = true;
            }
        }
        for (std::size_t lane = 0; lane < count; ++lane) {
            add(first + lane, static_cast<std::size_t>(~tree[lane][at[lane]].link));
        }
    }
}

template <class Add>
void for_each_leaf(const ForestView& forest, const double* x, const Add& add) {
    if (forest.nominal()) {
        pass_trees<true>(forest, x, add);
    } else {
        pass_trees<false>(forest, x, add);
    }
}

}  // namespace

void predict_forest_row(const ForestView& forest, const double* x, const double* values, std::size_t width,
                        double* sums) {
    for_each_leaf(forest, x, [&](std::size_t, std::size_t leaf) {
        for (std::size_t c = 0; c < width; ++c) sums[c] += values[leaf * width + c];
    });
}

void predict_outputs_row(const ForestView& forest, const double* x, const double* values, std::size_t outputs,
                         double* sums) {
    for_each_leaf(forest, x, [&](std::size_t tree, std::size_t leaf) { sums[tree % outputs] += values[leaf]; });
}

}  // namespace vaglio
