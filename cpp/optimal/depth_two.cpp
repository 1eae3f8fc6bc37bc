#include <algorithm>
#include <numeric>

#include "optimal/cuts.hpp"
#include "optimal/gain.hpp"
#include "optimal/search.hpp"

namespace vaglio::optimal {
namespace {

// Pairs of values are counted in a table where it has no more cells than so many per row: then filling it costs less
// than a few passes over the rows.
constexpr std::size_t cells_per_row = 4;

class DepthTwo {
 public:
    DepthTwo(const Subset& subset, const Task& task, Watch& watch) : s_(subset), watch_(watch) {
        watch_.spend(2 * s_.cells());
        leaf_ = s_.leaf_cost();
        for (std::uint32_t c = 0; c < s_.values.size(); ++c) {
            views_.push_back(view_of(s_, c));
            counts_.push_back(gains_of(s_, c));
            division_.push_back(views_[c].values < 2 ? 0 : best_division(counts_[c].data(), views_[c], s_.total));
        }
        const Solved one = solve_depth_one(s_, 2);
        one_ = one.upper;
        found_ = {one.upper, one.upper, one.tree};
        limit_ = std::min(task.bound, one.upper);
    }

    Solved solve(const Task& task) {
        const auto shares = leaf_shares(2, task.leaves);
        for (const std::uint32_t column : order()) {
            prepared_ = false;
            for (const auto& [left, right] : shares) search(column, left, right);
        }
        found_.lower = std::min(limit_, found_.upper);
        if (best_.kind != Test::Kind::none) rebuild();
        return std::move(found_);
    }

 private:
    // The columns that divide best alone come first: what they find excludes much of the others.
    std::vector<std::uint32_t> order() const {
        std::vector<std::uint32_t> columns(views_.size());
        std::iota(columns.begin(), columns.end(), 0u);
        std::stable_sort(columns.begin(), columns.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return division_[a] > division_[b]; });
        return columns;
    }

    void search(std::uint32_t column, std::uint32_t left, std::uint32_t right) {
        if (views_[column].values < 2) return;
        shares_ = {left, right};
        const TwoCosts all{left < 2 ? leaf_ : one_, right < 2 ? leaf_ : one_};
        const auto stakes = stakes_of(s_, column);
        if (views_[column].ordered) {
            search_cuts(Cuts(stakes, all), limit_, [&](const Interval&, const Cuts::Range&, std::uint32_t cut) {
                return evaluate({Test::Kind::cut, column, s_.values[column][cut - 1]}, {}, cut);
            });
            return;
        }
        each_set(s_, column, views_[column], [&](const Test& test, std::span<const std::uint32_t> values) {
            Cost at_stake = 0;
            for (const std::uint32_t v : values) at_stake += stakes[v];
            const Cost lower = std::max(all.right - at_stake, all.left - (s_.all_most - at_stake));
            if (lower < limit_) evaluate(test, values, 0);
        });
    }

    // What the branches of a test cost: the values before `cut` go left, or without an order those listed.
    TwoCosts evaluate(const Test& test, std::span<const std::uint32_t> values, std::uint32_t cut) {
        prepare(test.column);
        sum_up(test.column, counts_[test.column].data(), s_.total.size(), values, cut, left_total_);
        right_total_.resize(left_total_.size());
        for (std::size_t k = 0; k < left_total_.size(); ++k) right_total_[k] = s_.total[k] - left_total_[k];
        Cost at_stake = 0;
        if (cut > 0) {
            at_stake = stakes_up_to_[cut];
        } else {
            for (const std::uint32_t v : values) at_stake += stakes_up_to_[v + 1] - stakes_up_to_[v];
        }
        const Cost price = s_.problem->leaf_price;
        const Cost left_one = best_gain(left_total_, s_.problem->numbers);
        const Cost right_one = best_gain(right_total_, s_.problem->numbers);
        TwoGains two{0, 0};
        picked_ = false;
        for (std::uint32_t second = 0; second < views_.size(); ++second) {
            if (views_[second].values < 2) continue;
            const TwoGains gains = divisions(test.column, second, values, cut);
            two.left = std::max(two.left, gains.left);
            two.right = std::max(two.right, gains.right);
        }
        const auto cost = [&](Cost stake, Cost one, Cost division, std::uint32_t leaves) {
            const Cost alone = stake - one + price;
            return leaves < 2 ? alone : std::min(alone, stake - division + 2 * price);
        };
        const TwoCosts found{cost(at_stake, left_one, two.left, shares_.first),
                             cost(s_.all_most - at_stake, right_one, two.right, shares_.second)};
        if (found.left + found.right < limit_) {
            limit_ = found.left + found.right;
            best_ = test;
            best_shares_ = shares_;
        }
        return found;
    }

