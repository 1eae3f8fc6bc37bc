// RIPPER, class by class: build rules, then revise each of them in optimisation passes.
#include "rules/ripper.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "rules/class_task.hpp"
#include "rules/scan/packed.hpp"
#include "rules/scan/scan.hpp"

namespace vaglio {

namespace {

struct Parts {
    RowList grow, prune;
};

// The rows that no rule covers yet, and how many of them every slot has: so that of the rows that grow a rule and those
// that prune it only the fewer need to be counted.
struct Uncovered {
    RowBits rows;
    PackedCounts counts;
};

PackedCounts difference(PackedCounts all, const PackedCounts& part) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] -= part[k];
    return all;
}

// The rows class by class, and where each class starts.
RowList rows_by_class(const RuleTable& table, const RowList& rows, std::span<std::size_t> start) {
    RowList ordered(rows.size());
    if (table.n_classes == 2) {
        // Without counters in memory: one that is written and read again for every row makes each row wait.
        RowList others(rows.size());
        std::size_t n = 0, n_others = 0;
        for (const std::uint32_t row : rows) {
            ordered[n] = others[n_others] = row;
            n_others += table.classes[row] == 1;
            n += table.classes[row] == 0;
        }
        std::copy_n(others.begin(), n_others, ordered.begin() + static_cast<std::ptrdiff_t>(n));
        start[1] = n;
        start[2] = rows.size();
        return ordered;
    }
    for (const std::uint32_t row : rows) ++start[static_cast<std::size_t>(table.classes[row]) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (const std::uint32_t row : rows) ordered[next[static_cast<std::size_t>(table.classes[row])]++] = row;
    return ordered;
}

class ClassLearner {
 public:
    ClassLearner(const ClassTask& task, const RipperConfig& config, Random& random, Control& control)
        : task_(task), config_(config), random_(random), control_(control) {}

    std::vector<CoveringRule> learn() {
        std::vector<CoveringRule> rules = build();
        if (config_.prune) {
            for (int pass = 0; pass < config_.optimizations; ++pass) rules = task_.reduced(optimize(std::move(rules)));
        }
        return rules;
    }

 private:
    const RuleTable& table() const { return task_.table(); }

    // Rule after rule, until none of the class is left or the description grows too long.
    std::vector<CoveringRule> build() {
        std::vector<CoveringRule> rules;
        Uncovered left = all_rows();
        add_rules(rules, left);
        return rules;
    }

    PackedCounts counted(const RowList& rows) const {
        return count_packed(table(), rows, task_.label(), config_.threads);
    }

    Uncovered all_rows() const { return {task_.data(), counted(task_.rows())}; }

    void cover(Uncovered& left, const RowBits& covered) const {
        if (!left.counts.empty())
            left.counts = difference(std::move(left.counts), counted(left.rows.common_rows(covered)));
        left.rows.remove(covered);
    }

    void add_rules(std::vector<CoveringRule>& rules, Uncovered& left) {
        double bits = task_.empty_bits(), least = bits;
        while (task_.has_positives(left.rows) && rules.size() < static_cast<std::size_t>(config_.max_rules)) {
            if (!add_rule(rules, left, bits, least)) break;
        }
    }

    bool add_rule(std::vector<CoveringRule>& rules, Uncovered& left, double& bits, double& least) {
        rules.push_back(task_.cover(new_rule(left)));
        bits += task_.relative_bits(rules, rules.size() - 1, rules.back());
        const RuleCounts counts = task_.count(rules.back().cover, left.rows);
        if (should_stop(counts, bits, least)) {
            rules.pop_back();
            return false;
        }
        cover(left, rules.back().cover);
        least = std::min(least, bits);
        return true;
    }

    bool should_stop(const RuleCounts& counts, double bits, double least) const {
        return bits > least + config_.mdl_slack || counts.positive <= 0 ||
               (config_.check_error && counts.mostly_wrong());
    }

    Conditions new_rule(const Uncovered& left) {
        if (!config_.prune) return grow({}, left.rows.rows(), left.counts);
        const Parts parts = split(left.rows.rows());
        return pruned(grow_anew(left, parts), parts.prune, false);
    }

    Conditions grow_anew(const Uncovered& left, const Parts& parts) {
        PackedCounts counts;
        if (!left.counts.empty()) counts = difference(left.counts, counted(parts.prune));
        return grow({}, parts.grow, counts);
    }

    // Each rule in turn against a rule grown anew and a rule grown further, by description length; then rules for
    // positives still uncovered.
    std::vector<CoveringRule> optimize(std::vector<CoveringRule> rules) {
        Uncovered left = all_rows();
        for (std::size_t i = 0; i < rules.size() && task_.has_positives(left.rows); ++i) {
            improve(rules, i, left);
            cover(left, rules[i].cover);
        }
        add_rules(rules, left);
        return rules;
    }

    void improve(std::vector<CoveringRule>& rules, std::size_t index, const Uncovered& left) {
        if (task_.count(rules[index].cover, left.rows).covered <= 0) return;
        Parts parts = split(left.rows.rows());
        Conditions grown = grow_anew(left, parts);
        // Pruning looks at the errors of the whole list: rows that later rules cover are not this rule's to win.
        RowBits own = task_.data();
        for (std::size_t i = index + 1; i < rules.size(); ++i) own.remove(rules[i].cover);
        parts.prune = own.among(parts.prune);
        CoveringRule anew = task_.cover(pruned(std::move(grown), parts.prune, true));
        RowList covered = rules[index].cover.among(parts.grow);
        CoveringRule further =
            task_.cover(pruned(grow(rules[index].conditions, std::move(covered), {}), parts.prune, true));

        const double old_bits = task_.relative_bits(rules, index, rules[index]);
        const double anew_bits = task_.relative_bits(rules, index, anew);
        const double further_bits = task_.relative_bits(rules, index, further);
        if (old_bits <= further_bits && old_bits <= anew_bits) return;
        rules[index] = further_bits <= anew_bits ? std::move(further) : std::move(anew);
    }

    // Adds the condition of highest gain until only the class is covered. `counts` are those of the rows, or empty.
    Conditions grow(Conditions conditions, RowList rows, const PackedCounts& counts) {
        ScanConfig scan;
        scan.measure = Measure::foil_gain;
        scan.target = task_.label();
        scan.smoothing = 1.0;
        scan.threads = config_.threads;
        scan.counts = &counts;
        const std::size_t n_columns = table().columns.size();
        const std::uint8_t* allowed =
            config_.allowed ? config_.allowed + static_cast<std::size_t>(task_.label()) * n_columns : nullptr;
        std::vector<std::uint8_t> only(n_columns);
        while (conditions.size() < static_cast<std::size_t>(config_.max_conditions) && impure(rows)) {
            control_.check();
            scan.allowed = allowed;
            if (conditions.size() < config_.first_columns.size()) {
                const auto column = static_cast<std::size_t>(config_.first_columns[conditions.size()]);
                std::fill(only.begin(), only.end(), std::uint8_t{0});
                only[column] = allowed ? allowed[column] : std::uint8_t{0x07};
                scan.allowed = only.data();
            }
            const std::vector<ScoredCondition> best = best_conditions(table(), rows, scan, control_);
            if (best.empty() || best[0].score <= 0) break;
            RowList met = rows_meeting(table(), best[0].condition, rows);
            if (static_cast<double>(count_positives(met)) < config_.min_positive) break;
            rows = std::move(met);
            scan.counts = nullptr;
            conditions.push_back(best[0].condition);
        }
        return conditions;
    }

    std::size_t count_positives(const RowList& rows) const {
        const auto positive = [&](std::uint32_t row) { return task_.is_positive(row); };
        return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), positive));
    }

    bool impure(const RowList& rows) const {
        return !std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return task_.is_positive(row); });
    }

    // Keeps the beginning of the rule that does best on rows it was not grown on. Alone, a rule is judged by the
    // Laplace rate of what it covers; within a list (`whole`) by the share of rows it treats rightly.
    Conditions pruned(Conditions conditions, const RowList& rows, bool whole) const {
        const RuleCounts all = weigh(rows);
        if (all.covered <= 0 || conditions.empty()) return conditions;
        const std::size_t fixed = std::min(config_.first_columns.size(), conditions.size());
        double best = (all.positive + 1.0) / (all.covered + 2.0);
        std::size_t length = 0;
        RowList met;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            met = rows_meeting(table(), conditions[i], i == 0 ? rows : met);
            const RuleCounts counts = weigh(met);
            const double left_out = all.negative() - counts.negative();
            const double worth =
                whole ? (counts.positive + left_out) / all.covered : (counts.positive + 1.0) / (counts.covered + 2.0);
            if (worth > best) {
                best = worth;
                length = i + 1;
            }
        }
        conditions.resize(std::max(length, fixed));
        return conditions;
    }

    RuleCounts weigh(const RowList& rows) const {
        if (!table().weights) return {static_cast<double>(rows.size()), static_cast<double>(count_positives(rows))};
        RuleCounts counts;
        for (const std::uint32_t row : rows) {
            counts.covered += table().weight(row);
            if (task_.is_positive(row)) counts.positive += table().weight(row);
        }
        return counts;
    }

    // A stratified split: the rows of each class in random order, every folds-th one to prune.
    Parts split(const RowList& rows) {
        std::vector<std::size_t> start(static_cast<std::size_t>(table().n_classes) + 1, 0);
        RowList ordered = rows_by_class(table(), rows, start);
        Random random = random_;  // a copy, which the compiler can keep in registers
        for (std::size_t c = 0; c + 1 < start.size(); ++c) {
            std::uint32_t* const first = ordered.data() + start[c];
            for (std::size_t n = start[c + 1] - start[c]; n > 1; --n) std::swap(first[n - 1], first[random.below(n)]);
        }
        random_ = random;
        // Both parts keep the order of the rows, and so of memory.
        std::vector<std::uint8_t> prunes(table().n_rows, 0);
        const auto folds = static_cast<std::size_t>(config_.folds);
        for (std::size_t i = folds - 1; i < ordered.size(); i += folds) prunes[ordered[i]] = 1;
        // Each row is written to both and the place kept in one: no branch to mispredict.
        Parts parts{RowList(rows.size()), RowList(rows.size())};
        std::size_t grow = 0, prune = 0;
        for (const std::uint32_t row : rows) {
            parts.grow[grow] = parts.prune[prune] = row;
            prune += prunes[row];
            grow += 1u - prunes[row];
        }
        parts.grow.resize(grow);
        parts.prune.resize(prune);
        return parts;
    }

    const ClassTask& task_;
    const RipperConfig& config_;
    Random& random_;
    Control& control_;
};

