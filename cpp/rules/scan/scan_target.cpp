// The scan for measures of one class against the rest: two counts per value are all it needs.
#include <algorithm>
#include <bit>

#include "base/logarithm.hpp"
#include "base/radix_sort.hpp"
#include "rules/scan/column_scan.hpp"
#include "rules/scan/packed.hpp"

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
          only_best_gain_(asks_best_gain(config_)) {}

    void run() {
        if (!filter_.possible()) return;
        if (input_.counts.empty()) {
            group(input_, column_, scratch_);
        } else if (const PackedTable::Column& packed = input_.table.packed->column(static_cast<std::size_t>(index_));
                   packed.coarse()) {
            sift(packed);
            return;
        } else {
            read_groups(packed);
        }
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

    // Counters of all rows and of those of the target, by slot.
    const std::uint32_t* counts_of(const PackedTable::Column& packed) const {
        return input_.counts.data() + packed.first;
    }
    const std::uint32_t* target_counts_of(const PackedTable::Column& packed) const {
        return counts_of(packed) + input_.table.packed->n_slots();
    }

    void read_groups(const PackedTable::Column& packed) {
        const std::uint32_t *all = counts_of(packed), *of_target = target_counts_of(packed);
        groups_.clear();
        for (std::uint32_t v = 0; v < column_.n_values; ++v) {
            if (all[v]) groups_.push_back({counted(all[v], of_target[v]), v});
        }
    }

    // Most runs of a column of many values cannot hold the best cut. For those that can, the rows are sorted.
    void sift(const PackedTable::Column& packed) {
        const std::size_t n_runs = packed.n_slots - 1;
        const std::uint32_t *all = counts_of(packed), *of_target = target_counts_of(packed);
        std::vector<Covered>& before = scratch_.before;
        before.assign(1, {});
        for (std::size_t run = 0; run < n_runs; ++run) {
            before.push_back(before.back());
            before.back() += counted(all[run], of_target[run]);
        }
        std::vector<std::uint8_t>& promising = scratch_.promising;
        promising.assign(packed.n_slots, 0);
        bool any = false;
        const double floor = best_border(before);
        for (std::size_t run = 0; run < n_runs; ++run) {
            promising[run] = all[run] && is_promising(before[run], before[run + 1], before.back(), floor);
            any |= promising[run];
        }
        if (!any) return;
        sort_promising(packed);
        std::size_t next = 0;
        for (std::size_t run = 0; run < n_runs; ++run) {
            if (!promising[run]) continue;
            std::size_t after = run + 1;
            while (after < n_runs && !all[after]) ++after;
            next = scan_run(next, packed.run_start[run + 1], promising[after] != 0, before[run], before.back());
        }
    }

    // The highest gain of a cut between two runs: what the best cut has to reach.
    double best_border(const std::vector<Covered>& before) const {
        double best = top_.bar();
        if (significance_.is_asked()) return best;
        const auto reach = [&](const Covered& covered) {
            if (!is_test(covered.rows) || static_cast<double>(covered.target_rows) < config_.min_positive) return;
            if (score_.limit(covered.positive, covered.all) > best)
                best = std::max(best, score_(covered.positive, covered.all));
        };
        for (std::size_t run = 1; run + 1 < before.size(); ++run) {
            if (before[run].rows == 0 || before[run].rows == before.back().rows) continue;
            if (allows(Test::at_most)) reach(before[run]);
            if (allows(Test::above)) reach(before.back() - before[run]);
        }
        return best;
    }

    // A cut within a run lies between its two ends, so no gain exceeds that of all the target and none of the rest.
    bool is_promising(const Covered& from, const Covered& to, const Covered& total, double floor) const {
        const auto could_be_best = [&](double positive, double negative) {
            if (score_.limit(positive, positive + negative) <= floor) return false;
            return score_(positive, positive + negative) * (1 + 1e-12) + 1e-12 > floor;
        };
        const double n_from = from.all - from.positive, n_to = to.all - to.positive;
        return (allows(Test::at_most) && could_be_best(to.positive, n_from)) ||
               (allows(Test::above) &&
                could_be_best(total.positive - from.positive, total.all - total.positive - n_to));
    }

    // The cells of the rows in promising runs, ascending, each with a last bit for the target.
    void sort_promising(const PackedTable::Column& packed) {
        std::vector<std::uint64_t>& keys = scratch_.keys;
        keys.resize(input_.rows.size());
        std::size_t n = 0;
        for (const std::uint32_t row : input_.rows) {
            keys[n] = std::uint64_t{column_.cells[row]} << 1 | (input_.table.classes[row] == config_.target);
            n += scratch_.promising[input_.table.packed->slot(packed, row)];
        }
        keys.resize(n);
        sort_keys(keys, scratch_.spare, 1, std::bit_width(column_.n_values));
    }

    // The cuts after the values of one run, whose keys start at `next`; returns where those of the next run start.
    // `goes_on`: the next run that has rows is promising, too.
    std::size_t scan_run(std::size_t next, std::uint32_t end, bool goes_on, Covered left, const Covered& total) {
        const std::vector<std::uint64_t>& keys = scratch_.keys;
        while (next < keys.size() && keys[next] >> 1 < end) {
            const auto cell = static_cast<std::uint32_t>(keys[next] >> 1);
            std::uint32_t rows = 0, of_target = 0;
            for (; next < keys.size() && keys[next] >> 1 == cell; ++next, ++rows) of_target += keys[next] & 1;
            left += counted(rows, of_target);
            if (left.rows == total.rows) return next;
            const bool is_known = next < keys.size() && (goes_on || keys[next] >> 1 < end);
            const auto make = [&](Test test) {
                const std::uint32_t above = is_known ? static_cast<std::uint32_t>(keys[next] >> 1) : next_cell(cell);
                return threshold_condition(test, cell, above);
            };
            if (allows(Test::at_most) && of_target) consider(left, [&] { return make(Test::at_most); });
            if (allows(Test::above)) consider(total - left, [&] { return make(Test::above); });
        }
        return next;
    }

    // The lowest cell above one that is not the last.
    std::uint32_t next_cell(std::uint32_t cell) const {
        std::uint32_t next = missing_cell;
        for (const std::uint32_t row : input_.rows) {
            if (column_.cells[row] > cell) next = std::min(next, column_.cells[row]);
        }
        return next;
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
