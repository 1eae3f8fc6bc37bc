#pragma once
// The best split of a node, from its histogram.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "boosting/binned.hpp"
#include "boosting/fixed_point.hpp"
#include "boosting/histogram.hpp"

namespace vaglio::boosting {

struct SplitConfig {
    std::uint64_t min_samples_leaf = 20;
    double min_hessian = 1e-3;  // of the rows of a leaf together
    double min_gain = 0.0;      // a split must gain more
    double l2 = 0.0;
    double nominal_smoothing = 10.0;  // added to the Hessian of a category when categories are sorted
    double nominal_l2 = 0.0;          // added to l2 when a nominal column is split
    // Of columns of more values than this, what chance would gain from so many is taken off the gain.
    double guarded_from = std::numeric_limits<double>::infinity();
    // As scikit-learn does: values that a constraint binds gain what their gradient alone promises, missing values that
    // a node does not have go right, and so do categories of few rows.
    bool like_scikit_learn = false;
    bool middle_of_gaps = false;         // between bins without rows of the node the threshold is the middle one
    std::vector<std::int8_t> monotonic;  // per feature: 1 increasing, -1 decreasing, 0 free; empty: all free
};

// The range that monotonic constraints leave to the values of a node.
struct ValueRange {
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    bool free() const { return lower == -std::numeric_limits<double>::infinity() && upper == -lower; }
};

struct Split {
    double gain = 0.0;          // of the loss, doubled, as is usual; 0: there is no split
    std::int32_t feature = -1;  //
    std::uint32_t bin = 0;      // numeric: the last bin of the left side
    bool missing_right = true;
    std::vector<std::uint32_t> right;  // nominal: a bitset of the categories of the right side
    GradientSums left_sums, right_sums;
    double left_value = 0.0, right_value = 0.0;

    bool found() const { return feature >= 0; }
};

// What is gained by a node of these sums when it takes the value v instead of 0: with the best v it is G²/(H + l2).
inline double gain_of(const SplitConfig& config, double gradient, double hessian, double l2, double v) {
    return config.like_scikit_learn ? -v * gradient : -v * (2 * gradient + (hessian + l2) * v);
}

// What the search of one node shares among its features.
struct SplitTask {
    const SplitConfig& config;
    const FixedPoint& unit;
    GradientSums total;
    double value = 0.0;  // of the node, if it stays a leaf
    double noise = 1.0;  // mean squared gradient per Hessian: what chance gains per free choice
    ValueRange range;

    // The Newton step of a node with these sums, within its range.
    double value_of(double gradient, double hessian, double extra_l2 = 0.0) const;

    // Whether missing values go right where the node has none.
    bool absent_right(const BinnedFeature& feature, const Split& split) const;
};

// The best split by one feature; its histogram begins at `bins`. Columns that are sampled out are not asked.
Split best_split(const SplitTask& task, const BinnedFeature& feature, std::size_t number, const GradientSums* bins);

// The same for a nominal feature.
Split best_subset(const SplitTask& task, const BinnedFeature& feature, std::size_t number, const GradientSums* bins);

}  // namespace vaglio::boosting
