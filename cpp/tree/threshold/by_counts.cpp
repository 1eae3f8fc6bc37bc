// The best threshold of a numeric feature where the weights are whole numbers and every value is known: over the
// column's kept order, over keys sorted on demand, or over a histogram of its few values.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/radix_sort.hpp"
#include "tree/threshold/count_scan.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

template <class Use>
CountBest run(const NodeContext& context, ScanScratch& scratch, Use use) {
    scratch.counts.resize(2 * context.width());
    const CountScore by = context.scorer.entropy() ? CountScore::entropy : CountScore::gini;
    return with_count_scan(by, context.sums, context.weight, context.scorer.table(), scratch.counts.data(), use);
}

// Rank and payload of every row as one key; false when a value is missing.
template <class Key>
bool gather_keys(const NodeContext& context, const std::uint32_t* ranks, std::vector<Key>& keys) {
    const GrowNode& node = context.node;
    const std::uint32_t* rows = node.rows();
    const std::uint32_t* payload = node.payload();
    const int bits = node.store->payload_bits;
    keys.resize(node.size);
    bool missing = false;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[rows[i]];
        missing |= rank == missing_rank;
        keys[i] = static_cast<Key>(static_cast<Key>(rank) << bits | payload[i]);
    }
    return !missing;
}

// Walks n rows in order: payload(i) is label and count of the i-th, changes(i) whether the next has another value.
template <class Payload, class Changes>
CountBest walk(const NodeContext& context, std::size_t n, std::size_t& thresholds, ScanScratch& scratch,
               Payload payload, Changes changes) {
    const int count_bits = context.node.store->count_bits;
    const std::uint32_t count_mask = (1u << count_bits) - 1;
    const Admissible admissible(context);
    std::size_t considered = 0;
    const auto step = [&](auto& scan, std::size_t i, std::uint32_t label, std::int64_t count) {
        scan.move(label, count);
        const bool allowed = changes(i) & admissible(scan.left_n());
        considered += allowed;
        scan.consider(static_cast<std::uint32_t>(i), allowed);
    };
    const CountBest best = run(context, scratch, [&](auto& scan) {
        if (count_bits == 0) {
            for (std::size_t i = 0; i + 1 < n; ++i) step(scan, i, payload(i), 1);
        } else {
            for (std::size_t i = 0; i + 1 < n; ++i) {
                const std::uint32_t word = payload(i);
                step(scan, i, word >> count_bits, word & count_mask);
            }
        }
    });
    thresholds = considered;
    return best;
}

template <class Key>
Candidate walk_keys(const NodeContext& context, std::int32_t feature, const std::vector<Key>& sorted,
                    ScanScratch& scratch) {
    const int low = context.node.store->payload_bits;
    const Key mask = (Key{1} << low) - 1;
    const Key* keys = sorted.data();
    std::size_t thresholds = 0;
    const CountBest best = walk(
        context, sorted.size(), thresholds, scratch,
        [=](std::size_t i) { return static_cast<std::uint32_t>(keys[i] & mask); },
        [=](std::size_t i) { return ((keys[i] ^ keys[i + 1]) >> low) != 0; });
    if (!best.found) return finish_counts(context, feature, best, 0, 0, 0);
    return finish_counts(context, feature, best, static_cast<std::uint32_t>(keys[best.position] >> low),
                         static_cast<std::uint32_t>(keys[best.position + 1] >> low), thresholds);
}

template <class Key>
std::optional<Candidate> scan_sorted(const NodeContext& context, std::int32_t feature, const std::uint32_t* ranks,
                                     int rank_bits, std::vector<Key>& keys, std::vector<Key>& spare,
                                     ScanScratch& scratch) {
    if (!gather_keys(context, ranks, keys)) return std::nullopt;
    sort_keys(keys, spare, context.node.store->payload_bits, rank_bits);
    return walk_keys(context, feature, keys, scratch);
}

}  // namespace