    TwoGains divisions(std::uint32_t first, std::uint32_t second, std::span<const std::uint32_t> values,
                       std::uint32_t cut) {
        const std::size_t labels = s_.total.size(), width = views_[second].values * labels;
        watch_.spend(width);
        if (mark(first) != Marks::none && mark(second) != Marks::none) {
            const std::uint32_t left = s_.values[first][cut > 0 ? 0 : values.front()];
            return marked_divisions(joint_, mark(second), left == s_.problem->marks.code(mark(first)));
        }
        if (first == second && cut > 0) {
            // Of the same order, the left has the first values and the right the others.
            sum_.assign(width, 0);
            std::copy(counts_[second].begin(), counts_[second].begin() + static_cast<std::ptrdiff_t>(cut * labels),
                      sum_.begin());
        } else if (!tables_[second].empty()) {
            sum_up(first, tables_[second].data(), width, values, cut, sum_);
        } else {
            return by_rows(first, second, values, cut);
        }
        return best_divisions(sum_.data(), counts_[second].data(), views_[second], left_total_, right_total_, scratch_);
    }

    // The sum of the lines of a table that go left. The lines of an order are added up beforehand.
    void sum_up(std::uint32_t column, const Cost* table, std::size_t width, std::span<const std::uint32_t> values,
                std::uint32_t cut, std::vector<Cost>& into) const {
        into.assign(width, 0);
        const bool added_up = views_[column].ordered && table != counts_[column].data();
        if (added_up) {
            std::copy(table + (cut - 1) * width, table + cut * width, into.begin());
            return;
        }
        const auto add = [&](std::uint32_t v) {
            for (std::size_t i = 0; i < width; ++i) into[i] += table[v * width + i];
        };
        for (std::uint32_t v = 0; v < cut; ++v) add(v);
        for (const std::uint32_t v : values) add(v);
    }

    // The best divisions by a mark: of the rows that are counted per mark, and of the others.
    TwoGains marked_divisions(const std::vector<Cost>& counted, std::uint32_t mark, bool counted_are_left) const {
        const std::size_t labels = s_.total.size();
        const Cost *part = counted.data() + mark * labels, *all = s_.marked_gains.data() + mark * labels;
        const auto &total = counted_are_left ? left_total_ : right_total_,
                   &rest = counted_are_left ? right_total_ : left_total_;
        if (s_.problem->numbers) {
            const Cost others[] = {all[0] - part[0], all[1] - part[1], all[2] - part[2]};
            const TwoGains found{gain_of_two(part, total, true), gain_of_two(others, rest, true)};
            return counted_are_left ? found : TwoGains{found.right, found.left};
        }
        Cost best[] = {0, 0, 0, 0};
        for (std::size_t k = 0; k < labels; ++k) {
            best[0] = std::max(best[0], part[k]);
            best[1] = std::max(best[1], total[k] - part[k]);
            best[2] = std::max(best[2], all[k] - part[k]);
            best[3] = std::max(best[3], rest[k] - (all[k] - part[k]));
        }
        const TwoGains found{best[0] + best[1], best[2] + best[3]};
        return counted_are_left ? found : TwoGains{found.right, found.left};
    }

