// The scan for measures of one class against the rest: two counts per value are all it needs.
#include <algorithm>

#include "base/logarithm.hpp"
#include "rules/column_scan.hpp"

namespace vaglio {

namespace {

class TargetScore {
 public:
    explicit TargetScore(const ScanInput& input) : input_(input), config_(input.config) {
        if (config_.priors) prior_ = config_.priors[config_.target];
    }

    // A cheap bound that no score exceeds: log2 r <= (r - 1) / ln 2 spares most logarithms.
    double limit(double positive, double all) const {
        if (config_.measure != Measure::foil_gain) return 1e300;
        const double rate = (positive + config_.smoothing) / (all + config_.smoothing);
        return positive * ((rate - 1.0) * 1.4426950408889636 - input_.log_rate) * (1 + 1e-12) + 1e-12;
    }

    double operator()(double positive, double all) const {
        switch (config_.measure) {
            case Measure::foil_gain: {
                if (positive <= 0) return 0.0;
                const double rate = (positive + config_.smoothing) / (all + config_.smoothing);
                return positive * (portable_log2(rate) - input_.log_rate);
            }
            case Measure::target_laplace:
                return (positive + 1.0) / (all + input_.table.n_classes);
            case Measure::target_m:
                return (positive + config_.m * prior_) / (all + config_.m);
            case Measure::target_entropy: {
                // Pure is best, but not purely of other classes: below one half, entropy counts the other way.
                const double entropy = (xlog2x(all) - xlog2x(positive) - xlog2x(all - positive)) / all;
                return 2 * positive >= all ? -entropy : entropy - 2.0;
            }
            default:
                return 2 * positive - all;
        }
    }

 private:
    const ScanInput& input_;
    const ScanConfig& config_;
    double prior_ = 0.0;
};

// Two counters per value, and one more pair for the missing cell, so that the loop has no branch. Where most rows share
// one value, each increment would wait for the one before, so four sets of counters take turns. Four sets of up to 1024
// values stay in the first-level cache.
void group_unweighted(const ScanInput& input, const RuleColumn& column, Scratch& scratch) {
    const std::uint32_t n_values = column.n_values;
    const std::size_t width = 2 * (static_cast<std::size_t>(n_values) + 1);
    const std::size_t lanes = n_values <= 1024 ? 4 : 1;
    scratch.counts.assign(lanes * width, 0);
    std::uint32_t* counts = scratch.counts.data();
    const std::uint32_t* rows = input.rows.data();
    const std::uint8_t* positive = input.positive.data();
    const std::size_t n = input.rows.size();
    const auto slot = [&](std::size_t i) { return 2 * std::min(column.cells[rows[i]], n_values) + positive[i]; };
    std::size_t i = 0;
    if (lanes == 4) {
        for (; i + 4 <= n; i += 4) {
            ++counts[slot(i)];
            ++counts[width + slot(i + 1)];
            ++counts[2 * width + slot(i + 2)];
            ++counts[3 * width + slot(i + 3)];
        }
    }
    for (; i < n; ++i) ++counts[slot(i)];
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        for (std::size_t k = 0; k < width; ++k) counts[k] += counts[lane * width + k];
    }
    for (std::uint32_t v = 0; v < n_values; ++v) {
        const std::uint32_t negative = counts[2 * v], positives = counts[2 * v + 1];
        if (negative + positives) scratch.groups.push_back({counted(negative + positives, positives), v});
    }
}

void group_weighted(const ScanInput& input, const RuleColumn& column, Scratch& scratch) {
    const std::uint32_t n_values = column.n_values;
    scratch.sums.assign(2 * (static_cast<std::size_t>(n_values) + 1), 0.0);
    scratch.counts.assign(scratch.sums.size(), 0);
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
        const std::uint32_t cell = 2 * std::min(column.cells[input.rows[i]], n_values) + input.positive[i];
        scratch.sums[cell] += input.table.weights[input.rows[i]];
        ++scratch.counts[cell];
    }
    for (std::uint32_t v = 0; v < n_values; ++v) {
        const std::uint32_t rows = scratch.counts[2 * v] + scratch.counts[2 * v + 1];
        const double all = scratch.sums[2 * v] + scratch.sums[2 * v + 1];
        if (rows) scratch.groups.push_back({{rows, scratch.counts[2 * v + 1], all, scratch.sums[2 * v + 1]}, v});
    }
}

