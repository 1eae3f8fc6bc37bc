// Sets of rows are bit sets here, because pruning and description length ask again and again how many rows rules have
// in common.
#include "rules/class_task.hpp"

#include <algorithm>
#include <bit>

#include "rules/count_common.hpp"

namespace vaglio {

namespace {

const auto count_common = VAGLIO_LEVELS(count_common).best();

}  // namespace

ClassTask::ClassTask(const RuleTable& table, RowList rows, int label, double expected_fp_share,
                     double possible_conditions, bool check_error)
    : table_(table),
      rows_(std::move(rows)),
      data_(table.n_rows, rows_),
      label_(label),
      expected_fp_share_(expected_fp_share),
      possible_conditions_(possible_conditions),
      check_error_(check_error) {
    RowList positive;
    for (const std::uint32_t row : rows_) {
        total_ += table.weight(row);
        if (!is_positive(row)) continue;
        positives_ += table.weight(row);
        positive.push_back(row);
    }
    positive_ = RowBits(table.n_rows, positive);
}

CoveringRule ClassTask::cover(Conditions conditions) const {
    if (conditions.empty()) return {{}, data_};
    RowList met = rows_meeting(table_, conditions[0], rows_);
    for (std::size_t i = 1; i < conditions.size(); ++i) met = rows_meeting(table_, conditions[i], met);
    return {std::move(conditions), RowBits(table_.n_rows, met)};
}

bool ClassTask::has_positives(const RowBits& left) const {
    const std::span<const std::uint64_t> a = left.words(), b = positive_.words();
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] & b[i]) return true;
    return false;
}

double ClassTask::weight_of(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                            bool positive_only) const {
    const std::span<const std::uint64_t> positive = positive_.words();
    if (!table_.weights)
        return static_cast<double>(
            count_common(a.data(), b.data(), positive_only ? positive.data() : b.data(), a.size()));
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::uint64_t word = a[i] & b[i];
        if (positive_only) word &= positive[i];
        for (; word; word &= word - 1) sum += table_.weights[i * 64 + static_cast<std::size_t>(std::countr_zero(word))];
    }
    return sum;
}

RuleCounts ClassTask::count(const RowBits& cover, const RowBits& left) const {
    return {weight_of(cover.words(), left.words(), false), weight_of(cover.words(), left.words(), true)};
}

RuleCounts ClassTask::take(const RowBits& cover, RowBits& left) const {
    const RuleCounts counts = count(cover, left);
    left.remove(cover);
    return counts;
}

double ClassTask::bits_of(const RuleCounts& list) const {
    return exception_bits(expected_fp_share_, {list.covered, std::max(0.0, total_ - list.covered), list.negative(),
                                               std::max(0.0, positives_ - list.positive)});
}

double ClassTask::theory_of(const CoveringRule& rule) const {
    return theory_bits(static_cast<double>(rule.conditions.size()), possible_conditions_);
}

bool ClassTask::saves_by_removal(const CoveringRule& rule, const RuleCounts& own, RuleCounts& list,
                                 double& saved) const {
    const RuleCounts without{list.covered - own.covered, list.positive - own.positive};
    const double gain = bits_of(list) + theory_of(rule) - bits_of(without);
    if (gain < 0 && !(check_error_ && own.mostly_wrong())) return false;
    list = without;
    saved += gain;
    return true;
}

double ClassTask::bits_after_pruning(const std::vector<const CoveringRule*>& rules, std::size_t from) const {
    RowBits left = data_;
    std::vector<RuleCounts> own;
    RuleCounts list;
    for (const CoveringRule* rule : rules) {
        own.push_back(take(rule->cover, left));
        list.covered += own.back().covered;
        list.positive += own.back().positive;
    }
    const double bits = bits_of(list);
    double saved = 0;
    for (std::size_t i = from; i < rules.size(); ++i) saves_by_removal(*rules[i], own[i], list, saved);
    return bits - saved;
}

double ClassTask::relative_bits(const std::vector<CoveringRule>& rules, std::size_t index,
                                const CoveringRule& candidate) const {
    std::vector<const CoveringRule*> list;
    list.reserve(rules.size());
    for (const CoveringRule& rule : rules) list.push_back(&rule);
    list[index] = &candidate;
    const double with = bits_after_pruning(list, index + 1) + theory_of(candidate);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    return with - bits_after_pruning(list, index);
}

std::vector<CoveringRule> ClassTask::reduced(std::vector<CoveringRule> rules) const {
    RowBits left = data_;
    std::vector<RuleCounts> own;
    RuleCounts list;
    for (const CoveringRule& rule : rules) {
        own.push_back(take(rule.cover, left));
        list.covered += own.back().covered;
        list.positive += own.back().positive;
    }
    double saved = 0;
    for (std::size_t i = rules.size(); i-- > 0;) {
        if (saves_by_removal(rules[i], own[i], list, saved))
            rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return rules;
}

}  // namespace vaglio
