// Pessimistic pruning by the training errors plus a constant per leaf.
#include <algorithm>

#include "tree/prune/prune.hpp"

namespace vaglio::tree {

Tree prune_pessimistic(const Tree& tree, double epsilon) {
    Tree pruned = tree;
    std::vector<double> errors(tree.size()), leaves(tree.size());
    // Children have higher numbers than their parent: one backward pass sees every subtree already pruned.
    for (std::size_t i = tree.size(); i-- > 0;) {
        const double own = node_errors(tree, i);
        errors[i] = own;
        leaves[i] = tree.weight[i] > 0;
        if (tree.is_leaf(i)) continue;
        double sum = 0, count = 0;
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c) {
            const auto child = static_cast<std::size_t>(tree.first_child[i] + c);
            sum += errors[child];
            count += leaves[child];
        }
        // Ties keep the subtree; the slack keeps a tie of real weights a tie.
        if (sum + count * epsilon > own + epsilon + 1e-9 * (1 + own)) {
            pruned.make_leaf(i);
        } else {
            errors[i] = sum;
            leaves[i] = count;
        }
    }
    return compact(pruned);
}

}  // namespace vaglio::tree
