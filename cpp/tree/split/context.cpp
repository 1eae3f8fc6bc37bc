// What numeric and nominal scans share: sums over rows, split information, the verdict on a candidate.
#include "tree/split/context.hpp"

#include <algorithm>
#include <limits>

#include "tree/loss/fit.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {

double count_rows(const GrowNode& node, std::span<const std::uint32_t> entries) {
    const double* counts = node.counts();
    if (!counts) return static_cast<double>(entries.size());
    double sum = 0;
    for (const std::uint32_t entry : entries) sum += counts[entry & position_mask];
    return sum;
}

double add_rows(const NodeContext& context, std::span<const std::uint32_t> entries, std::vector<double>& sums) {
    const double* weights = context.node.weights();
    double total = 0;
    sums.assign(context.width(), 0.0);
    for (const std::uint32_t entry : entries) {
        const std::uint32_t i = entry & position_mask;
        const double w = weights ? weights[i] : 1.0;
        total += w;
        if (context.data.outputs) {
            context.data.outputs->add(context.node.rows()[i], w, sums.data());
        } else if (context.regression()) {
            const double y = context.node.targets()[i];
            sums[0] += w * y;
            sums[1] += w * y * y;
        } else {
            sums[context.node.labels()[i]] += w;
        }
    }
    return total;
}

Fit median_of(const NodeContext& context, std::span<const std::uint32_t> entries, std::size_t output) {
    const RankedTargets& targets = (*context.targets)[output];
    const double* weights = context.node.weights();
    std::vector<WeightedTarget> rows;
    rows.reserve(entries.size());
    for (const std::uint32_t entry : entries) {
        const std::uint32_t i = entry & position_mask;
        rows.push_back({targets.of(i), weights ? weights[i] : 1.0});
    }
    return fit_rows(Criterion::absolute_error, rows);
}

double median_purity(const NodeContext& context, std::span<const std::uint32_t> entries) {
    double loss = 0;
    for (std::size_t k = 0; k < context.targets->size(); ++k) loss += median_of(context, entries, k).loss;
    return -loss / static_cast<double>(context.targets->size());
}

double split_information(const NodeContext& context, std::span<const double> branch_weights, double unknown) {
    const Scorer& scorer = context.scorer;
    double info = scorer.nlogn(context.weight, context.integral) - scorer.nlogn(unknown, context.integral);
    for (const double w : branch_weights) info -= scorer.nlogn(w, context.integral);
    return info;
}

namespace {

// The ranks of the node on either side of a threshold that parts its values.
void find_ranks(const NodeContext& context, Candidate& candidate) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const RankedValues& values = context.data.values[column];
    const RankColumn ranks = context.data.ranks_for(column, context.node.size);
    candidate.lower = 0;
    candidate.upper = missing_rank;
    for (std::uint32_t i = 0; i < context.node.size; ++i) {
        const std::uint32_t row = context.node.rows()[i], rank = ranks[row];
        if (values.of_row(row, [&] { return rank; }) <= candidate.threshold) {
            candidate.lower = std::max(candidate.lower, rank);
        } else {
            candidate.upper = std::min(candidate.upper, rank);
        }
    }
    candidate.by_threshold = false;
}

}  // namespace

void read_ranks(const NodeContext& context, Candidate& candidate) {
    if (candidate.by_threshold && context.config.strict) find_ranks(context, candidate);
    if (!candidate.by_position) return;
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const std::uint32_t* ranks = context.data.rank_column(column);
    candidate.lower = ranks[context.node.rows()[candidate.lower]];
    candidate.upper = ranks[context.node.rows()[candidate.upper]];
    candidate.by_position = false;
}

namespace {

// What a gain per row is measured by: numbers have a unit, of which no tolerance may depend.
double size_of_gains(const NodeContext& context) {
    if (!context.regression()) return 1;
    if (fits_rows(context.config.criterion)) return context.node.fit.loss / context.weight;
    return context.scorer.impurity({context.sums, context.weight}, context.integral);
}

}  // namespace

void judge(const NodeContext& context, Candidate& candidate, double gain_times_n, double penalty,
           std::span<const double> branch_weights, double unknown) {
    // Sums of doubles, and of the table's rounded entries, leave a residue where the gain is zero.
    const double residue =
        1e-12 * context.weight * size_of_gains(context) + (context.scorer.entropy() ? 16 / LogTable::scale : 0);
    const TreeConfig& config = context.config;
    if (!(gain_times_n > -std::numeric_limits<double>::infinity())) return;  // a branch, or a node, that may not be
    if (gain_times_n < residue) gain_times_n = 0;
    const double gain = gain_times_n - penalty / context.unit;
    candidate.gain = gain / context.weight;
    candidate.worth = candidate.gain;
    candidate.valid = config.require_positive_gain ? gain > residue : true;
    if (config.criterion == Criterion::gain_ratio) {
        const double info = split_information(context, branch_weights, unknown);
        candidate.worth = info > residue ? gain / info : 0;
    }
}

}  // namespace vaglio::tree
