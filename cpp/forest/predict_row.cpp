// One row through all trees, several trees at a time: while one waits for its node to come from memory, the others go
// on.
#include <algorithm>

#include "forest/descend.hpp"

namespace vaglio {
namespace {

template <bool nominal>
void add_trees(const ForestView& forest, const double* x, const double* values, std::size_t width, double* sums) {
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
        // In the order of the trees: the same sum as for many rows.
        for (std::size_t lane = 0; lane < count; ++lane) {
            const double* content = values + static_cast<std::size_t>(~tree[lane][at[lane]].link) * width;
            for (std::size_t c = 0; c < width; ++c) sums[c] += content[c];
        }
    }
}

}  // namespace

void predict_forest_row(const ForestView& forest, const double* x, const double* values, std::size_t width,
                        double* sums) {
    if (forest.nominal()) {
        add_trees<true>(forest, x, values, width, sums);
    } else {
        add_trees<false>(forest, x, values, width, sums);
    }
}

}  // namespace vaglio
