#pragma once
// Rows down one tree, several at a time: while one waits for its node to come from memory, the others go on.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/forest.hpp"

namespace vaglio::forest {

// About as many rows as a core can wait for at a time.
inline constexpr std::size_t lanes = 16;

// A block of rows as numbers, row after row, feature by feature; codes are numbers too, a missing one is NaN.
class DenseBlock {
 public:
    explicit DenseBlock(const ForestRows& rows) : rows_(rows) {}

    // Points at rows [first, first + count); copies only where there are categories.
    const double* load(std::size_t first, std::size_t count);
    std::size_t stride() const { return rows_.features.size(); }

 private:
    const ForestRows& rows_;
    std::vector<double> values_;
};

// Whether a row goes to branch 1. Without categories anywhere, the question which kind of test it is is never asked.
template <bool nominal>
bool goes_right(const ForestView& forest, const ForestNode& node, double x) {
    if constexpr (nominal) {
        if (const std::uint32_t categories = forest.categories[node.feature & ~missing_right]; categories > 0) {
            if (!(x >= 0 && x < categories)) return (node.feature & missing_right) != 0;
            const auto code = static_cast<std::uint32_t>(x);
            return forest.tables[static_cast<std::size_t>(node.threshold) + code / 32] >> (code % 32) & 1;
        }
    }
    // Without a branch: half of all guesses at the way of a row would be wrong.
    return (static_cast<unsigned>(x > node.threshold) | (static_cast<unsigned>(x != x) & (node.feature >> 31))) != 0;
}

// Calls leaf(row, node) with the position of the row in the block and of the leaf in the tree.
// next(row) gives the first row at or after `row` that is wanted, or `count`.
template <bool nominal, class Value, class Next, class Leaf>
void descend_as(const ForestView& forest, const ForestNode* tree, std::size_t count, Value value, Next next,
                Leaf leaf) {
    std::size_t row[lanes];
    std::int32_t at[lanes];
    std::size_t active = 0, coming = next(0);
    for (; active < lanes && coming < count; coming = next(coming + 1)) {
        row[active] = coming;
        at[active++] = 0;
    }
    while (active > 0) {
        for (std::size_t lane = 0; lane < active;) {
            const ForestNode& node = tree[at[lane]];
            if (node.link >= 0) {
                at[lane] =
                    node.link + goes_right<nominal>(forest, node, value(row[lane], node.feature & ~missing_right));
                ++lane;
                continue;
            }
            leaf(row[lane], at[lane]);
            if (coming < count) {
                row[lane] = coming;
                at[lane] = 0;
                coming = next(coming + 1);
                ++lane;
            } else {
                --active;
                row[lane] = row[active];
                at[lane] = at[active];
            }
        }
    }
}

template <class Value, class Next, class Leaf>
void descend(const ForestView& forest, const ForestNode* tree, std::size_t count, Value value, Next next, Leaf leaf) {
    if (forest.nominal()) {
        descend_as<true>(forest, tree, count, value, next, leaf);
    } else {
        descend_as<false>(forest, tree, count, value, next, leaf);
    }
}

}  // namespace vaglio::forest
