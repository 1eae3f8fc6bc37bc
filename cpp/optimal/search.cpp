#include "optimal/search.hpp"

#include <algorithm>
#include <numeric>

#include "optimal/cuts.hpp"

namespace vaglio::optimal {

const Solved* Memory::find(const Name& name) const {
    const auto found = found_.find(name);
    return found == found_.end() ? nullptr : &found->second;
}

void Memory::keep(const Name& name, const Solved& solved) {
    const auto [place, fresh] = found_.try_emplace(name, solved);
    if (fresh) return;
    place->second.lower = std::max(place->second.lower, solved.lower);
    if (solved.upper < place->second.upper) {
        place->second.upper = solved.upper;
        place->second.tree = solved.tree;
    }
}

void Memory::take(Memory&& other) {
    for (const auto& [name, solved] : other.found_) {
        if (full() && !found_.contains(name)) continue;
        keep(name, solved);
    }
    other.found_.clear();
}

std::vector<Shares> leaf_shares(std::uint32_t depth, std::uint32_t leaves) {
    const std::uint32_t below = most_leaves(depth - 1, leaves - 1);
    const std::uint32_t all = std::min(leaves, 2 * below);
    std::vector<Shares> shares;
    for (std::uint32_t left = all - below; left <= below; ++left) shares.emplace_back(left, all - left);
    return shares;
}

std::vector<std::uint32_t> by_single_test(const Subset& subset) {
    std::vector<Cost> gains;
    gains.reserve(subset.values.size());
    for (std::uint32_t c = 0; c < subset.values.size(); ++c)
        gains.push_back(best_division(gains_of(subset, c).data(), view_of(subset, c), subset.total));
    std::vector<std::uint32_t> columns(gains.size());
    std::iota(columns.begin(), columns.end(), 0u);
    std::stable_sort(columns.begin(), columns.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return gains[a] > gains[b]; });
    return columns;
}

Solved Search::solve(const Subset& subset, const Task& task) {
    const std::uint32_t leaves = most_leaves(task.depth, task.leaves);
    const Cost leaf = subset.leaf_cost(), price = subset.problem->leaf_price;
    if (leaves < 2 || leaf == price) return {leaf, leaf, nullptr};
    // Any tree has a leaf, and one with a test has two.
    if (task.bound <= price) return {price, leaf, nullptr};
    if (leaf <= 2 * price) return {leaf, leaf, nullptr};
    if (task.depth == 1 || leaves == 2) {
        watch_.spend(subset.cells());
        return solve_depth_one(subset, leaves);
    }
    const Memory::Name name{subset.key, task.depth, leaves};
    for (const Memory* memory : {&common_, static_cast<const Memory*>(&own_)}) {
        const Solved* known = memory->find(name);
        if (known && (known->exact() || known->lower >= task.bound)) return *known;
    }
    const Task exact{task.depth, leaves, task.bound};
    const Solved found = task.depth == 2 ? solve_depth_two(subset, exact, watch_) : search(subset, exact);
    if (!own_.full()) own_.keep(name, found);
    return found;
}

std::pair<Solved, Solved> Search::solve_branches(const Subset& subset, const Test& test, std::uint32_t depth,
                                                 Shares leaves, Cost limit, Cost least_right) {
    watch_.spend(subset.cells());
    const auto [low, high] = divide(subset, test);
    Solved first = solve(low, {depth, leaves.first, limit - least_right});
    Solved second = solve(high, {depth, leaves.second, limit - first.lower});
    return {std::move(first), std::move(second)};
}

Solved Search::search(const Subset& subset, const Task& task) {
    watch_.spend(subset.cells());
    // A tree that is one test shallower is a start, and bounds what similar sets of rows can cost.
    Solved best = solve(subset, {task.depth - 1, task.leaves, unbounded});
    const Solved shallower = best;
    Cost limit = std::min(task.bound, best.upper);
    const auto shares = leaf_shares(task.depth, task.leaves);
    for (const std::uint32_t column : by_single_test(subset))
        for (const auto& share : shares) search_column(subset, column, task, shallower, share, best, limit);
    best.lower = std::min(limit, best.upper);
    return best;
}

void Search::search_column(const Subset& subset, std::uint32_t column, const Task& task, const Solved& shallower,
                           Shares shares, Solved& best, Cost& limit) {
    if (subset.distinct(column) < 2) return;
    const auto stakes = stakes_of(subset, column);
    const auto evaluate = [&](const Test& test, Cost reach, Cost least_right) {
        const auto [left, right] = solve_branches(subset, test, task.depth - 1, shares, limit + reach, least_right);
        if (left.upper + right.upper < limit) {
            limit = best.upper = left.upper + right.upper;
            best.tree = std::make_shared<Choice>(Choice{test, left.tree, right.tree});
        }
        return TwoCosts{left.lower, right.lower};
    };
    const Cost all = shallower.lower;
    if (subset.problem->columns[column].ordered) {
        const Cuts cuts(stakes, {all, all});
        search_cuts(cuts, limit, [&](const Interval& in, const Cuts::Range& range, std::uint32_t cut) {
            return evaluate({Test::Kind::cut, column, subset.values[column][cut - 1]}, cuts.reach(range, cut),
                            cuts.lower_right(in, cut));
        });
        return;
    }
    each_set(subset, column, view_of(subset, column), [&](const Test& test, std::span<const std::uint32_t> values) {
        Cost at_stake = 0;
        for (const std::uint32_t v : values) at_stake += stakes[v];
        const Cost lower = std::max(all - at_stake, all - (subset.all_most - at_stake));
        if (lower < limit) evaluate(test, 0, std::max<Cost>(0, all - at_stake));
    });
}

}  // namespace vaglio::optimal
