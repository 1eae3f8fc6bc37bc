#include "optimal/solve.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "optimal/counts.hpp"
#include "optimal/cuts.hpp"
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
    Root(const Subset& all, int threads, std::uint64_t work, Watch::Moment deadline, Control& control)
        : all_(all), threads_(threads), work_(work), deadline_(deadline), control_(control) {}

    // Improves `best` and bounds it from below, by `shallower`: what the best trees of one test less cost.
    void solve(std::uint32_t depth, const Solved& shallower, Solved& best) {
        depth_ = depth;
        best_ = &best;
        shallower_ = shallower.lower;
        prepare();
        while (!open_.empty() && round()) control_.check();
        // What is still open at a limit bounds the tree from below.
        best.lower = best.upper;
        for (const Open& each : open_) best.lower = std::min(best.lower, each.lower);
    }

    // What has ended the search.
    Limit limit() const { return limit_; }

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
        control_.done.store(0);
        control_.expect(tests);
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
        std::uint64_t spent = 0;
        Limit limit = Limit::work;  // until it is done: what it was stopped by
        bool done() const { return limit == Limit::none; }
    };

    // Looks at the most promising tests, all with the same knowledge, and then puts together what was found; false when
    // a limit came before the end.
    bool round() {
        std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.lower < b.lower; });
        const std::size_t count = std::min(round_size, open_.size());
        std::vector<Looked> looked(count);
        look_at_all(looked);
        for (Looked& each : looked) improve(each);
        if (limit_ != Limit::none) return false;
        for (Looked& each : looked) memory_.take(std::move(each.memory));
        replace(looked);
        return true;
    }

    // The work that is left is shared out evenly, whatever the threads. What some tests leave over goes to those that
    // need more, which start again with what they have found.
    void look_at_all(std::vector<Looked>& looked) {
        std::vector<std::size_t> waiting(looked.size());
        std::iota(waiting.begin(), waiting.end(), std::size_t{0});
        while (!waiting.empty()) {
            const std::uint64_t share = work_ / waiting.size();
            parallel_for(threads_, waiting.size(),
                         [&](std::size_t i, int) { look(open_[waiting[i]], share, looked[waiting[i]]); });
            for (const std::size_t i : waiting) {
                work_ -= looked[i].spent;
                if (looked[i].limit == Limit::time) limit_ = Limit::time;
            }
            if (limit_ == Limit::time) return;
            const std::size_t before = waiting.size();
            std::erase_if(waiting, [&](std::size_t i) { return looked[i].done(); });
            if (waiting.size() < before) continue;
            limit_ = Limit::work;
            return;
        }
    }

    void look(const Open& each, std::uint64_t work, Looked& found) const {
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
        Watch watch(control_, work, deadline_);
        Search search(memory_, std::move(found.memory), watch);
        try {
            auto [left, right] =
                search.solve_branches(all_, found.test, depth_ - 1, each.shares, best_->upper + reach, least_right);
            found.left = std::move(left);
            found.right = std::move(right);
            found.limit = Limit::none;
        } catch (const Stopped& stopped) {
            found.limit = stopped.limit;
        }
        found.spent = watch.spent();
        found.memory = search.own();
    }

    void improve(const Looked& found) {
        if (!found.done() || found.left.upper + found.right.upper >= best_->upper) return;
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
        const std::uint64_t all = control_.total.load();
        control_.done.store(all - std::min(all, left));
    }

    const Subset& all_;
    int threads_;
    std::uint64_t work_;  // that is left
    Watch::Moment deadline_;
    Control& control_;
    Limit limit_ = Limit::none;
    std::uint32_t depth_ = 0;
    Cost shallower_ = 0;
    Solved* best_ = nullptr;
    std::vector<Cuts> cuts_;
    std::vector<Open> open_;
    Memory memory_;
};

// What a given tree costs on the rows.
Solved price(const Subset& subset, const tree::TreeData& data, const tree::Tree& start, std::size_t node) {
    if (start.is_leaf(node)) return {0, subset.leaf_cost(), nullptr};
    const Test test = test_of(*subset.problem, data, start, node);
    const auto first = static_cast<std::size_t>(start.first_child[node]);
    const auto [left, right] = divide(subset, test);
    if (left.size == 0) return price(right, data, start, first + 1);
    if (right.size == 0) return price(left, data, start, first);
    const Solved low = price(left, data, start, first), high = price(right, data, start, first + 1);
    return {0, low.upper + high.upper, std::make_shared<Choice>(Choice{test, low.tree, high.tree})};
}

// Very long is for ever.
Watch::Moment moment_in(double seconds) {
    using Clock = std::chrono::steady_clock;
    if (!(seconds < 1e9)) return std::nullopt;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Optimum find_optimum(const tree::TreeData& data, Problem problem, const tree::Tree& start, const Effort& most,
                     int threads, Control& control) {
    add_sets(problem, start);
    const Subset all = whole(problem);
    Solved best = price(all, data, start, 0);
    Optimum found;
    found.greedy = best.upper;
    const Solved one = solve_depth_one(all, problem.depth == 0 ? 1 : problem.leaves);
    Solved shallower = one;
    Root root(all, threads, most.work, moment_in(most.seconds), control);
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
    if (found.lower < found.cost) found.limit = root.limit();
    found.tree = build_tree(data, problem, best.tree.get());
    return found;
}

}  // namespace vaglio::optimal
