// The best threshold of a numeric feature of which only the sums per bin are known. Whole counts are scanned as such;
// for all else a few rows stand for each bin, and the scan over rows does the rest.
#include "tree/threshold/by_slots.hpp"

#include <algorithm>
#include <cmath>

#include "tree/threshold/count_scan.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

bool counted(const NodeContext& context, const Slots& slots) {
    return !slots.any_unknown && !context.config.random_thresholds && scores_counts(context);
}

Candidate scan_whole(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch) {
    const std::size_t width = context.width();
    const Admissible admissible(context);
    std::size_t thresholds = 0;
    scratch.counts.resize(2 * width);
    const CountScore by = context.scorer.entropy() ? CountScore::entropy : CountScore::gini;
    const CountBest best = with_count_scan(by, context.sums, context.weight, context.scorer.table(),
                                           scratch.counts.data(), [&](auto& scan) {
                                               for (std::uint32_t s = 0; s < slots.known; ++s) {
                                                   if (s > 0) {
                                                       const bool allowed = admissible(scan.left_n());
                                                       thresholds += allowed;
                                                       scan.consider(s, allowed);
                                                   }
                                                   const double* sums = &scratch.category_sums[s * width];
                                                   for (std::uint32_t c = 0; c < width; ++c)
                                                       if (sums[c] > 0)
                                                           scan.move(c, static_cast<std::int64_t>(sums[c]));
                                               }
                                           });
    const std::uint32_t upper = best.found ? best.position : 1;
    return finish_counts(context, feature, best, scratch.seen[upper - 1], scratch.seen[upper], thresholds);
}

// Rows that stand for a slot: one per class, or two numbers that have its mean and its variance.
void stand_for(const NodeContext& context, std::size_t slot, std::uint32_t code, const ScanScratch& scratch,
               SlotRows& rows) {
    const std::size_t width = context.width();
    const double* sums = &scratch.category_sums[slot * width];
    RowStore& store = *rows.store;
    const auto add = [&](double weight) {
        rows.ranks.push_back(code);
        store.rows.push_back(static_cast<std::uint32_t>(store.rows.size()));
        store.weights.push_back(weight);
        if (store.weighted) store.counts.push_back(0);
    };
    const std::size_t first = store.rows.size();
    if (context.regression()) {
        const double weight = scratch.category_weight[slot], mean = sums[0] / weight;
        const double deviation = std::sqrt(std::max(0.0, sums[1] / weight - mean * mean));
        for (const double target : {mean - deviation, mean + deviation}) {
            add(weight / 2);
            store.targets.push_back(target);
        }
    } else {
        for (std::size_t c = 0; c < width; ++c) {
            if (sums[c] <= 0) continue;
            add(sums[c]);
            store.labels.push_back(static_cast<Label>(c));
        }
    }
    if (store.weighted) store.counts[first] = scratch.category_rows[slot];
}

Candidate scan_rows(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch,
                    SlotRows& rows) {
    RowStore& store = *rows.store;
    rows.clear();
    store.integral = context.node.store->integral;
    store.weighted = context.node.store->weighted;
    for (std::size_t s = 0; s < slots.known; ++s) {
        const std::size_t first = store.rows.size();
        stand_for(context, s, scratch.seen[s], scratch, rows);
        for (std::size_t i = first; i < store.rows.size(); ++i)
            rows.order.push_back(static_cast<std::uint32_t>(i) | (i == first ? new_value : 0));
    }
    if (slots.any_unknown) stand_for(context, slots.known, missing_rank, scratch, rows);
    GrowNode node = context.node;
    node.store = rows.store;
    node.start = 0;
    node.size = static_cast<std::uint32_t>(store.rows.size());
    rows.data.ranks = rows.ranks.data();
    const NodeContext own{rows.data,       context.config, context.scorer,   node,   context.sums, context.weight,
                          context.minimum, context.unit,   context.integral, nullptr};
    Candidate candidate = scan_order(own, feature, rows.order, scratch);
    read_ranks(own, candidate);
    candidate.drawn = false;  // a threshold inside a bin would part rows that the scan kept together
    return candidate;
}

}  // namespace

void SlotRows::clear() {
    store->rows.clear();
    store->labels.clear();
    store->targets.clear();
    store->weights.clear();
    store->counts.clear();
    ranks.clear();
    order.clear();
}

Candidate scan_slots(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch,
                     SlotRows& rows) {
    Candidate none;
    none.feature = feature;
    if (slots.known + (slots.any_unknown ? 1 : 0) < 2 || slots.known == 0) return none;
    if (counted(context, slots)) return scan_whole(context, feature, slots, scratch);
    return scan_rows(context, feature, slots, scratch, rows);
}

}  // namespace vaglio::tree
