// Let d be the weighed deviation of a row from the mean of the node, S their sum on the left of a cut, and L and R the
// weights of its sides. The deviations of all rows add up to 0, so the cut gains S²·N / (L·R).
//
// Within a bin, S is at most its value before the bin and all positive deviations of the bin, and at least the same
// less all negative ones. L lies between its values at the borders of the bin, and because a product of two numbers of
// given sum is concave, L·R is least at one of the ends. Near the ends of a column that says little, as one row on the
// left would allow any gain; but |S| is at most L, and R, times the largest deviation D of a row of weight one. With x
// for |S|, x² / max(L, x/D) grows with x, so that the largest S bounds the gain together with L >= S/D and R >= S/D.
//
// Deviations are rounded to whole units, of which 2^30 are the sum of either sign: their sums are exact in any order,
// and wrong by half a unit per row at most.
#include <algorithm>
#include <cmath>

#include "tree/sieve/open_rows.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/sieve/unknown.hpp"

namespace vaglio::tree {
namespace {

// The sums of 1024 bins are half of the first-level cache.
constexpr std::uint32_t most_bins = 1024, rows_per_bin = 8;
constexpr double most_units = 1 << 30;
// Of a double.
constexpr double rounding = 0x1p-53;

// A feature between adding up its bins and sorting what is left of it.
struct Sifted {
    sieve::BinOf bin_of;       // of a rank
    std::uint32_t n_bins = 0;  // none: no cut
    double border = no_score;  // what the best border gains at least
    double most = no_score;    // what any cut gains at most
};

class TargetSieve {
 public:
    TargetSieve(const NodeContext& context, ScanScratch& scratch)
        : context_(context),
          scratch_(scratch),
          own_(scratch.targets),
          n_(context.node.size),
          room_(std::min(n_ / rows_per_bin, most_bins)),
          least_(std::max(1.0, std::ceil(context.minimum.weight))) {
        take_deviations();
    }

    void run(std::span<const std::uint32_t> features, std::span<Candidate> candidates) {
        std::vector<Sifted> sifted(features.size());
        own_.bins.resize(features.size() * (room_ + 2u));
        std::size_t first = 0;
        for (std::size_t i = 0; i < features.size(); ++i) {
            candidates[i] = {};
            candidates[i].feature = static_cast<std::int32_t>(features[i]);
            sifted[i] = sift(i, features[i]);
            if (sifted[i].border > sifted[first].border) first = i;
        }
        floor_ = sifted[first].border;
        refine(first, sifted[first], candidates[first]);
        for (std::size_t i = 0; i < features.size(); ++i)
            if (i != first) refine(i, sifted[i], candidates[i]);
    }

 private:
    std::uint32_t column_of(std::uint32_t feature) const { return context_.data.features[feature].column; }
    std::size_t distinct(std::uint32_t feature) const { return context_.data.values[column_of(feature)].size(); }
    // Before the first bin there is one without rows, behind the last one of the rows of unknown value.
    TargetSums* bins(std::size_t i) { return own_.bins.data() + i * (room_ + 2u) + 1; }

    // Also finds how far rounding may take the score of a scan from the true one. A scan adds up n products of sum A of
    // magnitudes, so each side is wrong by (n + 1)·A·u at most; and a mean being at most the greatest target M, its
    // score by 2M times that. Six such errors come together in a gain, and M·A·u a few times.
    void take_deviations() {
        const GrowNode& node = context_.node;
        const double *targets = node.targets(), *weights = node.weights(), mean = context_.sums[0] / context_.weight;
        double above = 0, below = 0, magnitudes = 0, greatest = 0, farthest = 0;
        for (std::uint32_t i = 0; i < n_; ++i) {
            const double w = weights ? weights[i] : 1.0, d = targets[i] - mean;
            above += w * std::max(d, 0.0);
            below += w * std::max(-d, 0.0);
            farthest = std::max(farthest, std::abs(d));
            magnitudes += w * std::abs(targets[i]);
            greatest = std::max(greatest, std::abs(targets[i]));
        }
        const double scale = most_units / std::max({above, below, 1e-290}), rows = n_;
        own_.rows.resize(n_);
        for (std::uint32_t i = 0; i < n_; ++i) {
            const double w = weights ? weights[i] : 1.0, d = w * (targets[i] - mean) * scale;
            own_.rows[i] = {static_cast<std::int32_t>(w), static_cast<std::int32_t>(std::max(d, 0.0) + 0.5),
                            static_cast<std::int32_t>(std::max(-d, 0.0) + 0.5), 0};
            all_ += own_.rows[i];
        }
        units_ = context_.weight / (scale * scale);
        farthest_ = farthest * scale + 1;
        const double sum_error = (rows + 4) * magnitudes * rounding;
        unit_error_ = rows / 2 + 2 + 4 * scale * sum_error;
        slack_ = 32 * greatest * sum_error + 4e-12 * context_.weight;
    }