// How many conditions a rule for the class could have: a column that it may not test needs no bits.
double count_conditions(const RuleTable& table, const std::uint8_t* allowed, int label) {
    double possible = 0;
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
        if (allowed && allowed[static_cast<std::size_t>(label) * table.columns.size() + j] == 0) continue;
        const RuleColumn& column = table.columns[j];
        possible += column.nominal() ? column.n_values : 2.0 * column.n_values;
    }
    return std::max(possible, 1.0);
}

// Classes that occur, rarest first; ties by code.
std::vector<int> rare_to_frequent(const std::vector<double>& weight) {
    std::vector<int> order;
    for (std::size_t c = 0; c < weight.size(); ++c) {
        if (weight[c] > 0) order.push_back(static_cast<int>(c));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return weight[static_cast<std::size_t>(a)] < weight[static_cast<std::size_t>(b)];
    });
    return order;
}

}  // namespace

std::vector<LearnedRule> learn_ripper(RuleTable table, const RipperConfig& config, Control& control) {
    const PackedTable packed(table);
    table.packed = &packed;
    std::vector<double> weight(static_cast<std::size_t>(table.n_classes), 0.0);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        weight[static_cast<std::size_t>(table.classes[row])] += table.weight(row);
    }
    std::vector<int> order = rare_to_frequent(weight);
    Random random(key_of(config.seed, 0x726970));
    RowList rows(table.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    double rest = std::accumulate(weight.begin(), weight.end(), 0.0);
    std::vector<LearnedRule> learned;
    std::vector<std::uint8_t> put_back(weight.size(), 0);
    control.expect(order.size());
    while (order.size() > 1) {
        const int label = order.front();
        const auto c = static_cast<std::size_t>(label);
        order.erase(order.begin());
        const ClassTask task(table, std::move(rows), label, weight[c] / rest,
                             count_conditions(table, config.allowed, label), config.check_error);
        RowBits left = task.data();
        const std::size_t known = learned.size();
        if (task.positives() > 0) {
            for (CoveringRule& rule : ClassLearner(task, config, random, control).learn()) {
                left.remove(rule.cover);
                learned.push_back({label, std::move(rule.conditions)});
            }
        }
        rows = left.rows();
        // A class without a rule goes behind those of its frequency, once: if one of them has rules, this one may be
        // the default.
        const auto after = std::find_if(order.begin(), order.end(),
                                        [&](int other) { return weight[static_cast<std::size_t>(other)] > weight[c]; });
        if (learned.size() == known && after != order.begin() && !put_back[c]) {
            put_back[c] = 1;
            order.insert(after, label);
            continue;
        }
        rest -= weight[c];
        control.advance(1);
    }
    return learned;
}

}  // namespace vaglio
