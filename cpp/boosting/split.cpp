#include "boosting/split.hpp"

#include <algorithm>

#include "boosting/gain_loops.hpp"

namespace vaglio::boosting {
namespace {

// Sums of the left side of every threshold, as the loop over gains reads them: whole numbers, which it makes real
// several at a time.
struct Prefix {
    std::vector<std::int64_t> gradient, hessian, rows;
    std::vector<double> gains;

    void fill(const SplitTask& task, const GradientSums* bins, std::size_t count, GradientSums sums) {
        gradient.resize(count);
        rows.resize(count);
        gains.resize(count);
        if (task.unit.shift == 0) {  // the number of rows is the Hessian
            for (std::size_t b = 0; b < count; ++b) {
                sums += bins[b];
                gradient[b] = sums.gradient;
                rows[b] = static_cast<std::int64_t>(sums.packed);
            }
            return;
        }
        hessian.resize(count);
        for (std::size_t b = 0; b < count; ++b) {
            sums += bins[b];
            gradient[b] = sums.gradient;
            hessian[b] = static_cast<std::int64_t>(sums.packed & task.unit.mask);
            rows[b] = static_cast<std::int64_t>(task.unit.rows(sums));
        }
    }
    const std::int64_t* hessians(const FixedPoint& unit) const { return (unit.shift == 0 ? rows : hessian).data(); }
};

class ThresholdSearch {
 public:
    ThresholdSearch(const SplitTask& task, std::size_t number)
        : task_(task),
          all_gradient_(task.unit.gradient(task.totals[0])),
          all_hessian_(task.unit.hessian(task.totals[0])),
          l2_(task.config.l2 + tiny),
          direction_(task.config.monotonic.empty() ? 0 : task.config.monotonic[number]),
          bound_(direction_ != 0 || !task.range.free()),
          parent_(gain_of(task.config, all_gradient_, all_hessian_, l2_, task.values[0])) {}

    // The best of `count` thresholds; of equal ones the first, or the last. -1: none gains enough.
    std::int64_t search(Prefix& prefix, std::size_t count, double& best, bool last) {
        const GainTask gains{count,
                             prefix.gradient.data(),
                             prefix.hessians(task_.unit),
                             prefix.rows.data(),
                             task_.unit.gradient_unit,
                             task_.unit.hessian_unit,
                             all_gradient_,
                             all_hessian_,
                             static_cast<double>(task_.rows()),
                             l2_,
                             task_.config.min_hessian,
                             static_cast<double>(task_.config.min_samples_leaf)};
        static const auto loop = VAGLIO_LEVELS(threshold_gains).best();
        double top = loop(gains, prefix.gains.data());
        if (bound_) top = constrain(prefix, count);
        const double gained = bound_ ? top : top - parent_;
        if (top < 0 || gained <= std::max(best, task_.config.min_gain)) return -1;
        best = gained;
        const auto begin = prefix.gains.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
        if (!last) return std::find(begin, end, top) - begin;
        std::int64_t at = static_cast<std::int64_t>(count) - 1;
        while (prefix.gains[static_cast<std::size_t>(at)] != top) --at;
        return at;
    }

 private:
    // What is gained beyond the parent once both values are brought into the range and in the order that the constraint
    // asks for; -1: not allowed, or nothing. Only the difference counts: where a value is not its node's own, what the
    // node and even both sides together gain may be negative.
    double constrain(Prefix& prefix, std::size_t count) const {
        double top = -1.0;
        const std::int64_t* hessians = prefix.hessians(task_.unit);
        for (std::size_t b = 0; b < count; ++b) {
            if (prefix.gains[b] < 0) continue;
            const double gl = static_cast<double>(prefix.gradient[b]) * task_.unit.gradient_unit;
            const double hl = static_cast<double>(hessians[b]) * task_.unit.hessian_unit;
            const double gr = all_gradient_ - gl, hr = all_hessian_ - hl;
            const double vl = task_.value_of(gl, hl), vr = task_.value_of(gr, hr);
            const bool ordered = direction_ == 0 || (direction_ > 0 ? vl <= vr : vl >= vr);
            const double gain = gain_of(task_.config, gl, hl, l2_, vl) + gain_of(task_.config, gr, hr, l2_, vr);
            // Where one bound is the value of both sides, it is the node's: what seems to be gained is rounding.
            prefix.gains[b] = ordered && vl != vr && gain > parent_ ? gain - parent_ : -1.0;
            top = std::max(top, prefix.gains[b]);
        }
        return top;
    }

