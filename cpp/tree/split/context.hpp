#pragma once
// What the searches for the best test of a feature share: the node, its memory, and how a test is judged.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "tree/config.hpp"
#include "tree/loss/median.hpp"
#include "tree/node.hpp"
#include "tree/split/score.hpp"
#include "tree/table/data.hpp"

namespace vaglio::tree {

// Σ coefficient·x <= threshold over numeric features, added in this order.
struct LinearTest {
    std::vector<std::int32_t> features;
    std::vector<double> coefficients;
    double threshold = 0;
};

// The best test of one feature. Gains are per row of the node, rows of unknown value included.
struct Candidate {
    bool valid = false;
    std::int32_t feature = -1;
    double gain = 0;
    double worth = 0;                    // what features are compared by: the gain, or the gain ratio
    std::uint32_t lower = 0, upper = 0;  // numeric: ranks on either side of the threshold
    // Numeric: lower and upper are positions of rows of the node, whose ranks are read where the candidate wins: a read
    // from a large table takes as long as the scan of a small node.
    bool by_position = false;
    // Numeric: lower and upper are not known yet, only the threshold between them.
    bool by_threshold = false;
    std::int32_t missing_branch = -1;
    bool drawn = false;  // numeric: the threshold is `threshold`, not the midpoint of the ranks
    double threshold = 0;
    bool only_missing = false;                 // numeric: all known values against the missing ones
    std::shared_ptr<const LinearTest> linear;  // a test of several features; `feature` is its first
};

// What a branch must have at least. Without weights rows and weight are one, and the minimum of both is in `weight`.
struct Minimum {
    double weight = 0, rows = 0;
    bool met(double branch_weight, double branch_rows) const { return branch_weight >= weight && branch_rows >= rows; }
};

// What all feature scans of one node have in common.
struct NodeContext {
    const TreeData& data;
    const TreeConfig& config;
    const Scorer& scorer;
    const GrowNode& node;
    std::span<const double> sums;  // class weights, or {Σ w·y, Σ w·y²}
    double weight;                 // of the node
    Minimum minimum;               // of a branch
    double unit;                   // rows per weight, where statistics need counts
    bool integral;
    // By the absolute error: the node's targets in order, one by one where there are several.
    std::shared_ptr<const std::vector<RankedTargets>> targets;

    std::size_t width() const { return sums.size(); }
    bool regression() const { return data.classes == 0; }
    bool monotonic() const { return !config.monotonic.empty(); }
    // The order that a monotonic constraint asks of the branches of a test: 1 increasing, -1 decreasing, 0 any.
    int order_of(std::int32_t feature) const {
        return monotonic() ? config.monotonic[static_cast<std::size_t>(feature)] : 0;
    }
    // Whether tests of a feature in that order are limited, by it or by the bounds that monotonic tests above have set.
    bool limited(int order) const { return monotonic() && (order != 0 || !config.values_clipped); }
    // Whether a branch of these sums keeps to the bounds, for a feature without an order.
    bool within_bounds(const double* branch_sums, double branch_weight) const {
        if (!limited(0) || branch_weight <= 0) return true;
        return within_bounds(branch_sums[regression() ? 0 : 1] / branch_weight);
    }
    bool within_bounds(double value) const { return !limited(0) || (value >= node.lower && value <= node.upper); }
    bool by_medians() const { return config.criterion == Criterion::absolute_error; }
};

// Memory of the sieve (tree/sieve/sieve.hpp): keys and bins of several features.
struct SieveScratch {
    std::vector<std::int32_t> keys, kept, spare;
    std::vector<std::uint64_t> words, bins;
    std::vector<std::uint8_t> open;
    std::vector<std::uint32_t> features;
    // Of any number of classes: counts and scores of bins.
    std::vector<std::int32_t> counts;
    std::vector<double> scores, terms;
    std::vector<std::int64_t> memory;
};

// Memory of the sieve of weighed rows (tree/sieve/sieve.hpp).
struct WeighedScratch {
    std::vector<double> weights, bins;
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint64_t> keys, spare;
    std::vector<std::uint8_t> open;
};

// Weight of some rows, and how far their targets lie above and below the mean of a node, in whole units: four numbers,
// so that one instruction adds them all.
struct TargetSums {
    std::int32_t weight = 0, above = 0, below = 0, unused = 0;

