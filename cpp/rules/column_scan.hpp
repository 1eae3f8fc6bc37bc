#pragma once
// What the two scans share: the rows with their classes, and the list of the best conditions so far.
#include <cstdint>
#include <span>
#include <vector>

#include "rules/scan.hpp"

namespace vaglio {

// The best few, in order; of equal scores the one offered first stays first.
class TopConditions {
 public:
    explicit TopConditions(std::size_t keep) : keep_(keep) {}
    bool would_take(double score) const { return kept_.size() < keep_ || score > kept_.back().score; }
    // What a score must exceed to matter; used to skip logarithms.
    double bar() const;
    void offer(ScoredCondition&& candidate);
    void merge(TopConditions&& other);
    std::vector<ScoredCondition> take() { return std::move(kept_); }

 private:
    std::size_t keep_;
    std::vector<ScoredCondition> kept_;
};

struct ScanInput {
    const RuleTable& table;
    std::span<const std::uint32_t> rows;
    const ScanConfig& config;
    std::vector<std::uint8_t> positive;  // of each entry of rows: is it of the target class?
    std::vector<std::uint8_t> mark;  // of each row of the table: 1 covered, 3 covered and of the target; may be empty
    double all = 0.0, positives = 0.0;  // weights of the rows
    double log_rate = 0.0;              // log2 of the share of the target among the rows
};

ScanInput prepare_scan(const RuleTable& table, std::span<const std::uint32_t> rows, const ScanConfig& config);

// The weights of the rows that share a cell.
struct CellGroup {
    std::uint32_t cell;
    double all, positive;
};

// A thread's own space, kept from column to column.
struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<double> sums;
    std::vector<CellGroup> groups;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> order;
};

void scan_two_classes(const ScanInput& input, int column, Scratch& scratch, TopConditions& top);
void scan_all_classes(const ScanInput& input, int column, Scratch& scratch, TopConditions& top);

// Halfway between two neighbouring values, and the last rank that lies below it.
struct Cut {
    double threshold;
    std::uint32_t rank;
};
Cut cut_between(const RuleColumn& column, std::uint32_t below, std::uint32_t above);

// Entries of input.rows whose cell is known, ascending by cell (ties: in the order of the rows).
void sort_by_cell(const ScanInput& input, const RuleColumn& column, Scratch& scratch);

// Whether the rows a condition must meet and must leave out agree with what it does to their cells.
class RowFilter {
 public:
    RowFilter(const ScanConfig& config, const RuleColumn& column);
    bool possible() const { return possible_; }
    template <class Accepts>
    bool agrees(Accepts accepts) const {
        return (!has_meet_ || accepts(meet_)) && (!has_exclude_ || !accepts(exclude_));
    }

 private:
    bool has_meet_ = false, has_exclude_ = false, possible_ = true;
    std::uint32_t meet_ = 0, exclude_ = 0;
};

}  // namespace vaglio
