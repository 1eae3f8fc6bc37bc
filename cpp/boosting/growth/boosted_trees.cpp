#include "boosting/growth/boosted_trees.hpp"

#include <limits>

namespace vaglio::boosting {

void BoostedTrees::add(const GrownTree& tree, std::size_t output, const std::vector<double>& weights,
                       const std::vector<BinnedFeature>& features) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const GrownNode& node = tree.nodes[i];
        ForestNode to{0.0, 0, 0};
        if (node.is_leaf()) {
            to.link = ~static_cast<std::int32_t>(leaves.size() / 2);
            leaves.insert(leaves.end(), {node.values[output], weights[i]});
        } else {
            const auto f = static_cast<std::size_t>(node.feature);
            const BinnedFeature& feature = features[f];
            to.link = node.first_child;
            to.feature = static_cast<std::uint32_t>(f) | (node.missing_right ? missing_right : 0u);
            if (feature.nominal) {
                to.threshold = static_cast<double>(tables.size());
                tables.insert(tables.end(), node.right.begin(), node.right.end());
            } else {
                // The last bin on the left: all values that are there, against missing ones.
                to.threshold =
                    node.bin + 1 < feature.bins ? feature.thresholds[node.bin] : std::numeric_limits<double>::max();
            }
        }
        nodes.push_back(to);
        gains.push_back(node.is_leaf() ? 0.0 : node.gain);
    }
    starts.push_back(static_cast<std::int64_t>(nodes.size()));
}

}  // namespace vaglio::boosting
