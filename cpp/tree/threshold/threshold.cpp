// Which path finds the threshold of a numeric feature. All paths that apply to a node find the same threshold; they
// differ in what they read and in what they can do. threshold_path() asks the predicates from the top down, and
// test_paths.cpp compares every path with the last, which takes any node.
//
// clang-format off
//   path and file     predicate          serves                                    because
//   ----------------  -----------------  ----------------------------------------  ------------------------------------
//   sieve of counts   sieve_applies,     Gini or gain, up to 16 classes, whole     it takes all features of a node at
//   tree/sieve/       sieve_takes        counts, no kept order: most forests, and  once, and never sorts the rows of
//                                        CART and ID3 of few classes               hopeless features
//   sieve of targets  sieves_targets     squared error, whole weights, no kept     features that cannot win are not
//   tree/sieve/                          order: large nodes of regression trees    scanned; the others go by order
//   sieve of weights  weighs_rows,       Gini, real weights, up to four classes,   weights per bin tell which rows are
//   tree/sieve/       weighs_column      complete column: shallow trees, as in     worth sorting
//                                        AdaBoost
//   drawn_counts      draws_counts       whole counts, complete column, random     it reads the least and the greatest
//   by_draw.cpp                          thresholds: extra trees of classes        value, and one count of classes
//   drawn_squares     draws_squares      squared error, complete column, random    the same with sums of targets: extra trees
//   by_draw.cpp                          thresholds, no constraints                of numbers
//   kept_counts       counts_kept_order  whole counts, no value of the node        class counts fit a register, and a
//   by_counts.cpp                        missing, kept order: ID3, C4.5, CART      pass over it needs no division
//   histogram         counts_values      whole counts, no value of the node        class counts per value replace the
//   by_counts.cpp                        missing, few values, no kept order        order
//   sorted_keys       counts_keys        the same with many values                 the rows are sorted as short keys of
//   by_counts.cpp                                                                  rank, class and count
//   values            weighs_values      real weights, entropy, two to four        class weights per value replace the
//   by_values.cpp                        classes, few values, no kept order        order, as below a C4.5 test with
//                                                                                  missing values
//   order             (always)           all that is left: regression, the error   it can do everything, one row at a
//   by_order.cpp                         criterion, monotonic constraints, random  time; entropies of real weights with
//                                        thresholds, missing values, real weights  up to four classes are scored in
//                                                                                  batches (entropy_cut)
// clang-format on
//
// split/find.cpp asks the sieves, for all features of a node together, before it comes here for one. The growers on
// bins know sums per bin instead of rows, and come by by_slots.cpp.
//
// Weights are real as soon as a row of unknown value is shared among branches, and wherever a user gives such weights.
#include "tree/threshold/threshold.hpp"

#include <algorithm>
#include <utility>

#include "tree/partition/order.hpp"
#include "tree/threshold/entropy_cut.hpp"

