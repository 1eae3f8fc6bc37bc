#pragma once
// A finished tree applied to rows.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

// The rows to be classified: numbers row by row (NaN: missing), codes column by column (outside the known
// categories: missing).
struct PredictRows {
    std::size_t rows = 0;
    const double* numeric = nullptr;
    std::size_t numeric_columns = 0;
    const std::int32_t* codes = nullptr;
    std::size_t code_columns = 0;
};

class TreePredictor {
 public:
    // Checks every index of the tree, and throws std::invalid_argument where one leads nowhere.
    TreePredictor(Tree tree, std::vector<Feature> features, std::vector<std::uint32_t> categories);

    const Tree& tree() const { return tree_; }
    std::size_t n_features() const { return features_.size(); }
    std::size_t numeric_columns() const { return numeric_columns_; }
    std::size_t code_columns() const { return categories_.size(); }

    // The leaf of each row; of several leaves (fractional weights) the heaviest, ties to the lowest.
    std::vector<std::int32_t> apply(const PredictRows& rows, int threads, Control& control) const;

    // Σ share · leaf_values[leaf], `width` numbers per row.
    std::vector<double> predict(const PredictRows& rows, std::span<const double> leaf_values, std::size_t width,
                                int threads, Control& control) const;

    // The same for one row, added to `sums`. The caller has at least numeric_columns() and code_columns() values.
    void predict_row(const double* numeric, const std::int32_t* codes, const double* leaf_values, std::size_t width,
                     double* sums) const;

    // What each feature contributes to Σ_c direction[row][c] · prediction[row][c], by Shapley's shares, and in the last
    // place what is predicted when no feature is known: features + 1 numbers per row, which add up to the prediction.
    std::vector<double> contributions(const PredictRows& rows, std::span<const double> leaf_values, std::size_t width,
                                      std::span<const double> direction, int threads, Control& control) const;

    // All nodes each row passes through, as the rows of a CSR matrix with ascending indices.
    struct Paths {
        std::vector<std::int64_t> offsets;
        std::vector<std::int32_t> nodes;
    };
    Paths decision_path(const PredictRows& rows, int threads, Control& control) const;

 private:
    // What a threshold test reads, in sixteen bytes: four steps share a cache line.
    struct Step {
        double threshold;
        std::int32_t column;  // of the numeric block; a negative number names another kind of step
        std::int32_t first_child;
    };
    struct Visit {
        std::int32_t node;
        double share;
    };

    void check() const;
    void check_linear(std::size_t node) const;
    std::int32_t linear_branch(std::size_t node, const PredictRows& rows, std::size_t row) const;
    void make_steps();
    std::int32_t branch(std::int32_t node, const PredictRows& rows, std::size_t row) const;
    // Calls leaf(node, share) for each leaf the row reaches.
    template <class Leaf>
    void descend(const PredictRows& rows, std::size_t row, std::vector<Visit>& stack, Leaf leaf) const;
    bool fast_leaves(const PredictRows& rows, std::size_t begin, std::size_t end, std::int32_t* leaves) const;

    Tree tree_;
    std::vector<Feature> features_;
    std::vector<std::uint32_t> categories_;
    std::size_t numeric_columns_ = 0;
    bool plain_ = false;  // threshold tests only
    std::vector<Step> steps_;
};

}  // namespace vaglio::tree