    // What a cut gains at least and at most, with S and L on its left.
    double at_least(double s, double left) const {
        const double sure = std::max(0.0, std::abs(s) - unit_error_);
        return sure * sure * units_ / (left * (context_.weight - left));
    }
    double at_most(double s, double left) const {
        const double possible = std::abs(s) + unit_error_;
        return possible * possible * units_ / (left * (context_.weight - left));
    }

    // What a cut inside a bin gains at most. `start` and `end` have all that lies on the left at its borders.
    double inside(const TargetSums& start, const TargetSums& end) const {
        const double before = start.sum();
        const double s = std::max(before + (end.above - start.above), (end.below - start.below) - before);
        if (end.weight - start.weight < 2) return no_score;
        const double nearest = std::max(least_, (s + unit_error_) / farthest_);
        double low = std::max<double>(start.weight, least_), high = std::min<double>(end.weight, most_left());
        if (low > high) return no_score;
        low = std::clamp(nearest, low, high);
        high = std::clamp(context_.weight - nearest, low, high);
        return std::max(at_most(s, low), at_most(s, high));
    }

    double most_left() const { return context_.weight - least_; }
    bool admissible(const TargetSums& left) const { return left.weight >= least_ && left.weight <= most_left(); }

    // The rows of unknown value stand on the right, or on the left.
    int sides(const TargetSums& known) const { return known.weight < all_.weight ? 2 : 1; }
    TargetSums standing(int side, const TargetSums& known) const { return side == 1 ? all_ - known : TargetSums{}; }

    // The ranks of the rows in their order, and their range.
    std::pair<std::uint32_t, std::uint32_t> gather(std::uint32_t feature) {
        const RankColumn from = context_.data.ranks_for(column_of(feature), n_);
        const std::uint32_t* rows = context_.node.rows();
        std::uint32_t least = missing_rank, greatest = 0;
        own_.ranks.resize(n_);
        std::uint32_t* ranks = own_.ranks.data();
        for (std::uint32_t i = 0; i < n_; ++i) {
            const std::uint32_t rank = ranks[i] = from[rows[i]];
            least = std::min(least, rank);
            greatest = std::max(greatest, rank == missing_rank ? 0 : rank);
        }
        return {least, greatest};
    }

    Sifted sift(std::size_t i, std::uint32_t feature) {
        const auto [least, greatest] = gather(feature);
        Sifted result;
        if (least == missing_rank) return result;
        result.bin_of.first = least;
        while (result.bin_of(greatest) >= room_) ++result.bin_of.shift;
        result.n_bins = result.bin_of(greatest) + 1;
        add_up(i, result);
        const TargetSums known = bins(i)[result.n_bins - 1];
        for (int side = 0; side < sides(known); ++side) score_bins(i, standing(side, known), result);
        if (sides(known) == 2 && admissible(known)) {
            result.border = std::max(result.border, at_least(known.sum(), known.weight));
            result.most = std::max(result.most, at_most(known.sum(), known.weight));
        }
        return result;
    }

    // Of each bin all that lies before its end.
    void add_up(std::size_t i, const Sifted& sifted) {
        TargetSums* to = bins(i);
        std::fill_n(to - 1, sifted.n_bins + 2u, TargetSums{});
        const sieve::BinOf bin_of = sifted.bin_of;
        const std::uint32_t n_bins = sifted.n_bins;
        const std::uint32_t* ranks = own_.ranks.data();
        const TargetSums* rows = own_.rows.data();
        for (std::uint32_t row = 0; row < n_; ++row) to[std::min(bin_of(ranks[row]), n_bins)] += rows[row];
        for (std::uint32_t bin = 1; bin < n_bins; ++bin) to[bin] += to[bin - 1];
    }

    void score_bins(std::size_t i, const TargetSums& standing, Sifted& sifted) {
        const TargetSums* running = bins(i);
        TargetSums start = standing;
        for (std::uint32_t bin = 0; bin < sifted.n_bins; ++bin) {
            const TargetSums end = standing + running[bin];
            if (sifted.bin_of.shift > 0) sifted.most = std::max(sifted.most, inside(start, end));
            if (parts(i, sifted, bin) && admissible(end)) {
                sifted.border = std::max(sifted.border, at_least(end.sum(), end.weight));
                sifted.most = std::max(sifted.most, at_most(end.sum(), end.weight));
            }
            start = end;
        }
    }

