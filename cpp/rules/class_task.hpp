#pragma once
// The rules of one class during RIPPER: what each covers, and what that costs in bits.
#include <vector>

#include "rules/description_length.hpp"
#include "rules/row_bits.hpp"
#include "rules/table.hpp"

namespace vaglio {

using Conditions = std::vector<RuleCondition>;

// A rule and all rows of the class's data that meet it.
struct CoveringRule {
    Conditions conditions;
    RowBits cover;
};

// What one rule takes from the rows that reach it.
struct RuleCounts {
    double covered = 0, positive = 0;
    double negative() const { return covered - positive; }
    bool mostly_wrong() const { return negative() >= 0.5 * covered; }
};

// The task "this class against the rest" on the rows left by earlier classes.
class ClassTask {
 public:
    ClassTask(const RuleTable& table, RowList rows, int label, double expected_fp_share, double possible_conditions,
              bool check_error);

    const RuleTable& table() const { return table_; }
    const RowList& rows() const { return rows_; }
    const RowBits& data() const { return data_; }
    int label() const { return label_; }
    double positives() const { return positives_; }
    bool has_positives(const RowBits& left) const;
    bool is_positive(std::size_t row) const { return table_.classes[row] == label_; }

    CoveringRule cover(Conditions conditions) const;
    // Weight of the rows in a set, and of those of the class among them; `left` loses them.
    RuleCounts take(const RowBits& cover, RowBits& left) const;
    RuleCounts count(const RowBits& cover, const RowBits& left) const;

    // Bits of the errors of a list that takes these counts.
    double bits_of(const RuleCounts& list) const;
    double empty_bits() const { return bits_of({}); }
    double theory_of(const CoveringRule& rule) const;
    // Bits the list with `candidate` in the place of its rule `index` would lose together with it, later needless
    // rules being dropped in either case.
    double relative_bits(const std::vector<CoveringRule>& rules, std::size_t index,
                         const CoveringRule& candidate) const;
    // The list without the rules whose removal shortens the description, looked at from the last to the first.
    std::vector<CoveringRule> reduced(std::vector<CoveringRule> rules) const;

 private:
    bool saves_by_removal(const CoveringRule& rule, const RuleCounts& own, RuleCounts& list, double& saved) const;
    double bits_after_pruning(const std::vector<const CoveringRule*>& rules, std::size_t from) const;
    double weight_of(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, bool positive_only) const;

    const RuleTable& table_;
    RowList rows_;
    RowBits data_, positive_;
    int label_;
    double expected_fp_share_, possible_conditions_;
    bool check_error_;
    double total_ = 0, positives_ = 0;
};

}  // namespace vaglio
