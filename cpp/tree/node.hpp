#pragma once
// The rows of growing nodes. A store holds rows, labels, weights and, per numeric column, the rows in the order of
// their values; a node is a range of a store. A split reorders the range so that each child is a range again,
// and allocates nothing; only when rows go into several branches do the children get stores of their own.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/large_memory.hpp"
#include "tree/table/data.hpp"

namespace vaglio::tree {

// An entry of a sorted order: a row's position within its node, and in the top bit whether its value differs
// from the one of the entry before. So a scan needs no values at all.
constexpr std::uint32_t new_value = 0x80000000u;
constexpr std::uint32_t position_mask = 0x7FFFFFFFu;

// Where rows count one and classes are few, an entry of a kept order has the row's class between the two: then a scan
// reads nothing but the order.
constexpr int entry_label_shift = 28;
constexpr std::uint32_t entry_labels = 0x70000000u;
constexpr std::size_t most_entry_labels = 8;

using Label = std::uint16_t;

// A word has room for the weight of rows in so many bits, and for their number in those above.
constexpr int exact_weight_bits = 40;

struct RowStore {
    std::size_t capacity = 0;
    std::vector<std::uint32_t> rows;  // ascending within a node
    std::vector<Label> labels;        // classification
    std::vector<double> targets;      // regression, less a number near their mean
    std::vector<double> weights;      // empty: all one
    bool integral = true;             // weights are whole numbers
    // Whether weights are more than counts of rows. Then `counts` has how often a row was drawn times its share in this
    // branch; empty: all one.
    bool weighted = false;
    std::vector<double> counts;
    // Rows that count one, whose weights add up without rounding, in any order: how many of their common unit a weight
    // of one has, a power of two, where the sum of all has no more than exact_weight_bits. Else 0.
    double exact_units = 0;
    // Classification with small whole weights: label and weight in one word, the weight in the low count_bits (none
    // when all are one).
    std::vector<std::uint32_t> payload;
    int payload_bits = 0, count_bits = 0;
    bool packed = false;  // the payload is all there is: no labels, weights or orders are kept
    // One column of `capacity` entries per numeric column that is kept in order; empty when orders are made on demand.
    LargeArray<std::uint32_t> orders;
    bool labelled = false;  // the entries of `orders` have classes in them
};

// What a leaf of some rows predicts, and Σ w·loss of it (tree/loss/fit.hpp).
struct Fit {
    double value = 0, loss = 0;
};

// Weights below a median are half of all but for the rounding of their sums.
constexpr double half_slack = 1e-12;

struct GrowNode {
    std::shared_ptr<RowStore> store;
    std::size_t start = 0;
    std::uint32_t size = 0;
    std::int32_t id = 0;  // in the tree
    std::uint32_t depth = 0;
    std::uint64_t key = 0;     // of the node's random numbers, by its path from the root
    double weight = 0;         // of the rows
    double count = 0;          // of the rows: what row minimums are about
    std::vector<double> sums;  // class weights, or {Σ w·y, Σ w·y²}
    Fit fit;                   // regression by the absolute error or Poisson's deviance
    std::vector<double> fits;  // of several outputs the values; their mean loss is in `fit`
    // When orders are kept: the length of each numeric column's order, 0 for a column that is constant here (its
    // order is no longer maintained).
    std::vector<std::uint32_t> known;
    std::vector<bool> used;                // nominal features that may not be tested again
    double lower = -1e308, upper = 1e308;  // bounds from monotonic constraints above

    const std::uint32_t* rows() const { return store->rows.data() + start; }
    const Label* labels() const { return store->labels.data() + start; }
    const double* targets() const { return store->targets.data() + start; }
    const double* weights() const { return store->weights.empty() ? nullptr : store->weights.data() + start; }
    // Whether rows have weights, of their own or in the payload.
    bool weighs() const { return !store->weights.empty() || store->count_bits > 0; }
    // How much of a row an entry is; null: each is one.
    const double* counts() const {
        if (!store->weighted) return weights();
        return store->counts.empty() ? nullptr : store->counts.data() + start;
    }
    const std::uint32_t* payload() const { return store->payload.data() + start; }
    // What of a kept order's entries is the class, and what the position.
    std::uint32_t entry_label_mask() const { return store->labelled ? entry_labels : 0; }
    std::uint32_t entry_position_mask() const { return position_mask & ~entry_label_mask(); }
    std::uint32_t* order(std::uint32_t column) const { return store->orders.get() + column * store->capacity + start; }
};

}  // namespace vaglio::tree