Candidate finish_counts(const NodeContext& context, std::int32_t feature, const CountBest& best, std::uint32_t lower,
                        std::uint32_t upper, std::size_t thresholds) {
    Candidate candidate;
    candidate.feature = feature;
    if (!best.found) return candidate;
    candidate.lower = lower;
    candidate.upper = upper;
    const double sides[] = {static_cast<double>(best.left), context.weight - static_cast<double>(best.left)};
    const double penalty = context.config.mdl_correction ? portable_log2(static_cast<double>(thresholds)) : 0;
    judge(context, candidate, best.score - context.scorer.purity({context.sums, context.weight}, context.integral),
          penalty, sides, 0);
    return candidate;
}

Admissible::Admissible(const NodeContext& context)
    : least(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(
                                          numeric_minimum(context, context.weight, context.node.count).weight)))),
      most(static_cast<std::int64_t>(context.weight) - least) {}

// Class counts per value, then one step per value.
std::optional<Candidate> scan_histogram(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::uint32_t* ranks = context.data.rank_column(column);
    const std::size_t distinct = context.data.values[column].size();
    const GrowNode& node = context.node;
    const std::uint32_t* rows = node.rows();
    const std::uint32_t* payload = node.payload();
    const int count_bits = node.store->count_bits;
    const std::uint32_t count_mask = (1u << count_bits) - 1;
    const std::size_t width = context.width();
    auto& histogram = scratch.histogram;
    histogram.assign(distinct * width, 0u);
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[rows[i]];
        if (rank == missing_rank) return std::nullopt;
        histogram[rank * width + (payload[i] >> count_bits)] += count_bits == 0 ? 1 : payload[i] & count_mask;
    }
    const Admissible admissible(context);
    std::size_t thresholds = 0;
    std::uint32_t last = UINT32_MAX, upper = 0, lower = 0;
    const CountBest best = run(context, scratch, [&](auto& scan) {
        std::uint32_t before = 0;
        for (std::uint32_t rank = 0; rank < distinct; ++rank) {
            const std::uint32_t* counts = &histogram[rank * width];
            std::uint32_t present = 0;
            for (std::size_t c = 0; c < width; ++c) present |= counts[c];
            if (present == 0) continue;
            if (last != UINT32_MAX) {
                const bool allowed = admissible(scan.left_n());
                thresholds += allowed;
                scan.consider(rank, allowed);
                if (scan.best().found && scan.best().position == rank) before = last;
            }
            for (std::uint32_t c = 0; c < width; ++c)
                if (counts[c]) scan.move(c, counts[c]);
            last = rank;
        }
        lower = before;
        upper = scan.best().position;
    });
    return finish_counts(context, feature, best, lower, upper, thresholds);
}

std::optional<Candidate> scan_keys(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::uint32_t* ranks = context.data.rank_column(column);
    const int rank_bits = std::bit_width(context.data.values[column].size() - 1);
    if (rank_bits + context.node.store->payload_bits <= 32)
        return scan_sorted(context, feature, ranks, rank_bits, scratch.short_keys, scratch.short_spare, scratch);
    return scan_sorted(context, feature, ranks, rank_bits, scratch.keys, scratch.spare_keys, scratch);
}

Candidate scan_counts(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                      ScanScratch& scratch) {
    const std::uint32_t* payload = context.node.payload();
    const std::uint32_t* entries = order.data();
    const std::uint32_t positions = context.node.entry_position_mask();
    const auto changes = [=](std::size_t i) { return (entries[i + 1] & new_value) != 0; };
    std::size_t thresholds = 0;
    const CountBest best =
        context.node.store->labelled
            ? walk(
                  context, order.size(), thresholds, scratch,
                  [=](std::size_t i) { return (entries[i] & entry_labels) >> entry_label_shift; }, changes)
            : walk(
                  context, order.size(), thresholds, scratch,
                  [=](std::size_t i) { return payload[entries[i] & positions]; }, changes);
    if (!best.found) return finish_counts(context, feature, best, 0, 0, 0);
    Candidate candidate = finish_counts(context, feature, best, order[best.position] & positions,
                                        order[best.position + 1] & positions, thresholds);
    candidate.by_position = true;
    return candidate;
}

}  // namespace vaglio::tree
