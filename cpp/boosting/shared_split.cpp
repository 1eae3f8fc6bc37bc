// Splits of a tree whose leaves hold one value per output: the gains of all outputs are added up.
#include <algorithm>
#include <numbers>

#include "boosting/split.hpp"

namespace vaglio::boosting {
namespace {

class SharedSearch {
 public:
    explicit SharedSearch(const SplitTask& task) : task_(task) {
        for (const GradientSums& total : task.totals) {
            parent_ += part(total, 0.0);
            hessian_ += task.unit.hessian(total);
        }
    }

    // What one output gains on one side.
    double part(const GradientSums& sums, double extra_l2) const {
        const double g = task_.unit.gradient(sums), h = task_.unit.hessian(sums);
        return h < task_.config.min_hessian ? 0.0 : g * g / (h + task_.config.l2 + extra_l2 + tiny);
    }

    bool fits(std::uint64_t rows, double hessian) const {
        return rows >= task_.config.min_samples_leaf && task_.rows() - rows >= task_.config.min_samples_leaf &&
               hessian >= task_.config.min_hessian && hessian_ - hessian >= task_.config.min_hessian;
    }

    // Gains of dividing a list of slots after the first, the second, …, on top of what is on the left already.
    template <class Slot>
    void scan(const BinnedFeature& feature, std::size_t count, Slot slot, bool absent_left, double extra_l2) {
        gains_.assign(count, 0.0);
        hessians_.assign(count, 0.0);
        rows_.resize(count);
        for (std::size_t k = 0; k < task_.totals.size(); ++k) {
            const GradientSums* bins = task_.bins(feature, k);
            GradientSums left = absent_left ? bins[feature.bins] : GradientSums{};
            for (std::size_t i = 0; i < count; ++i) {
                left += bins[slot(i)];
                gains_[i] += part(left, extra_l2) + part(task_.totals[k] - left, extra_l2);
                hessians_[i] += task_.unit.hessian(left);
                rows_[i] = task_.unit.rows(left);
            }
        }
    }

    // The place of the first best division, if it gains more than `best`, which is then what it gains; else -1.
    std::int64_t choose(double chance, double& best) const {
        std::int64_t found = -1;
        for (std::size_t i = 0; i < gains_.size(); ++i) {
            const double gain = gains_[i] - parent_ - chance;
            if (gain <= std::max(best, task_.config.min_gain) || !fits(rows_[i], hessians_[i])) continue;
            best = gain;
            found = static_cast<std::int64_t>(i);
        }
        return found;
    }

    std::uint64_t rows_left(std::int64_t at) const { return rows_[static_cast<std::size_t>(at)]; }

 private:
    const SplitTask& task_;
    double parent_ = 0.0, hessian_ = 0.0;
    std::vector<double> gains_, hessians_;
    std::vector<std::uint64_t> rows_;
};

// The output whose gradients differ most among the categories: the order of its means is the order of the list.
std::size_t leading_output(const SplitTask& task, const BinnedFeature& feature) {
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t k = 0; k < task.totals.size(); ++k) {
        const GradientSums* bins = task.bins(feature, k);
        double spread = 0;
        for (std::uint32_t slot = 0; slot < feature.slots(); ++slot) {
            const double g = task.unit.gradient(bins[slot]);
            spread += g * g / (task.unit.hessian(bins[slot]) + task.config.nominal_smoothing + tiny);
        }
        if (spread > most) {
            most = spread;
            best = k;
        }
    }
    return best;
}

Split shared_subset(const SplitTask& task, const BinnedFeature& feature, std::size_t number, SharedSearch& search) {
    thread_local std::vector<Category> sorted;
    Split split;
    sort_categories(task, feature, leading_output(task, feature), sorted);
    if (sorted.size() < 2) return split;
    search.scan(
        feature, sorted.size() - 1, [&](std::size_t i) { return sorted[i].slot; }, false, task.config.nominal_l2);
    // What chance gains for the output that is sorted, it takes from the others: their gradients add up to zero.
    const auto outputs = static_cast<double>(task.totals.size());
    const bool guarded = static_cast<double>(feature.bins) > task.config.guarded_from;
    const double chance =
        guarded ? task.noise * static_cast<double>(sorted.size() - 2) * 2 / std::numbers::pi * outputs / (outputs - 1)
                : 0.0;
    const std::int64_t last = search.choose(chance, split.gain);
    if (last < 0) return split;
    const auto goes_left = [&](std::size_t i) { return i <= static_cast<std::size_t>(last); };
    split.feature = static_cast<std::int32_t>(number);
    split.missing_right = 2 * search.rows_left(last) < task.rows();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i].slot == feature.bins) split.missing_right = !goes_left(i);
    }
    split.right = right_side(feature, sorted, goes_left, split.missing_right);
    return split;
}

}  // namespace

Split best_shared_split(const SplitTask& task, const BinnedFeature& feature, std::size_t number) {
    SharedSearch search(task);
    if (feature.nominal) return shared_subset(task, feature, number, search);
    Split split;
    const bool missing = task.unit.rows(task.bins(feature)[feature.bins]) > 0;
    const std::size_t thresholds = feature.bins - 1;
    const auto slot = [](std::size_t bin) { return bin; };
    search.scan(feature, thresholds + (missing ? 1 : 0), slot, false, 0.0);
    std::int64_t found = search.choose(0.0, split.gain);
    if (found >= 0 && !missing) split.missing_right = 2 * search.rows_left(found) < task.rows();
    if (missing && thresholds > 0) {
        search.scan(feature, thresholds, slot, true, 0.0);
        if (const std::int64_t other = search.choose(0.0, split.gain); other >= 0) {
            found = other;
            split.missing_right = false;
        }
    }
    if (found < 0) return split;
    split.feature = static_cast<std::int32_t>(number);
    split.bin = static_cast<std::uint32_t>(found);
    if (task.config.middle_of_gaps) split.bin = middle_of_gap(task, feature, split.bin);
    return split;
}

}  // namespace vaglio::boosting
