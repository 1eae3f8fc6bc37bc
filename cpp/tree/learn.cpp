// Pruning happens here, right after growth, because the rows are at hand and already checked: a trip of the tree to
// Python and back would check every rank of the table again.
#include "tree/learn.hpp"

#include "tree/grow.hpp"
#include "tree/prune/prune.hpp"

namespace vaglio {

Tree learn_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control) {
    Tree tree = grow_tree(data, config, threads, control);
    switch (config.pruning) {
        case Pruning::pessimistic:
            return prune_pessimistic(tree, config.epsilon);
        case Pruning::error_based:
            return prune_error_based(tree, data, config.criterion, config.confidence, config.subtree_raising, threads,
                                     control);
        default:
            return tree;
    }
}

}  // namespace vaglio
