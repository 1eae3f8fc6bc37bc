#include "boosting/passes/flat_trees.hpp"

#include <algorithm>
#include <stdexcept>

namespace vaglio::boosting {

std::size_t FlatTrees::slots() const {
    const auto last = std::max_element(slot.begin(), slot.end());
    return last == slot.end() ? 0 : static_cast<std::size_t>(*last + 1);
}

void FlatTrees::add_tree(std::size_t first_output) {
    output.push_back(static_cast<std::int64_t>(first_output));
    start.push_back(start.back());
}

void FlatTrees::add_node(const GrownNode& node, std::int32_t own_slot) {
    ++start.back();
    feature.push_back(node.feature);
    first_child.push_back(node.first_child);
    bin.push_back(node.bin);
    missing_right.push_back(node.missing_right ? 1 : 0);
    right_start.push_back(static_cast<std::int64_t>(right.size()));
    right.insert(right.end(), node.right.begin(), node.right.end());
    slot.push_back(own_slot);
}

void FlatTrees::check(const std::vector<BinnedFeature>& features) const {
    const auto demand = [](bool holds) {
        if (!holds) throw std::invalid_argument("the trees that came to the rows are not whole");
    };
    const std::size_t nodes = feature.size();
    demand(start.size() == output.size() + 1 && start.front() == 0 && start.back() == static_cast<std::int64_t>(nodes));
    demand(first_child.size() == nodes && bin.size() == nodes && missing_right.size() == nodes);
    demand(right_start.size() == nodes && slot.size() == nodes);
    demand(values.empty() || values.size() == nodes * outputs);
    for (std::size_t t = 0; t < trees(); ++t) {
        demand(start[t] < start[t + 1] && output[t] >= 0);
        const std::int64_t size = start[t + 1] - start[t];
        for (std::int64_t i = 0; i < size; ++i) {
            const auto at = static_cast<std::size_t>(start[t] + i);
            demand(slot[at] >= -1);
            if (first_child[at] < 0) continue;
            demand(first_child[at] > i && first_child[at] + 1 < size);
            demand(feature[at] >= 0 && static_cast<std::size_t>(feature[at]) < features.size());
            const BinnedFeature& own = features[static_cast<std::size_t>(feature[at])];
            const std::size_t words = own.nominal ? (own.bins + 31) / 32 : 0;
            demand(right_start[at] >= 0 && static_cast<std::size_t>(right_start[at]) + words <= right.size());
        }
    }
}

TreeWalk::TreeWalk(const FlatTrees& trees, std::size_t tree, const BinnedTable& table) {
    for (auto at = static_cast<std::size_t>(trees.start[tree]); at < static_cast<std::size_t>(trees.start[tree + 1]);
         ++at) {
        Step step;
        step.first_child = trees.first_child[at];
        if (step.first_child >= 0) {
            const auto f = static_cast<std::size_t>(trees.feature[at]);
            const BinnedFeature& feature = table.features()[f];
            step.place = table.place(f);
            step.last = trees.bin[at];
            step.absent = feature.bins;
            step.missing_right = trees.missing_right[at] != 0;
            if (feature.nominal) step.right = trees.right.data() + trees.right_start[at];
        }
        steps_.push_back(step);
    }
}

}  // namespace vaglio::boosting