namespace vaglio::tree {
namespace {

// Whether whole numbers make scores exact.
bool scores_counts(const TreeConfig& config) {
    return config.criterion != Criterion::error && !is_regression(config.criterion) && config.monotonic.empty();
}

// Whether the payload of a row is all that a scan reads of it.
bool payload_scored(const NodeContext& context) {
    return !context.node.store->payload.empty() && scores_counts(context);
}

std::size_t distinct_values(const NodeContext& context, std::uint32_t column) {
    return context.data.values[column].size();
}

// Sums per value pay where they are few, also beside the rows of the node.
bool few_distinct(const NodeContext& context, std::uint32_t column) {
    const std::size_t distinct = distinct_values(context, column);
    return distinct >= 2 && distinct <= few_values && distinct <= 4 * static_cast<std::size_t>(context.node.size);
}

}  // namespace

bool scores_counts(const NodeContext& context) {
    // Whole weights are scanned as if they were counts, where any side with a row in it is large enough.
    const bool any_row_will_do =
        !context.node.store->weighted ||
        (context.minimum.weight <= 0 && context.minimum.rows <= 1 && !context.config.c45_numeric_minimum);
    return context.integral && any_row_will_do && scores_counts(context.config);
}

bool counts_whole(const TreeConfig& config, const RowStore& store) {
    return !config.random_thresholds && !store.payload.empty() && scores_counts(config);
}

bool counts_whole(const NodeContext& context) { return !context.config.random_thresholds && payload_scored(context); }

bool draws_counts(const NodeContext& context, std::uint32_t column) {
    return context.config.random_thresholds && context.data.complete[column] && !context.config.mdl_correction &&
           payload_scored(context);
}

bool draws_squares(const NodeContext& context, std::uint32_t column) {
    return context.config.random_thresholds && context.data.complete[column] && !context.config.mdl_correction &&
           context.config.criterion == Criterion::squared_error && !context.data.outputs && !context.monotonic();
}

bool counts_kept_order(const NodeContext& context, std::uint32_t slot) {
    return slot != no_order && context.node.known[slot] == context.node.size && counts_whole(context);
}

bool counts_values(const NodeContext& context, std::uint32_t column) {
    return few_distinct(context, column) && counts_whole(context);
}

bool counts_keys(const NodeContext& context, std::uint32_t column) {
    return distinct_values(context, column) >= 2 && !few_distinct(context, column) && counts_whole(context);
}

bool weighs_values(const NodeContext& context, std::uint32_t column) {
    const std::size_t classes = context.width();
    // Rows are not counted per value here, weights are.
    return context.scorer.entropy() && classes >= 2 && classes <= most_cut_classes && few_distinct(context, column) &&
           !context.data.outputs && !context.config.random_thresholds && !context.monotonic() &&
           !context.node.store->weighted && !counts_whole(context);
}

ThresholdPath threshold_path(const NodeContext& context, std::uint32_t column, std::uint32_t slot) {
    if (draws_counts(context, column)) return ThresholdPath::drawn_counts;
    if (draws_squares(context, column)) return ThresholdPath::drawn_squares;
    if (slot != no_order) return counts_kept_order(context, slot) ? ThresholdPath::kept_counts : ThresholdPath::order;
    if (counts_values(context, column)) return ThresholdPath::histogram;
    if (counts_keys(context, column)) return ThresholdPath::sorted_keys;
    return weighs_values(context, column) ? ThresholdPath::values : ThresholdPath::order;
}

namespace {

std::span<const std::uint32_t> kept_order(const NodeContext& context, std::uint32_t slot) {
    return {context.node.order(slot), context.node.known[slot]};
}

// By the order that the node keeps, or one that is made for the scan.
Candidate scan_in_order(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch) {
    if (slot == no_order) {
        const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
        return scan_order(context, feature, sort_column(context, column, scratch), scratch);
    }
    const auto kept = kept_order(context, slot);
    if (!context.node.store->labelled) return scan_order(context, feature, kept, scratch);
    scratch.entries.assign(kept.begin(), kept.end());
    for (std::uint32_t& entry : scratch.entries) entry &= ~entry_labels;
    return scan_order(context, feature, scratch.entries, scratch);
}

}  // namespace

std::optional<Candidate> scan_path(ThresholdPath path, const NodeContext& context, std::int32_t feature,
                                   std::uint32_t slot, ScanScratch& scratch) {
    switch (path) {
        case ThresholdPath::drawn_counts:
            return scan_drawn_counts(context, feature, scratch);
        case ThresholdPath::drawn_squares:
            return scan_drawn_squares(context, feature, scratch);
        case ThresholdPath::kept_counts:
            return scan_counts(context, feature, kept_order(context, slot), scratch);
        case ThresholdPath::histogram:
            return scan_histogram(context, feature, scratch);
        case ThresholdPath::sorted_keys:
            return scan_keys(context, feature, scratch);
        case ThresholdPath::values:
            return scan_values(context, feature, scratch);
        case ThresholdPath::order:
            break;
    }
    return scan_in_order(context, feature, slot, scratch);
}

Candidate scan_threshold(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const ThresholdPath path = threshold_path(context, column, slot);
    // A column that the node does not keep in order any more is constant in it.
    const bool drawn = path == ThresholdPath::drawn_counts || path == ThresholdPath::drawn_squares;
    if (!drawn && slot != no_order && context.node.known[slot] == 0) return {};
    if (auto candidate = scan_path(path, context, feature, slot, scratch)) return std::move(*candidate);
    return scan_in_order(context, feature, slot, scratch);
}

Minimum numeric_minimum(const NodeContext& context, double known_weight, double known_rows) {
    Minimum minimum = context.minimum;
    if (!context.config.c45_numeric_minimum) return minimum;
    const bool weighted = context.node.store->weighted;
    const auto classes = static_cast<double>(std::max<std::size_t>(context.data.classes, 1));
    const double least = (1 - 1e-9) * std::min(0.1 * (weighted ? known_rows : known_weight) / classes, 25.0);
    double& bound = weighted ? minimum.rows : minimum.weight;
    bound = std::max(bound, least);
    return minimum;
}

}  // namespace vaglio::tree
