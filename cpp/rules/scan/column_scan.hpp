#pragma once
// What the scan for one class (scan_target.cpp) and the scan for the whole class distribution (scan_distribution.cpp)
// share: the rows with their classes, the tests a column may be given, how a condition is made and offered, and the
// list of the best conditions so far.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rules/scan/scan.hpp"
#include "rules/scan/significance.hpp"

namespace vaglio {

// The best few, in order; of equal scores that of the lower column comes first, and within a column the one offered
// first. By entropy all pure conditions are equal, and the one that covers more comes before.
class TopConditions {
 public:
    explicit TopConditions(const ScanConfig& config)
        : keep_(config.keep),
          larger_first_(config.measure == Measure::entropy || config.measure == Measure::target_entropy) {}
    bool would_take(double score, double weight, int column) const {
        return kept_.size() < keep_ || precedes(score, weight, column, kept_.back());
    }
    // What a score must exceed to matter; used to skip logarithms.
    double bar() const;
    void offer(ScoredCondition&& candidate);
    void merge(TopConditions&& other);
    std::vector<ScoredCondition> take() { return std::move(kept_); }

 private:
    bool precedes(double score, double weight, int column, const ScoredCondition& kept) const {
        if (score != kept.score) return score > kept.score;
        if (larger_first_ && weight != kept.weight) return weight > kept.weight;
        return column < kept.condition.column;
    }

    std::size_t keep_;
    bool larger_first_;
    std::vector<ScoredCondition> kept_;
};

struct ScanInput {
    const RuleTable& table;
    std::span<const std::uint32_t> rows;
    const ScanConfig& config;
    std::vector<std::uint8_t> positive;  // of each entry of rows: is it of the target class? Empty if counted at once
    PackedCounts counts;                 // of all columns at once; or empty
    double all = 0.0, positives = 0.0;   // weights of the rows
    double log_rate = 0.0;               // log2 of the share of the target among the rows
};

// Whether only the condition of highest gain is asked for: most need not be looked at then.
inline bool asks_best_gain(const ScanConfig& config) {
    return config.measure == Measure::foil_gain && config.keep == 1 && config.min_rows <= 0 && config.meets_row < 0 &&
           config.excludes_row < 0;
}

ScanInput prepare_scan(const RuleTable& table, std::span<const std::uint32_t> rows, const ScanConfig& config);

// Rows in number and in weight, and those of the target among them.
struct Covered {
    std::uint32_t rows = 0, target_rows = 0;
    double all = 0, positive = 0;

    void operator+=(const Covered& other) {
        rows += other.rows;
        target_rows += other.target_rows;
        all += other.all;
        positive += other.positive;
    }
    Covered operator-(const Covered& part) const {
        return {rows - part.rows, target_rows - part.target_rows, all - part.all, positive - part.positive};
    }
    bool only_target() const { return target_rows == rows; }
};

// Rows that count one each.
inline Covered counted(std::uint32_t rows, std::uint32_t target_rows) {
    return {rows, target_rows, static_cast<double>(rows), static_cast<double>(target_rows)};
}

// The rows that share a cell.
struct CellGroup : Covered {
    std::uint32_t cell = 0;
};

// A thread's own space, kept from column to column.
struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<double> sums;
    std::vector<CellGroup> groups;
    std::vector<std::uint64_t> keys, spare;
    std::vector<std::uint32_t> order;
    std::vector<Covered> before;          // each run of a coarse column, and at last all of them
    std::vector<std::uint8_t> promising;  // each run: may it hold the best cut?
};

void scan_target(const ScanInput& input, int column, Scratch& scratch, TopConditions& top);
void scan_distribution(const ScanInput& input, int column, Scratch& scratch, TopConditions& top);

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

// The tests that a column may be given; all but ≠ and sets unless the configuration says more.
std::uint8_t allowed_tests(const ScanConfig& config, std::size_t column);

// One column during a scan.
class ColumnScan {
 protected:
    ColumnScan(const ScanInput& input, int column, TopConditions& top)
        : input_(input),
          config_(input.config),
          column_(input.table.columns[static_cast<std::size_t>(column)]),
          filter_(input.config, column_),
          significance_(input.config),
          top_(top),
          index_(column),
          allowed_(allowed_tests(input.config, static_cast<std::size_t>(column))) {}

    bool allows(Test test) const { return (allowed_ & test_bit(test)) != 0; }
    // A condition must leave some rows out, and enough of them in. Rows are counted for this: sums of weights differ in
    // their last bit by the order of adding, and rules would not always come to an end.
    bool is_test(std::uint32_t rows) const {
        return rows > 0 && rows < input_.rows.size() && static_cast<double>(rows) >= config_.min_rows;
    }

    // make() gives the condition and reached() what it has proved. They are called only for scores that enter the list,
    // which few do.
    template <class Make, class Reached>
    void offer(double score, double all, double positive, Make make, Reached reached) {
        if (!top_.would_take(score, all, index_)) return;
        const Proof proof = significance_.is_asked() ? reached() : Proof::significant;
        if (proof >= config_.proof) top_.offer({make(), score, all, positive, proof == Proof::significant});
    }
    RuleCondition threshold_condition(Test test, std::uint32_t below, std::uint32_t above) const {
        const Cut cut = cut_between(column_, below, above);
        return {index_, test, cut.rank, cut.threshold, {}};
    }
    RuleCondition value_condition(Test test, std::uint32_t value) const { return {index_, test, value, 0.0, {}}; }

    const ScanInput& input_;
    const ScanConfig& config_;
    const RuleColumn& column_;
    const RowFilter filter_;
    const Significance significance_;
    TopConditions& top_;
    const int index_;

 private:
    const std::uint8_t allowed_;
};

}  // namespace vaglio
