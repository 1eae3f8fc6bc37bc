// Which path finds the threshold of a numeric feature. All paths that apply to a node find the same threshold; they
// differ in what they read and in what they can do.
//
//   path              serves                                                 because
//   sieve             Gini or gain, up to 16 classes, whole counts, no kept  it takes all features of a node at once
//   and (tree/sieve)      order: most forests, and CART and ID3 of few classes   never sorts the rows of hopeless
//   features;
//                                                                            split/find.cpp asks it before this file
//   counts, by order  whole counts, complete column, kept order: ID3, C4.5,  class counts fit a register, and a pass
//   over (by_counts.cpp)   CART without missing values                            the order needs no division per row
//   counts, no order  whole counts, complete column, no kept order           few values need a histogram only; else the
//   (by_counts.cpp)                                                          rows are sorted as short keys
//   drawn counts      whole counts, complete column, random thresholds:      the least and the greatest value and one
//   (by_draw.cpp)     extra trees of classes                                 count of classes are all that is needed
//   values            real weights, entropy, two to four classes, few        class weights per value replace the order,
//   (by_values.cpp)   values, no kept order                                  as below a C4.5 test with missing values
//   order             all that is left: regression, the error criterion,     it can do everything, one row at a time;
//   (by_order.cpp)    monotonic constraints, random thresholds, missing      entropies of real weights with up to four
//                     values, real weights                                   classes are scored in batches
//                     (entropy_cut)
//
// By squared error and with whole weights, split/find.cpp asks the sieve of targets (tree/sieve/target_sieve.hpp) which
// features of a large node are worth the path by order.
//
// Weights are real as soon as a row of unknown value is shared among branches, and wherever a user gives such weights.
// For Gini, up to four classes and complete columns of shallow trees, as in AdaBoost, split/find.cpp then asks the
// sieve of weighed rows (tree/weights) before this file.
#include "tree/threshold/threshold.hpp"

#include <algorithm>

#include "tree/partition/order.hpp"

namespace vaglio {
namespace {

// A column that the node keeps in order.
Candidate scan_kept(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch) {
    const GrowNode& node = context.node;
    if (node.known[slot] == 0) return {};
    const std::span<const std::uint32_t> order(node.order(slot), node.known[slot]);
    if (counts_whole(context) && order.size() == node.size) return scan_counts(context, feature, order, scratch);
    if (!node.store->labelled) return scan_order(context, feature, order, scratch);
    scratch.entries.assign(order.begin(), order.end());
    for (std::uint32_t& entry : scratch.entries) entry &= ~entry_labels;
    return scan_order(context, feature, scratch.entries, scratch);
}

}  // namespace

Candidate scan_threshold(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    if (draws_counts(context, column)) return scan_drawn_counts(context, feature, scratch);
    if (slot != no_order) return scan_kept(context, feature, slot, scratch);
    const auto candidate =
        counts_whole(context) ? scan_counts(context, feature, scratch) : scan_values(context, feature, scratch);
    if (candidate) return *candidate;
    return scan_order(context, feature, sort_column(context, column, scratch), scratch);
}

namespace {

// Whether whole numbers make scores exact.
bool scores_counts(const TreeConfig& config, const RowStore& store) {
    const bool scored = config.criterion != Criterion::error && !is_regression(config.criterion);
    return scored && config.monotonic.empty() && !store.payload.empty();
}

bool scores_counts(const NodeContext& context) {
    // Whole weights are scanned as if they were counts, where any side with a row in it is large enough.
    const bool any_row_will_do =
        !context.node.store->weighted ||
        (context.minimum.weight <= 0 && context.minimum.rows <= 1 && !context.config.c45_numeric_minimum);
    return context.integral && any_row_will_do && scores_counts(context.config, *context.node.store);
}

}  // namespace

bool counts_whole(const TreeConfig& config, const RowStore& store) {
    return !config.random_thresholds && scores_counts(config, store);
}

bool counts_whole(const NodeContext& context) { return !context.config.random_thresholds && scores_counts(context); }

bool draws_counts(const NodeContext& context, std::uint32_t column) {
    return context.config.random_thresholds && context.data.complete[column] && !context.config.mdl_correction &&
           scores_counts(context);
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

}  // namespace vaglio
