#include "optimal/solve.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "optimal/counts.hpp"
#include "optimal/cuts.hpp"
#include "optimal/depth.hpp"
#include "optimal/search.hpp"

namespace vaglio::optimal {
namespace {

// First tests that are looked at together. The number is fixed, whatever the threads: which trees are found, and which
// of equal ones, depends on what is known when a test is looked at.
constexpr std::size_t round_size = 8;

// First tests of one column that are still open: the cuts of an interval, or a single set.
struct Open {
    Cost lower = 0;
    std::uint32_t column = 0;
    Shares shares;  // of the leaves
    Interval in;
    Cuts::Range range{1, 0};
    Test set;  // without an order

    std::uint64_t tests() const { return set.kind == Test::Kind::none ? range.last - range.first + 1 : 1; }
};

class Root {
 public:
    Root(const Subset& all, int threads, const Watch& watch) : all_(all), threads_(threads), watch_(watch) {}

    // Improves `best` and bounds it from below, by `shallower`: what the best trees of one test less cost.
    void solve(std::uint32_t depth, const Solved& shallower, Solved& best) {
        depth_ = depth;
        best_ = &best;
        shallower_ = shallower.lower;
        prepare();
        while (!open_.empty() && !watch_.late() && round()) watch_.control.check();
        // What is still open when the time is up bounds the tree from below.
        best.lower = best.upper;
        for (const Open& each : open_) best.lower = std::min(best.lower, each.lower);
    }

 private:
    void prepare() {
        open_.clear();
        cuts_.clear();
        for (std::uint32_t column = 0; column < all_.values.size(); ++column)
            cuts_.emplace_back(stakes_of(all_, column), TwoCosts{shallower_, shallower_});
        for (const auto& shares : leaf_shares(depth_, all_.problem->leaves)) {
            for (const std::uint32_t column : by_single_test(all_)) {
                if (all_.problem->columns[column].ordered) {
                    add({0, column, shares, cuts_[column].everything(), {1, 0}, {}});
                } else {
                    add_sets(column, shares);
                }
            }
        }
        std::uint64_t tests = 0;
        for (const Open& each : open_) tests += each.tests();
        watch_.control.done.store(0);
        watch_.control.expect(tests);
    }

    void add_sets(std::uint32_t column, Shares shares) {
        const auto stakes = stakes_of(all_, column);
        each_set(all_, column, view_of(all_, column), [&](const Test& test, std::span<const std::uint32_t> values) {
            Cost at_stake = 0;
            for (const std::uint32_t v : values) at_stake += stakes[v];
            const Cost lower = shallower_ - std::min(at_stake, all_.all_most - at_stake);
            if (lower < best_->upper) open_.push_back({std::max<Cost>(lower, 0), column, shares, {}, {1, 0}, test});
        });
    }

    // Keeps an interval if it has cuts that may be better than the best tree.
    void add(Open each) {
        each.range = cuts_[each.column].open(each.in, best_->upper);
        if (each.range.empty()) return;
        each.lower = cuts_[each.column].least(each.in, each.range);
        open_.push_back(std::move(each));
    }

    struct Looked {
        std::uint32_t cut = 0;
        Test test;
        Solved left, right;
        Memory memory;
        bool done = false;
    };

    // Looks at the most promising tests, all with the same knowledge, and then puts together what was found; false when
    // the time was up before the end.
    bool round() {
        std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.lower < b.lower; });
        const std::size_t count = std::min(round_size, open_.size());
        std::vector<Looked> looked(count);
        parallel_for(threads_, count, [&](std::size_t i, int) { look(open_[i], looked[i]); });
        if (std::any_of(looked.begin(), looked.end(), [](const Looked& each) { return !each.done; })) {
            for (Looked& each : looked) improve(each);
            return false;
        }
        for (Looked& each : looked) {
            improve(each);
            memory_.take(std::move(each.memory));
        }
        replace(looked);
        return true;
    }