void group_sorted(const ScanInput& input, const RuleColumn& column, Scratch& scratch) {
    sort_by_cell(input, column, scratch);
    for (const std::uint32_t i : scratch.order) {
        const std::uint32_t cell = column.cells[input.rows[i]];
        if (scratch.groups.empty() || scratch.groups.back().cell != cell) scratch.groups.push_back({{}, cell});
        const double weight = input.table.weight(input.rows[i]);
        scratch.groups.back() += {1u, input.positive[i], weight, input.positive[i] ? weight : 0.0};
    }
}

// Few rows in a column of many values: sorting them beats clearing a counter for every value.
void group(const ScanInput& input, const RuleColumn& column, Scratch& scratch) {
    scratch.groups.clear();
    if (column.n_values > 4 * input.rows.size()) {
        group_sorted(input, column, scratch);
    } else if (input.table.weights) {
        group_weighted(input, column, scratch);
    } else {
        group_unweighted(input, column, scratch);
    }
}

class TargetScan : ColumnScan {
 public:
    TargetScan(const ScanInput& input, int column, Scratch& scratch, TopConditions& top)
        : ColumnScan(input, column, top),
          score_(input),
          groups_(scratch.groups),
          scratch_(scratch),
          only_best_gain_(config_.measure == Measure::foil_gain && config_.keep == 1 && config_.min_rows <= 0 &&
                          config_.meets_row < 0 && config_.excludes_row < 0) {}

    void run() {
        if (!filter_.possible()) return;
        if (only_best_gain_ && column_.order && !input_.mark.empty()) {
            walk_order();
            return;
        }
        group(input_, column_, scratch_);
        if (groups_.empty()) return;
        if (column_.nominal()) {
            scan_values();
            if (allows(Test::one_of)) scan_sets();
        } else {
            scan_thresholds();
        }
    }

 private:
    template <class Make>
    void consider(const Covered& covered, Make make) {
        if (!is_test(covered.rows) || static_cast<double>(covered.target_rows) < config_.min_positive) return;
        if (score_.limit(covered.positive, covered.all) <= top_.bar()) return;
        offer(score_(covered.positive, covered.all), covered.all, covered.positive, make, [&] {
            if (significance_.of_one(config_.target, covered.positive, covered.all)) return Proof::significant;
            const bool possible = significance_.in_reach(config_.target, covered.positive, config_.min_ratio_of_one);
            return possible ? Proof::in_reach : Proof::none;
        });
    }

    Covered all_groups() const {
        Covered total;
        for (const CellGroup& g : groups_) total += g;
        return total;
    }

    void scan_thresholds() {
        Covered left;
        const Covered total = all_groups();
        for (std::size_t i = 0; i + 1 < groups_.size(); ++i) {
            left += groups_[i];
            const std::uint32_t below = groups_[i].cell;
            const auto make = [&](Test test) { return threshold_condition(test, below, groups_[i + 1].cell); };
            if (allows(Test::at_most) && !at_most_is_beaten(i) &&
                filter_.agrees([&](std::uint32_t cell) { return cell <= below; })) {
                consider(left, [&] { return make(Test::at_most); });
            }
            if (allows(Test::above) && !above_is_beaten(i) &&
                filter_.agrees([&](std::uint32_t cell) { return cell > below; })) {
                consider(total - left, [&] { return make(Test::above); });
            }
        }
    }