    // Whether rows of known value lie on either side of the border behind a bin.
    bool parts(std::size_t i, const Sifted& sifted, std::uint32_t bin) {
        return bins(i)[bin].weight > 0 && bins(i)[bin].weight < bins(i)[sifted.n_bins - 1].weight;
    }

    // What a feature has to reach: `pick` takes for ties what differs by less than a part in 10^12, and `judge` for
    // nothing what is less than that part of the weight.
    double bar() const { return floor_ * (1 - 4e-12) - 2 * slack_; }

    void refine(std::size_t i, const Sifted& sifted, Candidate& candidate) {
        const auto feature = static_cast<std::uint32_t>(candidate.feature);
        const bool hopeless = sifted.most < bar();
        if (sifted.n_bins == 0 || hopeless) return;
        if (sifted.border < bar() && !opens(i, sifted, feature)) return;
        candidate = scan_threshold(context_, candidate.feature, no_order, scratch_);
        if (candidate.valid) floor_ = std::max(floor_, candidate.gain * context_.weight - slack_);
    }

    // Whether a cut may reach the bar, by the rows of the bins of which it is not known yet.
    bool opens(std::size_t i, const Sifted& sifted, std::uint32_t feature) {
        const TargetSums known = bins(i)[sifted.n_bins - 1];
        gather(feature);
        for (int side = 0; side < sides(known); ++side)
            if (reaches(i, sifted, standing(side, known), feature)) return true;
        return sides(known) == 2 && admissible(known) && at_most(known.sum(), known.weight) >= bar();
    }

    bool reaches(std::size_t i, const Sifted& sifted, const TargetSums& standing, std::uint32_t feature) {
        const TargetSums* running = bins(i);
        own_.open.resize(sifted.n_bins);
        bool any = false;
        for (std::uint32_t bin = 0; bin < sifted.n_bins; ++bin) {
            const TargetSums start = standing + running[static_cast<std::int64_t>(bin) - 1],
                             end = standing + running[bin];
            if (parts(i, sifted, bin) && admissible(end) && at_most(end.sum(), end.weight) >= bar()) return true;
            own_.open[bin] = sifted.bin_of.shift > 0 && inside(start, end) >= bar();
            any |= own_.open[bin] != 0;
        }
        return any && reaches_inside(i, sifted, standing, feature);
    }

    bool reaches_inside(std::size_t i, const Sifted& sifted, const TargetSums& standing, std::uint32_t feature) {
        sieve::sort_open_ranks(own_.ranks.data(), n_, sifted.bin_of, own_.open, distinct(feature), scratch_.keys,
                               scratch_.spare_keys);
        TargetSums left;
        std::uint32_t last_bin = most_bins, last_rank = 0;
        for (const std::uint64_t key : scratch_.keys) {
            const auto rank = static_cast<std::uint32_t>(key >> 32), row = static_cast<std::uint32_t>(key);
            const std::uint32_t bin = sifted.bin_of(rank);
            if (bin != last_bin) {
                left = standing + bins(i)[static_cast<std::int64_t>(bin) - 1];
            } else if (rank != last_rank && admissible(left) && at_most(left.sum(), left.weight) >= bar()) {
                return true;
            }
            left += own_.rows[row];
            last_bin = bin;
            last_rank = rank;
        }
        return false;
    }

    const NodeContext& context_;
    ScanScratch& scratch_;
    TargetScratch& own_;
    const std::uint32_t n_, room_;  // rows, and most bins of a feature
    const double least_;            // weight of a side
    TargetSums all_;
    double units_ = 0;       // of gains, per square of a unit of deviations
    double farthest_ = 0;    // the largest deviation, in units
    double unit_error_ = 0;  // of a sum of deviations, in units
    double slack_ = 0;       // of gains
    double floor_ = no_score;
};

}  // namespace

bool sieves_targets(const TreeData& data, const TreeConfig& config) {
    return config.sieve && config.criterion == Criterion::squared_error && config.monotonic.empty() &&
           !config.random_thresholds && config.missing == MissingPolicy::learned && data.classes == 0 &&
           !data.outputs && data.rows > fewest_sieved_targets;
}

bool sieves_targets(const NodeContext& context) {
    const RowStore& store = *context.node.store;
    return context.node.size > fewest_sieved_targets && store.integral && context.weight <= most_units &&
           (!store.weighted || context.minimum.rows <= 1) && sieves_targets(context.data, context.config);
}

void scan_targets(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                  std::span<Candidate> candidates) {
    TargetSieve(context, scratch).run(features, candidates);
}

}  // namespace vaglio::tree