    void look(const Open& each, Looked& found) const {
        const bool set = each.set.kind != Test::Kind::none;
        const Cuts& cuts = cuts_[each.column];
        Cost reach = 0, least_right = 0;
        if (set) {
            found.test = each.set;
        } else {
            found.cut = cuts.middle(each.range);
            reach = cuts.reach(each.range, found.cut);
            least_right = cuts.lower_right(each.in, found.cut);
            found.test = {Test::Kind::cut, each.column, all_.values[each.column][found.cut - 1]};
        }
        Search search(memory_, watch_);
        try {
            auto [left, right] =
                search.solve_branches(all_, found.test, depth_ - 1, each.shares, best_->upper + reach, least_right);
            found.left = std::move(left);
            found.right = std::move(right);
            found.done = true;
        } catch (const TimeUp&) {
            found.done = false;
        }
        found.memory = search.own();
    }

    void improve(const Looked& found) {
        if (!found.done || found.left.upper + found.right.upper >= best_->upper) return;
        best_->upper = found.left.upper + found.right.upper;
        best_->tree = std::make_shared<Choice>(Choice{found.test, found.left.tree, found.right.tree});
    }

    // The intervals that were looked at give way to their halves.
    void replace(const std::vector<Looked>& looked) {
        std::vector<Open> before;
        before.swap(open_);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const Open& each = before[i];
            if (each.set.kind != Test::Kind::none) {
                if (i >= looked.size() && each.lower < best_->upper) open_.push_back(each);
            } else if (i >= looked.size()) {
                add(each);
            } else {
                const TwoCosts at{looked[i].left.lower, looked[i].right.lower};
                add({0, each.column, each.shares, {each.in.low, looked[i].cut, each.in.at_low, at}, {1, 0}, {}});
                add({0, each.column, each.shares, {looked[i].cut, each.in.high, at, each.in.at_high}, {1, 0}, {}});
            }
        }
        std::uint64_t left = 0;
        for (const Open& each : open_) left += each.tests();
        const std::uint64_t all = watch_.control.total.load();
        watch_.control.done.store(all - std::min(all, left));
    }

    const Subset& all_;
    int threads_;
    const Watch& watch_;
    std::uint32_t depth_ = 0;
    Cost shallower_ = 0;
    Solved* best_ = nullptr;
    std::vector<Cuts> cuts_;
    std::vector<Open> open_;
    Memory memory_;
};

// What a given tree costs on the rows.
Solved price(const Subset& subset, const TreeData& data, const Tree& start, std::size_t node) {
    if (start.is_leaf(node)) return {0, subset.leaf_cost(), nullptr};
    const Test test = test_of(*subset.problem, data, start, node);
    const auto first = static_cast<std::size_t>(start.first_child[node]);
    const auto [left, right] = divide(subset, test);
    if (left.size == 0) return price(right, data, start, first + 1);
    if (right.size == 0) return price(left, data, start, first);
    const Solved low = price(left, data, start, first), high = price(right, data, start, first + 1);
    return {0, low.upper + high.upper, std::make_shared<Choice>(Choice{test, low.tree, high.tree})};
}

}  // namespace

Optimum find_optimum(const TreeData& data, Problem problem, const Tree& start, double seconds, int threads,
                     Control& control) {
    add_sets(problem, start);
    const Subset all = whole(problem);
    Watch watch{control, {}};
    if (seconds < 1e9)
        watch.deadline =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
    Solved best = price(all, data, start, 0);
    Optimum found;
    found.greedy = best.upper;
    const Solved one = solve_depth_one(all, problem.depth == 0 ? 1 : problem.leaves);
    Solved shallower = one;
    Root root(all, threads, watch);
    // Each depth is a start for the next, and bounds it. Of two leaves a single test is all there is.
    const std::uint32_t deepest = problem.leaves <= 2 ? 1 : problem.depth;
    for (std::uint32_t depth = 2; depth <= deepest && shallower.exact(); ++depth) {
        const bool last = depth == deepest;
        Solved now = last && best.upper < shallower.upper ? best : shallower;
        root.solve(depth, shallower, now);
        // A depth that was not finished says nothing about deeper trees.
        if (!last && !now.exact()) now.lower = problem.leaf_price;
        shallower = now;
    }
    if (shallower.upper <= best.upper) best.tree = shallower.tree;
    found.cost = std::min(best.upper, shallower.upper);
    found.lower = std::min(shallower.lower, found.cost);
    found.tree = build_tree(data, problem, best.tree.get());
    return found;
}

}  // namespace vaglio::optimal
