// Nominal features: with categories in the order of their mean gradient, the best of all subsets is one of the
// beginnings of the list. Missing values are one more category.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "boosting/split.hpp"

namespace vaglio::boosting {

void sort_categories(const SplitTask& task, const BinnedFeature& feature, std::size_t output,
                     std::vector<Category>& sorted) {
    sorted.clear();
    const GradientSums* bins = task.bins(feature, output);
    const double support = static_cast<double>(task.rows()) / task.unit.hessian(task.totals[output]);
    for (std::uint32_t slot = 0; slot < feature.slots(); ++slot) {
        if (task.unit.rows(bins[slot]) == 0) continue;
        const bool few = task.unit.hessian(bins[slot]) * support < task.config.nominal_smoothing;
        if (task.config.like_scikit_learn && few) continue;
        const double hessian = task.unit.hessian(bins[slot]) + task.config.nominal_smoothing;
        sorted.push_back({task.unit.gradient(bins[slot]) / (hessian > 0 ? hessian : 1.0), slot});
    }
    std::sort(sorted.begin(), sorted.end(), [](const Category& a, const Category& b) {
        return a.order != b.order ? a.order < b.order : a.slot < b.slot;
    });
}

Split best_subset(const SplitTask& task, const BinnedFeature& feature, std::size_t number) {
    thread_local std::vector<Category> sorted;
    Split split;
    const GradientSums* bins = task.bins(feature);
    const GradientSums total = task.totals[0];
    sort_categories(task, feature, 0, sorted);
    if (sorted.size() < 2) return split;
    const SplitConfig& config = task.config;
    const double extra = config.nominal_l2, l2 = config.l2 + extra + tiny;
    const auto gain = [&](const GradientSums& sums) {
        const double g = task.unit.gradient(sums), h = task.unit.hessian(sums);
        return gain_of(config, g, h, l2, task.value_of(g, h, extra));
    };
    const auto enough = [&](const GradientSums& sums) {
        return task.unit.rows(sums) >= config.min_samples_leaf && task.unit.hessian(sums) >= config.min_hessian;
    };
    const double g = task.unit.gradient(total), h = task.unit.hessian(total);
    const double parent = gain_of(config, g, h, config.l2, task.values[0]);
    // Sorted noise gains too: every category beyond two adds what half a normal distribution has on its sides.
    const bool guarded = static_cast<double>(feature.bins) > config.guarded_from;
    const double chance = guarded ? task.noise * static_cast<double>(sorted.size() - 2) * 2 / std::numbers::pi : 0.0;
    double best = std::max(config.min_gain, 0.0);
    std::size_t taken = 0;
    bool taken_from_end = false;
    GradientSums left_sums;
    // Puts up to `most` categories left, one after the other, from the beginning or from the end of the list.
    const auto scan = [&](std::size_t most, bool from_end) {
        GradientSums left;
        for (std::size_t i = 0; i < most; ++i) {
            left += bins[sorted[from_end ? sorted.size() - 1 - i : i].slot];
            const GradientSums right = total - left;
            if (!enough(left)) continue;
            if (!enough(right)) break;
            const double gained = gain(left) + gain(right) - parent - chance;
            if (gained <= best) continue;
            best = split.gain = gained;
            taken = i + 1;
            taken_from_end = from_end;
            left_sums = left;
        }
    };
    if (config.like_scikit_learn) {  // categories of few rows stay with at least half of the others
        scan((sorted.size() + 1) / 2, false);
        scan((sorted.size() + 1) / 2 - 1, true);
    } else {
        scan(sorted.size() - 1, false);
    }
    if (taken == 0) return split;
    const auto goes_left = [&](std::size_t i) { return taken_from_end ? i + taken >= sorted.size() : i < taken; };
    split.feature = static_cast<std::int32_t>(number);
    split.missing_right = task.absent_right(feature, left_sums);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i].slot == feature.bins) split.missing_right = !goes_left(i);
    }
    split.right = right_side(feature, sorted, goes_left, split.missing_right || config.like_scikit_learn);
    return split;
}

}  // namespace vaglio::boosting
