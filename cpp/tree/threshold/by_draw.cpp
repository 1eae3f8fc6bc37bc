// A threshold drawn between the least and the greatest value of a numeric feature, where the weights are whole numbers:
// two passes over the rows find these values and the class counts below the threshold, and no row is sorted.
#include <algorithm>
#include <cmath>

#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

struct RankRange {
    std::uint32_t least = missing_rank, greatest = 0;
};

// The ranks of the rows in their order, and their range.
RankRange gather_ranks(const NodeContext& context, std::uint32_t column, std::vector<std::uint32_t>& ranks) {
    const RankColumn from = context.data.ranks_for(column, context.node.size);
    const std::uint32_t* rows = context.node.rows();
    RankRange range;
    ranks.resize(context.node.size);
    for (std::uint32_t i = 0; i < context.node.size; ++i) {
        const std::uint32_t rank = ranks[i] = from[rows[i]];
        range.least = std::min(range.least, rank);
        range.greatest = std::max(range.greatest, rank);
    }
    return range;
}

// The last rank at or below the threshold, which the least is.
std::uint32_t last_below(const RankedValues& values, RankRange range, double threshold) {
    while (range.least < range.greatest) {
        const std::uint32_t middle = range.least + (range.greatest - range.least + 1) / 2;
        if (values[middle] <= threshold) {
            range.least = middle;
        } else {
            range.greatest = middle - 1;
        }
    }
    return range.least;
}

}  // namespace

double draw_between(const NodeContext& context, std::int32_t feature, double low, double high) {
    Random random(key_of(context.node.key, ~static_cast<std::uint64_t>(feature)));
    const double threshold = low + random.uniform() * (high - low);
    return threshold >= low && threshold < high ? threshold : low;
}

Candidate scan_drawn_counts(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const RankedValues& values = context.data.values[column];
    Candidate candidate;
    candidate.feature = feature;
    const RankRange range = gather_ranks(context, column, scratch.short_keys);
    if (range.least >= range.greatest) return candidate;
    const double threshold = draw_between(context, feature, values[range.least], values[range.greatest]);
    const std::uint32_t last = last_below(values, range, threshold);
    const GrowNode& node = context.node;
    const int count_bits = node.store->count_bits;
    const std::uint32_t count_mask = (1u << count_bits) - 1, unit = count_bits == 0;
    auto& left = scratch.histogram;
    left.assign(context.width(), 0u);
    std::uint32_t lower = range.least, upper = range.greatest;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = scratch.short_keys[i], word = node.payload()[i];
        const bool below = rank <= last;
        left[word >> count_bits] += below ? (word & count_mask) | unit : 0;
        lower = std::max(lower, below ? rank : 0);
        upper = std::min(upper, below ? missing_rank : rank);
    }
    scratch.counts.resize(2 * context.width());
    const CountScore by = context.scorer.entropy() ? CountScore::entropy : CountScore::gini;
    const CountBest best = with_count_scan(by, context.sums, context.weight, context.scorer.table(),
                                           scratch.counts.data(), [&](auto& scan) {
                                               for (std::uint32_t c = 0; c < left.size(); ++c)
                                                   if (left[c] > 0) scan.move(c, left[c]);
                                               scan.consider(0, Admissible(context)(scan.left_n()));
                                           });
    candidate = finish_counts(context, feature, best, lower, upper, 0);
    candidate.drawn = true;
    candidate.threshold = threshold;
    return candidate;
}

}  // namespace vaglio::tree
