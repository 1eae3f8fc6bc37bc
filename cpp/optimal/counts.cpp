#include "optimal/counts.hpp"

#include <algorithm>
#include <bit>

#include "optimal/gain.hpp"

namespace vaglio::optimal {
namespace {

Cost best_cut(const Cost* counts, const ValueView& view, std::span<const Cost> total) {
    const std::uint32_t values = view.values;
    Cost best = 0;
    if (total.size() == 2) {
        Cost a = 0, b = 0;
        const Cost all_a = total[0], all_b = total[1];
        for (std::uint32_t v = 0; v + 1 < values; ++v) {
            a += counts[2 * v];
            b += counts[2 * v + 1];
            best = std::max(best, std::max(a, b) + std::max(all_a - a, all_b - b));
        }
        return best;
    }
    std::vector<Cost> sum(total.size(), 0);
    for (std::uint32_t v = 0; v + 1 < values; ++v) {
        for (std::size_t k = 0; k < total.size(); ++k) sum[k] += counts[v * total.size() + k];
        best = std::max(best, gain_of_two(sum.data(), total, view.numbers));
    }
    return best;
}

Cost best_mask(const Cost* counts, const ValueView& view, std::span<const Cost> total) {
    const std::uint32_t values = view.values;
    if (values < 2) return 0;
    const std::size_t labels = total.size();
    // The sums of all sets without the last value: each is a smaller set and one value more.
    std::vector<Cost> sums((std::size_t{1} << (values - 1)) * labels, 0);
    Cost best = 0;
    for (std::uint32_t mask = 1; mask < 1u << (values - 1); ++mask) {
        const std::uint32_t rest = mask & (mask - 1);
        const auto value = static_cast<std::uint32_t>(std::countr_zero(mask));
        Cost* sum = sums.data() + mask * labels;
        for (std::size_t k = 0; k < labels; ++k) sum[k] = sums[rest * labels + k] + counts[value * labels + k];
        best = std::max(best, gain_of_two(sum, total, view.numbers));
    }
    return best;
}

Cost best_value(const Cost* counts, const ValueView& view, std::span<const Cost> total) {
    const std::size_t labels = total.size();
    if (view.values < 2) return 0;
    Cost best = 0;
    std::vector<Cost> sum(labels);
    for (std::uint32_t v = 0; v < view.values; ++v) {
        best = std::max(best, gain_of_two(counts + v * labels, total, view.numbers));
        if (view.missing == no_code || v == view.missing) continue;
        for (std::size_t k = 0; k < labels; ++k) sum[k] = counts[v * labels + k] + counts[view.missing * labels + k];
        best = std::max(best, gain_of_two(sum.data(), total, view.numbers));
    }
    for (const auto& set : view.sets) {
        std::fill(sum.begin(), sum.end(), 0);
        for (const std::uint32_t v : set)
            for (std::size_t k = 0; k < labels; ++k) sum[k] += counts[v * labels + k];
        best = std::max(best, gain_of_two(sum.data(), total, view.numbers));
    }
    return best;
}

TwoGains best_cuts_of_two_labels(const Cost* left, const Cost* all, std::uint32_t values, const Cost* left_total,
                                 const Cost* right_total) {
    Cost a = 0, b = 0, c = 0, d = 0;
    TwoGains best{0, 0};
    for (std::uint32_t v = 0; v + 1 < values; ++v) {
        const Cost first = left[2 * v], second = left[2 * v + 1];
        a += first;
        b += second;
        c += all[2 * v] - first;
        d += all[2 * v + 1] - second;
        best.left = std::max(best.left, std::max(a, b) + std::max(left_total[0] - a, left_total[1] - b));
        best.right = std::max(best.right, std::max(c, d) + std::max(right_total[0] - c, right_total[1] - d));
    }
    return best;
}

void visit_values(std::uint32_t column, const Subset& subset, const ValueView& view, const Visit& visit) {
    for (std::uint32_t v = 0; v < view.values; ++v) {
        const std::uint32_t code = subset.values[column][v];
        // Of two values, either alone is the same test.
        const std::uint32_t alone[] = {v};
        if (v == 0 || view.values > 2) visit({Test::Kind::value, column, code}, alone);
        if (view.missing == no_code || v == view.missing || view.values < 4) continue;
        const std::uint32_t both[] = {v, view.missing};
        visit({Test::Kind::value_or_missing, column, code}, both);
    }
    for (std::size_t s = 0; s < view.sets.size(); ++s)
        visit({Test::Kind::set, column, view.set_numbers[s]}, view.sets[s]);
}

}  // namespace

ValueView view_of(const Subset& subset, std::uint32_t column) {
    const Column& whole = subset.problem->columns[column];
    const auto& values = subset.values[column];
    ValueView view;
    view.ordered = whole.ordered;
    view.numbers = subset.problem->numbers;
    view.all_sets = whole.all_sets;
    view.values = static_cast<std::uint32_t>(values.size());
    for (std::uint32_t v = 0; v < view.values; ++v)
        if (values[v] == whole.missing) view.missing = v;
    for (std::uint32_t s = 0; s < whole.sets.size(); ++s) {
        std::vector<std::uint32_t> left;
        for (std::uint32_t v = 0; v < view.values; ++v)
            if (whole.sets[s][values[v]]) left.push_back(v);
        if (left.empty() || left.size() == view.values) continue;
        view.sets.push_back(std::move(left));
        view.set_numbers.push_back(s);
    }
    return view;
}

void each_set(const Subset& subset, std::uint32_t column, const ValueView& view, const Visit& visit) {
    if (view.values < 2) return;
    if (!view.all_sets) {
        visit_values(column, subset, view, visit);
        return;
    }
    std::vector<std::uint32_t> left;
    for (std::uint32_t mask = 1; mask < 1u << (view.values - 1); ++mask) {
        std::uint32_t codes = 0;
        left.clear();
        for (std::uint32_t v = 0; v < view.values; ++v) {
            if (!(mask >> v & 1u)) continue;
            left.push_back(v);
            codes |= 1u << subset.values[column][v];
        }
        visit({Test::Kind::mask, column, codes}, left);
    }
}

std::vector<Cost> gains_of(const Subset& subset, std::uint32_t column) {
    const std::size_t labels = subset.total.size();
    std::vector<Cost> counts(subset.distinct(column) * labels, 0);
    const Marks& marks = subset.problem->marks;
    const std::uint32_t mark = marks.of_column(column);
    if (mark != Marks::none) {
        const Cost* marked = subset.marked_gains.data() + mark * labels;
        for (std::size_t v = 0; v < subset.distinct(column); ++v)
            for (std::size_t k = 0; k < labels; ++k)
                counts[v * labels + k] =
                    subset.values[column][v] == marks.code(mark) ? marked[k] : subset.total[k] - marked[k];
        return counts;
    }
    const auto& codes = subset.codes[column];
    for (std::size_t i = 0; i < subset.size; ++i) counts[codes[i] * labels + subset.label[i]] += subset.gain[i];
    return counts;
}

std::vector<Cost> stakes_of(const Subset& subset, std::uint32_t column) {
    std::vector<Cost> stakes(subset.distinct(column), 0);
    const Marks& marks = subset.problem->marks;
    const std::uint32_t mark = marks.of_column(column);
    if (mark != Marks::none) {
        const Cost marked = subset.marked_stakes[mark];
        for (std::size_t v = 0; v < stakes.size(); ++v)
            stakes[v] = subset.values[column][v] == marks.code(mark) ? marked : subset.all_most - marked;
        return stakes;
    }
    const auto& codes = subset.codes[column];
    for (std::size_t i = 0; i < subset.size; ++i) stakes[codes[i]] += subset.most[i];
    return stakes;
}

Cost best_division(const Cost* counts, const ValueView& view, std::span<const Cost> total) {
    if (view.ordered) return best_cut(counts, view, total);
    return view.all_sets ? best_mask(counts, view, total) : best_value(counts, view, total);
}

TwoGains best_divisions(const Cost* left, const Cost* all, const ValueView& view, std::span<const Cost> left_total,
                        std::span<const Cost> right_total, std::vector<Cost>& scratch) {
    const std::size_t labels = left_total.size();
    if (view.ordered && labels == 2)
        return best_cuts_of_two_labels(left, all, view.values, left_total.data(), right_total.data());
    scratch.resize(view.values * labels);
    for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = all[i] - left[i];
    return {best_division(left, view, left_total), best_division(scratch.data(), view, right_total)};
}

}  // namespace vaglio::optimal
