#pragma once
// Trees on their way to rows that are elsewhere: plain arrays, and the leaf of a row by the bins of its blocks.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/growth/tree_grower.hpp"

namespace vaglio::boosting {

struct FlatTrees {
    std::size_t outputs = 1;             // that each tree speaks for
    std::vector<std::int64_t> start{0};  // of each tree in the arrays of nodes, and the end
    std::vector<std::int64_t> output;    // per tree: the first of its outputs

    // Per node.
    std::vector<std::int32_t> feature, first_child;  // children within the tree; -1: a leaf
    std::vector<std::uint32_t> bin;
    std::vector<std::uint8_t> missing_right;
    std::vector<std::int64_t> right_start;  // nominal: of its bits in `right`
    std::vector<std::int32_t> slot;         // leaves: where the sums of its rows go, or -1
    std::vector<double> values;             // per node and output; empty: the rows are only counted

    std::vector<std::uint32_t> right;

    std::size_t trees() const { return output.size(); }
    std::size_t slots() const;
    // Begins a tree; nodes follow.
    void add_tree(std::size_t first_output);
    void add_node(const GrownNode& node, std::int32_t own_slot);

    // Throws std::invalid_argument where an index is out of range for these features.
    void check(const std::vector<BinnedFeature>& features) const;
};

// One of the trees over the rows of a table in blocks.
class TreeWalk {
 public:
    TreeWalk(const FlatTrees& trees, std::size_t tree, const BinnedTable& table);

    // The leaf of a row: its number within the tree.
    std::size_t leaf(std::size_t row) const {
        std::size_t at = 0;
        while (steps_[at].first_child >= 0) {
            const Step& step = steps_[at];
            const std::uint32_t bin = step.place.bin(row);
            bool to_right = bin > step.last;
            if (bin == step.absent) {
                to_right = step.missing_right;
            } else if (step.right) {
                to_right = (step.right[bin / 32] >> (bin % 32) & 1) != 0;
            }
            at = static_cast<std::size_t>(step.first_child) + (to_right ? 1 : 0);
        }
        return at;
    }

 private:
    struct Step {
        BinnedTable::Place place{nullptr, 0, false};
        std::int32_t first_child = -1;
        std::uint32_t last = 0, absent = 0;
        bool missing_right = true;
        const std::uint32_t* right = nullptr;
    };
    std::vector<Step> steps_;
};

}  // namespace vaglio::boosting
