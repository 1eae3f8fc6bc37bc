#pragma once
// The best split of a node, from its histogram.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

    bool found() const { return feature >= 0; }
};

// What a split makes of its node, per output.
struct Sides {
    std::vector<GradientSums> left_sums, right_sums;
    std::vector<double> left_values, right_values;
};

// What is gained by a node of these sums when it takes the value v instead of 0: with the best v it is G²/(H + l2).
inline double gain_of(const SplitConfig& config, double gradient, double hessian, double l2, double v) {
    return config.like_scikit_learn ? -v * gradient : -v * (2 * gradient + (hessian + l2) * v);
}

// Keeps a step finite where rows have no Hessian left.
inline constexpr double tiny = 1e-15;

// What the search of one node shares among its features. A tree speaks for one output, or for all of them: then its
// leaves hold one value for each, and a split gains what it gains for all together.
struct SplitTask {
    const SplitConfig& config;
    const FixedPoint& unit;
    std::span<const Histogram> histograms;  // per output
    std::span<const GradientSums> totals;   // likewise
    std::span<const double> values;         // of the node, if it stays a leaf
    double noise = 1.0;                     // mean squared gradient per Hessian: what chance gains per free choice
    ValueRange range = {};

    bool alone() const { return totals.size() == 1; }
    std::uint64_t rows() const { return unit.rows(totals[0]); }
    const GradientSums* bins(const BinnedFeature& feature, std::size_t output = 0) const {
        return histograms[output].data() + feature.offset;
    }

    // The Newton step of a node with these sums, within its range.
    double value_of(const GradientSums& sums, double extra_l2 = 0.0) const {
        return value_of(unit.gradient(sums), unit.hessian(sums), extra_l2);
    }
    double value_of(double gradient, double hessian, double extra_l2 = 0.0) const;

    // Whether missing values go right where the node has none.
    bool absent_right(const BinnedFeature& feature, const GradientSums& left) const;

    // What both sides have of each output.
    Sides sides(const BinnedFeature& feature, const Split& split) const;
};

// The best split by one feature. Columns that are sampled out are not asked.
Split best_split(const SplitTask& task, const BinnedFeature& feature, std::size_t number);

// The same for a nominal feature.
Split best_subset(const SplitTask& task, const BinnedFeature& feature, std::size_t number);

// The same for a tree of several outputs.
Split best_shared_split(const SplitTask& task, const BinnedFeature& feature, std::size_t number);

// Whether values of a bin go right.
inline bool goes_right(const BinnedFeature& feature, std::uint32_t bin, std::uint32_t last, bool missing_right,
                       const std::vector<std::uint32_t>& right) {
    if (bin == feature.bins) return missing_right;
    return feature.nominal ? (right[bin / 32] >> (bin % 32) & 1) != 0 : bin > last;
}

// The threshold in the middle of the bins behind `bin` that hold no row of the node.
std::uint32_t middle_of_gap(const SplitTask& task, const BinnedFeature& feature, std::uint32_t bin);

// A category that occurs in a node, by what it is sorted.
struct Category {
    double order;
    std::uint32_t slot;
};

// The categories that occur in the node by mean gradient; a few rows are drawn towards zero, or left out.
void sort_categories(const SplitTask& task, const BinnedFeature& feature, std::size_t output,
                     std::vector<Category>& sorted);

// Which categories go right: those of the list that are not `left`, and all others if `others_right`.
template <class Left>
std::vector<std::uint32_t> right_side(const BinnedFeature& feature, const std::vector<Category>& sorted, Left left,
                                      bool others_right) {
    std::vector<std::uint32_t> bits((feature.bins + 31) / 32, others_right ? ~0u : 0u);
    if (others_right && feature.bins % 32 != 0) bits.back() = (1u << (feature.bins % 32)) - 1;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const std::uint32_t slot = sorted[i].slot;
        if (slot == feature.bins) continue;
        if (left(i)) {
            bits[slot / 32] &= ~(1u << (slot % 32));
        } else {
            bits[slot / 32] |= 1u << (slot % 32);
        }
    }
    return bits;
}

}  // namespace vaglio::boosting
