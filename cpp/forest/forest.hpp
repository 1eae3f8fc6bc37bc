#pragma once
// Many trees grown as single ones are (tree/grow.hpp), kept in one compact array, and applied to rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "tree/config.hpp"
#include "tree/table/data.hpp"

namespace vaglio {

// Sixteen bytes per node, so that a step down reads one node and one value of the row.
struct ForestNode {
    double threshold;       // numeric: branch 0 is x <= threshold; nominal: where the bitset starts in `tables`
    std::int32_t link;      // >= 0: the first of two children, within the tree; else ~row of `leaves`
    std::uint32_t feature;  // the top bit says that missing values go to branch 1
};
static_assert(sizeof(ForestNode) == 16);

inline constexpr std::uint32_t missing_right = 0x80000000u;

struct ForestConfig {
    tree::TreeConfig tree;
    std::size_t n_trees = 100;
    std::size_t draws = 0;              // rows drawn with replacement for each tree; 0: every row once
    std::size_t features_per_tree = 0;  // 0: all
    std::uint64_t seed = 0;
    int threads = 1;
};

struct Forest {
    std::size_t leaf_width = 0;  // classes; or 2 for numbers: mean and weight
    std::vector<ForestNode> nodes;
    std::vector<std::int64_t> starts;  // of each tree in `nodes`, and the end
    std::vector<std::uint32_t> tables;
    std::vector<double> leaves;       // the distinct leaf contents: fully grown trees have very few
    std::vector<double> importances;  // per tree and feature: share of the impurity removed
};

// How often each row was drawn for a tree; depends on the seed and the tree alone.
std::vector<std::uint32_t> draw_bag(std::uint64_t seed, std::size_t tree, std::size_t rows, std::size_t draws);

Forest grow_forest(const tree::TreeData& data, const ForestConfig& config, Control& control);

// A forest and rows as the traversals read them.
struct ForestView {
    std::span<const ForestNode> nodes;
    std::span<const std::int64_t> starts;
    std::span<const std::uint32_t> tables;
    std::span<const std::uint32_t> categories;  // per feature; 0 for a numeric one

    std::size_t n_trees() const { return starts.size() - 1; }
    bool nominal() const {
        return std::any_of(categories.begin(), categories.end(), [](std::uint32_t c) { return c > 0; });
    }
    const ForestNode* tree(std::size_t t) const { return nodes.data() + starts[t]; }
};

struct ForestRows {
    std::size_t rows = 0;
    std::span<const Feature> features;
    const double* numeric = nullptr;  // row after row
    std::size_t n_numeric = 0;
    const std::int32_t* codes = nullptr;  // row after row
    std::size_t n_nominal = 0;
    const float* single = nullptr;  // in place of `numeric`; each number stands for the double of the same value

    double number(std::size_t place) const {
        return single != nullptr ? static_cast<double>(single[place]) : numeric[place];
    }
};

// Bags as bits, tree after tree: bit i says that row i was drawn. Empty: no row is left out.
struct Bags {
    std::size_t words = 0;  // per tree
    std::vector<std::uint64_t> bits;
    bool drawn(std::size_t tree, std::size_t row) const { return bits[tree * words + row / 64] >> (row % 64) & 1; }
};
Bags draw_bags(std::uint64_t seed, std::size_t n_trees, std::size_t rows, std::size_t draws, int threads);

// Sum over the trees (those that did not draw the row, if bags are given) of values[leaf], `width` numbers per row;
// and how many trees were asked.
struct ForestSums {
    std::vector<double> sums;
    std::vector<std::uint32_t> trees;
};
namespace forest {
class RankedForest;
}
// With a ranked form of the forest, that one is asked where all trees are.
ForestSums predict_forest(const ForestView& forest, const ForestRows& rows, std::span<const double> values,
                          std::size_t width, const Bags& bags, int threads, Control& control,
                          const forest::RankedForest* ranked = nullptr);

// The same for one row, added to `sums`: x has one number per feature, a code as a number, NaN where it is missing.
void predict_forest_row(const ForestView& forest, const double* x, const double* values, std::size_t width,
                        double* sums);

// The same where tree t adds one number per leaf to output t % outputs.
void predict_outputs_row(const ForestView& forest, const double* x, const double* values, std::size_t outputs,
                         double* sums);

// The node each row ends in, (rows, trees), numbered through the whole forest.
std::vector<std::int32_t> apply_forest(const ForestView& forest, const ForestRows& rows, int threads, Control& control);

// What each feature contributes to Σ direction · (sum over the trees of values[leaf]), by Shapley's shares, and in the
// last place what is predicted when no feature is known: features + 1 numbers per row. Tree t speaks for output
// t % outputs; direction has `width` numbers per row and output. leaf_weight: of the training rows.
std::vector<double> forest_contributions(const ForestView& forest, const ForestRows& rows,
                                         std::span<const double> leaf_weight, std::span<const double> values,
                                         std::size_t width, std::span<const double> direction, std::size_t outputs,
                                         int threads, Control& control);

// Breiman's importance on the rows each tree did not see: how much worse it does once a feature's values are
// shuffled among them. Classes: share of rows right; numbers: mean squared error. (trees, features)
std::vector<double> permutation_importance(const ForestView& forest, const ForestRows& rows,
                                           std::span<const double> values, std::size_t width,
                                           std::span<const std::int64_t> labels, std::span<const double> targets,
                                           const Bags& bags, std::uint64_t seed, int threads, Control& control);

}  // namespace vaglio