    TwoGains by_rows(std::uint32_t first, std::uint32_t second, std::span<const std::uint32_t> values,
                     std::uint32_t cut) {
        if (!picked_) pick_rows(first, values, cut);
        watch_.spend(rows_.size());
        if (mark(second) != Marks::none) return marked_divisions(joint_, mark(second), rows_are_left_);
        const std::size_t labels = s_.total.size();
        sum_.assign(views_[second].values * labels, 0);
        const auto& codes = s_.codes[second];
        for (const std::uint32_t i : rows_) sum_[codes[i] * labels + s_.label[i]] += s_.gain[i];
        if (rows_are_left_)
            return best_divisions(sum_.data(), counts_[second].data(), views_[second], left_total_, right_total_,
                                  scratch_);
        const TwoGains found =
            best_divisions(sum_.data(), counts_[second].data(), views_[second], right_total_, left_total_, scratch_);
        return {found.right, found.left};
    }

    // The entries of the smaller branch, and what they gain per mark.
    void pick_rows(std::uint32_t column, std::span<const std::uint32_t> values, std::uint32_t cut) {
        watch_.spend(s_.size);
        goes_left_.assign(views_[column].values, 0);
        std::fill(goes_left_.begin(), goes_left_.begin() + cut, 1);
        for (const std::uint32_t v : values) goes_left_[v] = 1;
        std::size_t left = 0;
        for (std::size_t i = 0; i < s_.size; ++i) left += goes_left_[s_.number(column, i)];
        rows_are_left_ = left <= s_.size - left;
        const std::uint8_t wanted = rows_are_left_ ? 1 : 0;
        rows_.clear();
        for (std::uint32_t i = 0; i < s_.size; ++i)
            if (goes_left_[s_.number(column, i)] == wanted) rows_.push_back(i);
        if (mark(column) == Marks::none) count_joint(rows_);
        picked_ = true;
    }

    // Counts the pairs of values of a first column with all others, where there are not too many.
    void prepare(std::uint32_t first) {
        if (prepared_) return;
        prepared_ = true;
        const auto stakes = stakes_of(s_, first);
        stakes_up_to_.assign(stakes.size() + 1, 0);
        for (std::size_t v = 0; v < stakes.size(); ++v) stakes_up_to_[v + 1] = stakes_up_to_[v] + stakes[v];
        if (mark(first) != Marks::none) count_joint(entries_with(mark(first)));
        tables_.resize(views_.size());
        const std::size_t labels = s_.total.size(), lines = views_[first].values;
        for (std::uint32_t second = 0; second < views_.size(); ++second) {
            const std::size_t width = views_[second].values * labels;
            auto& table = tables_[second];
            table.clear();
            if (second == first && views_[first].ordered) continue;
            if (mark(first) != Marks::none && mark(second) != Marks::none) continue;
            if (views_[second].values < 2 || lines * width > cells_per_row * s_.size + 1024) continue;
            watch_.spend(lines * width + s_.size);
            table.assign(lines * width, 0);
            count_pairs(first, second, table);
            if (!views_[first].ordered) continue;
            for (std::size_t i = width; i < table.size(); ++i) table[i] += table[i - width];
        }
    }

