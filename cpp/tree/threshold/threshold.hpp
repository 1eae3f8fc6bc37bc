#pragma once
// The best threshold of a numeric feature on the rows of a node. threshold.cpp says which path serves which node.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tree/split/context.hpp"
#include "tree/threshold/count_scan.hpp"

namespace vaglio {

// The slot of a column whose order is not kept.
constexpr std::uint32_t no_order = UINT32_MAX;

// `slot` is the column's place among the orders that the node keeps, or no_order.
Candidate scan_threshold(const NodeContext& context, std::int32_t feature, std::uint32_t slot, ScanScratch& scratch);

// Whether rows are counted in whole numbers, and by a criterion that whole numbers make exact.
bool counts_whole(const NodeContext& context);
bool counts_whole(const TreeConfig& config, const RowStore& store);

// Whether a threshold of this column is drawn and scored by whole counts: no order of it is of any use.
bool draws_counts(const NodeContext& context, std::uint32_t column);

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

// The paths. `order` has the rows of known value in the order of the column.
Candidate scan_order(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                     ScanScratch& scratch);
Candidate scan_counts(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                      ScanScratch& scratch);
// Without an order. Nothing is returned where the path does not apply.
std::optional<Candidate> scan_counts(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
Candidate scan_drawn_counts(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
std::optional<Candidate> scan_values(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);

}  // namespace vaglio
