// The best threshold of a numeric feature of few values where the weights are real, as below a test whose unknown rows
// were spread: class weights per value take the place of an order.
#include <algorithm>

#include "tree/threshold/entropy_cut.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
std::optional<Candidate> scan_values(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::size_t distinct = context.data.values[column].size(), width = context.width();
    const GrowNode& node = context.node;
    const std::uint32_t* ranks = context.data.rank_column(column);
    const double* weights = node.weights();
    auto& sums = scratch.category_sums;
    sums.assign((distinct + 1) * width, 0.0);
    bool any_unknown = false;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[node.rows()[i]];
        any_unknown |= rank == missing_rank;
        const std::size_t slot = std::min<std::size_t>(rank, distinct);
        sums[slot * width + node.labels()[i]] += weights ? weights[i] : 1.0;
    }
    if (any_unknown && context.config.missing != MissingPolicy::fractional) return std::nullopt;
    auto& known = scratch.missing;
    known.assign(context.sums.begin(), context.sums.end());
    double known_weight = context.weight;
    if (any_unknown) {
        known.assign(width, 0.0);
        for (std::size_t cell = 0; cell < distinct * width; ++cell) known[cell % width] += sums[cell];
        known_weight = 0;
        for (const double w : known) known_weight += w;
    }
    const double unknown = any_unknown ? std::max(0.0, context.weight - known_weight) : 0;
    std::size_t thresholds = 0;
    const EntropyCut best =
        best_entropy_cut(std::span(sums).first(distinct * width), {known.data(), known_weight}, width,
                         numeric_minimum(context, known_weight, known_weight).weight, thresholds);
    Candidate candidate;
    candidate.feature = feature;
    if (!best.found) return candidate;
    candidate.upper = best.position;
    double left = 0;
    for (std::uint32_t value = 0; value < best.position; ++value) {
        double w = 0;
        for (std::size_t c = 0; c < width; ++c) w += sums[value * width + c];
        if (w > 0) candidate.lower = value;
        left += w;
    }
    const double penalty = context.config.mdl_correction ? portable_log2(static_cast<double>(thresholds)) : 0;
    const double sides[] = {left, known_weight - left};
    judge(context, candidate, best.score - context.scorer.purity({known, known_weight}, context.integral), penalty,
          sides, unknown);
    return candidate;
}

}  // namespace vaglio::tree
