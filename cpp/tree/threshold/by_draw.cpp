// A threshold drawn between the least and the greatest value of a numeric feature: one pass over the rows finds these
// values, another what lies below the threshold. No row is sorted, and where the values lie in the table row by row,
// all features of a row are on a cache line or two; ranks are read of the feature that wins alone.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

// A threshold drawn between the values of the rows, which are in the scratch, in the order of the rows.
struct Drawn {
    std::span<const double> values;
    double threshold;
};

// Nothing where all values are equal.
std::optional<Drawn> draw(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::uint32_t *rows = context.node.rows(), size = context.node.size;
    const RankedValues& values = context.data.values[column];
    const RankColumn ranks = context.data.ranks_for(column, size);
    if (scratch.values.size() < size) scratch.values.resize(size);
    double* own = scratch.values.data();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t row = rows[i];
        const double value = own[i] = values.of_row(row, [&] { return ranks[row]; });
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (!(low < high)) return std::nullopt;
    return Drawn{{own, size}, draw_between(context, feature, low, high)};
}

// Of the rows below a threshold.
struct LeftSums {
    double sum = 0, weight = 0, rows = 0;
};

// No branch depends on the side of a row: a product chooses, which compilers do not turn into one.
LeftSums add_left(const GrowNode& node, const Drawn& drawn) {
    const double *targets = node.targets(), *weights = node.weights(), *counts = node.counts();
    LeftSums left;
    if (!weights) {
        std::uint32_t rows = 0;
        for (std::uint32_t i = 0; i < node.size; ++i) {
            const bool below = drawn.values[i] <= drawn.threshold;
            left.sum += static_cast<double>(below) * targets[i];
            rows += below;
        }
        left.weight = left.rows = rows;
        return left;
    }
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const double weight = static_cast<double>(drawn.values[i] <= drawn.threshold) * weights[i];
        left.sum += weight * targets[i];
        left.weight += weight;
        left.rows += weight > 0 ? (counts ? counts[i] : 1.0) : 0.0;
    }
    return left;
}

Candidate nothing_of(std::int32_t feature) {
    Candidate candidate;
    candidate.feature = feature;
    return candidate;
}

Candidate drawn_at(double threshold, Candidate candidate) {
    candidate.drawn = candidate.by_threshold = true;
    candidate.threshold = threshold;
    return candidate;
}

}  // namespace

double draw_between(const NodeContext& context, std::int32_t feature, double low, double high) {
    Random random(key_of(context.node.key, ~static_cast<std::uint64_t>(feature)));
    const double threshold = low + random.uniform() * (high - low);
    return threshold >= low && threshold < high ? threshold : low;
}

Candidate scan_drawn_counts(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::optional<Drawn> drawn = draw(context, feature, scratch);
    if (!drawn) return nothing_of(feature);
    const GrowNode& node = context.node;
    const std::uint32_t* payload = node.payload();
    const int count_bits = node.store->count_bits;
    const std::uint32_t count_mask = (1u << count_bits) - 1, unit = count_bits == 0;
    auto& left = scratch.histogram;
    left.assign(context.width(), 0u);
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t word = payload[i];
        left[word >> count_bits] += drawn->values[i] <= drawn->threshold ? (word & count_mask) | unit : 0;
    }
    scratch.counts.resize(2 * context.width());
    const CountScore by = context.scorer.entropy() ? CountScore::entropy : CountScore::gini;
    const CountBest best = with_count_scan(by, context.sums, context.weight, context.scorer.table(),
                                           scratch.counts.data(), [&](auto& scan) {
                                               for (std::uint32_t c = 0; c < left.size(); ++c)
                                                   if (left[c] > 0) scan.move(c, left[c]);
                                               scan.consider(0, Admissible(context)(scan.left_n()));
                                           });
    return drawn_at(drawn->threshold, finish_counts(context, feature, best, 0, 0, 0));
}

Candidate scan_drawn_squares(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::optional<Drawn> drawn = draw(context, feature, scratch);
    if (!drawn) return nothing_of(feature);
    const GrowNode& node = context.node;
    const LeftSums left = add_left(node, *drawn);
    const LeftSums right{context.sums[0] - left.sum, context.weight - left.weight, node.count - left.rows};
    const Minimum minimum = numeric_minimum(context, context.weight, node.count);
    if (!minimum.met(left.weight, left.rows) || !minimum.met(right.weight, right.rows)) return nothing_of(feature);
    Candidate candidate = drawn_at(drawn->threshold, nothing_of(feature));
    const double score = left.sum * left.sum / left.weight + right.sum * right.sum / right.weight;
    const double purity = context.scorer.purity({context.sums, context.weight}, context.integral);
    judge(context, candidate, score - purity, 0, {}, 0);
    return candidate;
}

}  // namespace vaglio::tree