    double sum() const { return static_cast<double>(above - below); }
    TargetSums& operator+=(const TargetSums& other) {
        weight += other.weight;
        above += other.above;
        below += other.below;
        unused += other.unused;
        return *this;
    }
    friend TargetSums operator+(TargetSums a, const TargetSums& b) { return a += b; }
    friend TargetSums operator-(const TargetSums& a, const TargetSums& b) {
        return {a.weight - b.weight, a.above - b.above, a.below - b.below, a.unused - b.unused};
    }
};

// Memory of the sieve of numbers as targets (tree/sieve/sieve.hpp).
struct TargetScratch {
    std::vector<TargetSums> rows, bins;
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint8_t> open;
};

// Memory that one worker reuses from feature to feature.
struct ScanScratch {
    std::vector<std::uint32_t> entries;
    std::vector<std::uint64_t> keys, spare_keys;
    std::vector<std::uint32_t> short_keys, short_spare, histogram;
    std::vector<std::int64_t> counts;
    std::vector<double> left, right, missing, suffix, values;
    // Nominal scans: sums, weights and (of weighted rows) squared weights per category, and which categories occur.
    std::vector<double> category_sums, category_weight, category_squares;
    std::vector<double> category_rows;  // where weights are more than counts of rows
    // Weights and rows per category and class, and squared weights, where sums are exact: zero between two features.
    std::vector<std::uint64_t> cells;
    std::vector<double> cell_squares;
    std::vector<std::uint32_t> seen;
    std::vector<std::uint8_t> present;
    std::vector<std::uint32_t> slot_of;  // category -> its place in `seen`, or UINT32_MAX
    std::vector<std::uint32_t> sorted;
    std::vector<double> share;
    std::vector<std::uint32_t> grouped;    // by the absolute error: positions of the rows, category by category ...
    std::vector<std::size_t> group_start;  // ... and where each begins
    std::vector<Candidate> found;          // of the features that a sieve takes
    SieveScratch sieve;
    WeighedScratch weighed;
    TargetScratch targets;
};

// Rows per category.
inline std::span<const double> slot_rows(const NodeContext& context, const ScanScratch& scratch) {
    return context.node.store->weighted ? scratch.category_rows : scratch.category_weight;
}

// Rows among `entries`, shares of rows included.
double count_rows(const GrowNode& node, std::span<const std::uint32_t> entries);

// Sums and weight of the rows whose entry is in `entries`.
double add_rows(const NodeContext& context, std::span<const std::uint32_t> entries, std::vector<double>& sums);

// By the absolute error: the median of the rows whose entry is in `entries`, and P of them. `output` is one of several
// targets.
Fit median_of(const NodeContext& context, std::span<const std::uint32_t> entries, std::size_t output = 0);
double median_purity(const NodeContext& context, std::span<const std::uint32_t> entries);

// Gain ratio's denominator, times N: the parts are the branches and, as one more, the rows of unknown value.
double split_information(const NodeContext& context, std::span<const double> branch_weights, double unknown);

// Reads the ranks beside the threshold where they have not been read yet.
void read_ranks(const NodeContext& context, Candidate& candidate);

// Fills gain and worth from ΣP(branches) − P(node), and decides whether the split is admissible. `penalty` is in bits
// of all rows together.
void judge(const NodeContext& context, Candidate& candidate, double gain_times_n, double penalty,
           std::span<const double> branch_weights, double unknown);

}  // namespace vaglio::tree
