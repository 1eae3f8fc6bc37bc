#pragma once
// The best threshold of a numeric feature on the rows of a node. threshold.cpp says which path serves which node.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tree/split/context.hpp"
#include "tree/threshold/count_scan.hpp"

namespace vaglio::tree {

// The slot of a column whose order is not kept.
constexpr std::uint32_t no_order = UINT32_MAX;

// `slot` is the column's place among the orders that the node keeps, or no_order.
Candidate scan_threshold(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch);

// The ways to find it; threshold.cpp has a table of them. Each has a predicate that says whether the path serves a
// column of a node, as far as can be told before its rows are read. order serves every column.
enum class ThresholdPath : std::uint8_t {
    drawn_counts,
    drawn_squares,
    kept_counts,
    histogram,
    sorted_keys,
    values,
    order
};

bool draws_counts(const NodeContext& context, std::uint32_t column);
bool draws_squares(const NodeContext& context, std::uint32_t column);
bool counts_kept_order(const NodeContext& context, std::uint32_t slot);
bool counts_values(const NodeContext& context, std::uint32_t column);
bool counts_keys(const NodeContext& context, std::uint32_t column);
bool weighs_values(const NodeContext& context, std::uint32_t column);

// The first path whose predicate holds.
ThresholdPath threshold_path(const NodeContext& context, std::uint32_t column, std::uint32_t slot);

// The best threshold by one path. Nothing is returned where a row turns out to miss a value that the path needs.
std::optional<Candidate> scan_path(ThresholdPath path, const NodeContext& context, std::int32_t feature,
                                   std::uint32_t slot, ScanScratch& scratch);

// Whether the node's weights are whole numbers, and its criterion one that whole numbers make exact.
bool scores_counts(const NodeContext& context);

// Whether in addition every row has its class and count in one word, and thresholds are not drawn.
bool counts_whole(const NodeContext& context);
bool counts_whole(const TreeConfig& config, const RowStore& store);

// The threshold that is drawn between two different values.
double draw_between(const NodeContext& context, std::int32_t feature, double low, double high);

// Up to this many distinct values, class counts per value are cheaper than any order. 256 values of a few classes stay
// in the first-level cache.
constexpr std::size_t few_values = 256;

// What either side of a numeric test must have, by the configuration and the rows of known value: their weight and
// count.
Minimum numeric_minimum(const NodeContext& context, double known_weight, double known_rows);

// Rows that may lie on the left of an admissible threshold, where rows are counted.
struct Admissible {
    std::int64_t least, most;

    explicit Admissible(const NodeContext& context);
    bool operator()(std::int64_t left) const { return (left >= least) & (left <= most); }
};

// The candidate of a scan of counts; `lower` and `upper` are the ranks beside the best threshold, `thresholds` how many
// were considered.
Candidate finish_counts(const NodeContext& context, std::int32_t feature, const CountBest& best, std::uint32_t lower,
                        std::uint32_t upper, std::size_t thresholds);

// The paths one by one. `order` has the rows of known value in the order of the column.
Candidate scan_order(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                     ScanScratch& scratch);
Candidate scan_counts(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                      ScanScratch& scratch);
Candidate scan_drawn_counts(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
Candidate scan_drawn_squares(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
// Nothing where a row misses its value; by values only where the rest of the rows would not be left out.
std::optional<Candidate> scan_histogram(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
std::optional<Candidate> scan_keys(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
std::optional<Candidate> scan_values(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);

}  // namespace vaglio::tree