    // Fills a table of pairs. Of two values only the marked one is counted: the other has the rest.
    void count_pairs(std::uint32_t first, std::uint32_t second, std::vector<Cost>& table) {
        const std::size_t labels = s_.total.size(), width = views_[second].values * labels;
        const Marks& marks = s_.problem->marks;
        if (mark(first) != Marks::none) {
            const std::size_t counted = marks.code(mark(first)) * width, rest = width - counted;
            for (const std::uint32_t i : entries_with(mark(first)))
                table[counted + s_.codes[second][i] * labels + s_.label[i]] += s_.gain[i];
            for (std::size_t i = 0; i < width; ++i) table[rest + i] = counts_[second][i] - table[counted + i];
            return;
        }
        const auto& lines = s_.codes[first];
        if (mark(second) == Marks::none) {
            const auto& places = s_.codes[second];
            for (std::size_t i = 0; i < s_.size; ++i)
                table[lines[i] * width + places[i] * labels + s_.label[i]] += s_.gain[i];
            return;
        }
        const std::size_t counted = marks.code(mark(second)) * labels, rest = labels - counted;
        for (const std::uint32_t i : entries_with(mark(second)))
            table[lines[i] * width + counted + s_.label[i]] += s_.gain[i];
        for (std::size_t line = 0; line < views_[first].values; ++line)
            for (std::size_t k = 0; k < labels; ++k)
                table[line * width + rest + k] = counts_[first][line * labels + k] - table[line * width + counted + k];
    }

    std::uint32_t mark(std::uint32_t column) const { return s_.problem->marks.of_column(column); }

    // What some of the entries gain per mark and label.
    void count_joint(std::span<const std::uint32_t> entries) {
        const std::size_t labels = s_.total.size();
        const Marks& marks = s_.problem->marks;
        joint_.assign(marks.size() * labels, 0);
        for (const std::uint32_t i : entries) {
            Cost* gains = joint_.data() + s_.label[i];
            for (const std::uint32_t each : marks.of_row(s_.row[i])) gains[each * labels] += s_.gain[i];
        }
    }

    // The entries with a mark; all are listed when they are first asked for.
    std::span<const std::uint32_t> entries_with(std::uint32_t mark) {
        const Marks& marks = s_.problem->marks;
        if (list_start_.empty()) {
            list_start_.assign(marks.size() + 1, 0);
            for (std::size_t m = 0; m < marks.size(); ++m) list_start_[m + 1] = list_start_[m] + s_.marked[m];
            std::vector<std::size_t> next(list_start_.begin(), list_start_.end() - 1);
            lists_.resize(list_start_.back());
            for (std::uint32_t i = 0; i < s_.size; ++i)
                for (const std::uint32_t each : marks.of_row(s_.row[i])) lists_[next[each]++] = i;
        }
        return {lists_.data() + list_start_[mark], s_.marked[mark]};
    }

    void rebuild() {
        const auto [left, right] = divide(s_, best_);
        found_.upper = found_.lower = limit_;
        found_.tree = std::make_shared<Choice>(Choice{best_, solve_depth_one(left, best_shares_.first).tree,
                                                      solve_depth_one(right, best_shares_.second).tree});
    }

    const Subset& s_;
    Watch& watch_;
    std::vector<ValueView> views_;
    std::vector<std::vector<Cost>> counts_;  // per column
    std::vector<Cost> division_;             // per column: the gains of its best test alone
    Cost leaf_ = 0, one_ = 0;                // what a leaf costs, and the best single test
    Solved found_;
    Cost limit_ = 0;
    Test best_;
    Shares shares_{2, 2}, best_shares_{2, 2};

    // Of the first column that is looked at: its tables with the others, and the sums of what is at stake.
    bool prepared_ = false;
    std::vector<std::vector<Cost>> tables_;
    std::vector<Cost> stakes_up_to_;
    std::vector<Cost> joint_;  // gains per mark and label, of the rows with its mark or of the smaller branch
    std::vector<std::size_t> list_start_;
    std::vector<std::uint32_t> lists_;
    // Of the test that is looked at.
    std::vector<Cost> left_total_, right_total_, sum_, scratch_;
    std::vector<std::uint8_t> goes_left_;
    std::vector<std::uint32_t> rows_;
    bool picked_ = false, rows_are_left_ = true;
};

}  // namespace

Solved solve_depth_two(const Subset& subset, const Task& task, Watch& watch) {
    if (task.leaves < 3) return solve_depth_one(subset, task.leaves);
    return DepthTwo(subset, task, watch).solve(task);
}

}  // namespace vaglio::optimal
