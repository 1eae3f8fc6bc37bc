#include <algorithm>

#include "optimal/gain.hpp"
#include "optimal/search.hpp"

namespace vaglio::optimal {
namespace {

// The first cut that gains this much.
Test find_cut(const Subset& subset, std::uint32_t column, const std::vector<Cost>& counts, Cost gain) {
    const std::size_t labels = subset.total.size();
    std::vector<Cost> sum(labels, 0);
    for (std::uint32_t v = 0; v + 1 < subset.distinct(column); ++v) {
        for (std::size_t k = 0; k < labels; ++k) sum[k] += counts[v * labels + k];
        if (gain_of_two(sum.data(), subset.total, subset.problem->numbers) == gain)
            return {Test::Kind::cut, column, subset.values[column][v]};
    }
    return {};
}

Test find_set(const Subset& subset, std::uint32_t column, const std::vector<Cost>& counts, const ValueView& view,
              Cost gain) {
    const std::size_t labels = subset.total.size();
    std::vector<Cost> sum(labels);
    Test found;
    each_set(subset, column, view, [&](const Test& test, std::span<const std::uint32_t> values) {
        if (found.kind != Test::Kind::none) return;
        std::fill(sum.begin(), sum.end(), 0);
        for (const std::uint32_t v : values)
            for (std::size_t k = 0; k < labels; ++k) sum[k] += counts[v * labels + k];
        if (gain_of_two(sum.data(), subset.total, view.numbers) == gain) found = test;
    });
    return found;
}

}  // namespace

Solved solve_depth_one(const Subset& subset, std::uint32_t leaves) {
    const Cost leaf = subset.leaf_cost();
    if (leaves < 2) return {leaf, leaf, nullptr};
    Cost best = 0;
    std::uint32_t chosen = no_code;
    for (std::uint32_t column = 0; column < subset.values.size(); ++column) {
        if (subset.distinct(column) < 2) continue;
        const Cost gain = best_division(gains_of(subset, column).data(), view_of(subset, column), subset.total);
        if (gain > best) {
            best = gain;
            chosen = column;
        }
    }
    const Cost cost = subset.all_most - best + 2 * subset.problem->leaf_price;
    if (chosen == no_code || cost >= leaf) return {leaf, leaf, nullptr};
    const auto counts = gains_of(subset, chosen);
    const ValueView view = view_of(subset, chosen);
    const Test test =
        view.ordered ? find_cut(subset, chosen, counts, best) : find_set(subset, chosen, counts, view, best);
    return {cost, cost, std::make_shared<Choice>(Choice{test, nullptr, nullptr})};
}

}  // namespace vaglio::optimal