    const SplitTask& task_;
    double all_gradient_, all_hessian_, l2_;
    int direction_;
    bool bound_;
    double parent_;
};

}  // namespace

std::uint32_t middle_of_gap(const SplitTask& task, const BinnedFeature& feature, std::uint32_t bin) {
    const GradientSums* bins = task.bins(feature);
    std::uint32_t end = bin;
    while (end + 2 < feature.bins && task.unit.rows(bins[end + 1]) == 0) ++end;
    return bin + (end - bin) / 2;
}

double SplitTask::value_of(double gradient, double hessian, double extra_l2) const {
    // Of several outputs, one may have left a node: what is rounded away is no reason for a large step.
    if (!alone() && hessian < config.min_hessian) return 0.0;
    return std::clamp(-gradient / (hessian + config.l2 + extra_l2 + tiny), range.lower, range.upper);
}

bool SplitTask::absent_right(const BinnedFeature& feature, const GradientSums& left) const {
    const std::uint64_t on_left = unit.rows(left), on_right = rows() - on_left;
    if (!config.like_scikit_learn) return on_right > on_left;
    return feature.missing || on_right >= on_left;
}

Sides SplitTask::sides(const BinnedFeature& feature, const Split& split) const {
    Sides found;
    const double extra = feature.nominal ? config.nominal_l2 : 0.0;
    for (std::size_t k = 0; k < totals.size(); ++k) {
        const GradientSums* own = bins(feature, k);
        GradientSums left;
        for (std::uint32_t bin = 0; bin <= feature.bins; ++bin) {
            if (!goes_right(feature, bin, split.bin, split.missing_right, split.right)) left += own[bin];
        }
        const GradientSums right = totals[k] - left;
        found.left_sums.push_back(left);
        found.right_sums.push_back(right);
        found.left_values.push_back(value_of(left, extra));
        found.right_values.push_back(value_of(right, extra));
    }
    return found;
}

Split best_split(const SplitTask& task, const BinnedFeature& feature, std::size_t number) {
    if (!task.alone()) return best_shared_split(task, feature, number);
    if (feature.nominal) return best_subset(task, feature, number);
    thread_local Prefix prefix;
    Split split;
    ThresholdSearch search(task, number);
    const GradientSums* bins = task.bins(feature);
    const GradientSums absent = bins[feature.bins];
    const bool missing = task.unit.rows(absent) > 0;
    // With missing values on the right, the last "threshold" separates them from all others.
    const std::size_t thresholds = feature.bins - 1;
    prefix.fill(task, bins, thresholds + (missing ? 1 : 0), {});
    std::int64_t found = search.search(prefix, prefix.gains.size(), split.gain, false);
    if (missing && thresholds > 0) {
        prefix.fill(task, bins, thresholds, absent);
        if (const std::int64_t other = search.search(prefix, thresholds, split.gain, true); other >= 0) {
            found = other;
            split.missing_right = false;
        }
    }
    if (found < 0) return split;
    split.feature = static_cast<std::int32_t>(number);
    split.bin = static_cast<std::uint32_t>(found);
    if (!missing) {
        GradientSums left;
        for (std::uint32_t b = 0; b <= split.bin; ++b) left += bins[b];
        split.missing_right = task.absent_right(feature, left);
    }
    if (task.config.middle_of_gaps) split.bin = middle_of_gap(task, feature, split.bin);
    return split;
}

}  // namespace vaglio::boosting