    // The same as scan_thresholds for a column of many values: groups are met in the order of their cells and never
    // stored. A cut is looked at when the group after it has been seen, since being the last group matters.
    void walk_order() {
        const std::uint8_t* mark = input_.mark.data();
        std::uint32_t known = static_cast<std::uint32_t>(input_.rows.size());
        auto known_target = static_cast<std::uint32_t>(input_.positives);  // no weights here
        for (const std::uint32_t row : column_.missing) {
            known -= mark[row] & 1u;
            known_target -= mark[row] >> 1u;
        }
        const Covered total = counted(known, known_target);
        CellGroup before, after;  // of the cut in waiting
        Covered left;             // up to and with `before`
        std::size_t seen = 0;
        for (std::uint32_t v = 0; v < column_.n_values; ++v) {
            std::uint32_t here = 0, of_target = 0;
            for (std::uint32_t k = column_.start[v]; k < column_.start[v + 1]; ++k) {
                here += mark[column_.order[k]] & 1u;
                of_target += mark[column_.order[k]] >> 1u;
            }
            if (!here) continue;
            if (++seen > 2) cut(before, after, seen == 3, false, left, total);
            before = after;
            left += before;
            after = {counted(here, of_target), v};
        }
        if (seen >= 2) cut(before, after, seen == 2, true, left, total);
    }

    void cut(const CellGroup& before, const CellGroup& after, bool is_first, bool is_last, const Covered& left,
             const Covered& total) {
        const auto make = [&](Test test) { return threshold_condition(test, before.cell, after.cell); };
        const bool at_most_is_beaten = before.target_rows == 0 || (!is_last && after.only_target());
        const bool above_is_beaten = after.target_rows == 0 || (!is_first && before.only_target());
        if (allows(Test::at_most) && !at_most_is_beaten) consider(left, [&] { return make(Test::at_most); });
        if (allows(Test::above) && !above_is_beaten) consider(total - left, [&] { return make(Test::above); });
    }

    // When only the best gain counts, a cut that a neighbouring cut surely beats need not be looked at: leaving out a
    // group without positives, or taking in one without negatives, raises the gain.
    bool at_most_is_beaten(std::size_t i) const {
        if (!only_best_gain_) return false;
        return groups_[i].target_rows == 0 || (i + 2 < groups_.size() && groups_[i + 1].only_target());
    }
    bool above_is_beaten(std::size_t i) const {
        if (!only_best_gain_) return false;
        return groups_[i + 1].target_rows == 0 || (i > 0 && groups_[i].only_target());
    }

    void scan_values() {
        const Covered total = all_groups();
        for (const CellGroup& g : groups_) {
            if (allows(Test::equal) && filter_.agrees([&](std::uint32_t cell) { return cell == g.cell; })) {
                consider(g, [&] { return value_condition(Test::equal, g.cell); });
            }
            if (allows(Test::unequal) && filter_.agrees([&](std::uint32_t cell) { return cell != g.cell; })) {
                consider(total - g, [&] { return value_condition(Test::unequal, g.cell); });
            }
        }
    }

    // The values in the order of their share of the target: for two classes the best set is a prefix of these. (The
    // gain is convex in the two counts.) All values together are no test, so that where rows are missing and these
    // would be best, a set that is no prefix may come second and is not looked for.
    void scan_sets() {
        std::vector<CellGroup> ordered = groups_;
        std::stable_sort(ordered.begin(), ordered.end(), [](const CellGroup& a, const CellGroup& b) {
            return a.positive * b.all > b.positive * a.all;
        });
        Covered inside_rows;
        for (std::size_t size = 1; size < ordered.size(); ++size) {
            inside_rows += ordered[size - 1];
            if (size < 2) continue;
            const auto inside = [&](std::uint32_t cell) {
                return std::any_of(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(size),
                                   [&](const CellGroup& g) { return g.cell == cell; });
            };
            if (!filter_.agrees(inside)) continue;
            consider(inside_rows, [&] {
                RuleCondition condition = value_condition(Test::one_of, 0);
                for (std::size_t i = 0; i < size; ++i) condition.codes.push_back(ordered[i].cell);
                std::sort(condition.codes.begin(), condition.codes.end());
                return condition;
            });
        }
    }

    const TargetScore score_;
    std::vector<CellGroup>& groups_;
    Scratch& scratch_;
    const bool only_best_gain_;
};

}  // namespace

void scan_target(const ScanInput& input, int column, Scratch& scratch, TopConditions& top) {
    TargetScan(input, column, scratch, top).run();
}

}  // namespace vaglio
