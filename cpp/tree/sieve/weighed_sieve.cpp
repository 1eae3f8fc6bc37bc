// As in tree/sieve: rows are weighed in bins of neighbouring ranks, and the borders of the bins give a score that the
// winner has to reach. Then only the rows of bins that may still reach it are sorted. Of all ways to divide a bin, none
// scores more than the best of those that put each class wholly on one side, because the score is convex.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tree/sieve/open_rows.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

// The ways to divide a bin double with each class.
constexpr std::size_t most_classes = 4;
// Kept orders pay off where tables are small or trees grow on to small nodes.
constexpr std::size_t fewest_rows = 1 << 13;
constexpr std::uint32_t deepest = 8;
// The weights of 1024 bins of two classes fill a third of the first-level cache.
constexpr std::uint32_t most_bins = 1024, rows_per_bin = 64;
// Relative: less than any difference between scores that matters, more than the rounding of a comparison.
constexpr double tolerance = 1e-12;

// Adding it and taking it away again rounds a number below it to a whole one.
constexpr double shifter = 0x1p52;

constexpr double none = -std::numeric_limits<double>::infinity();

constexpr double square(double x) { return x * x; }

// Weights of the classes; `width` is two or four, and classes that are not there weigh nothing.
template <std::size_t width>
struct ClassWeights {
    double of[width] = {};

    double sum() const {
        double total = 0;
        for (const double w : of) total += w;
        return total;
    }
    double squares() const {
        double total = 0;
        for (const double w : of) total += w * w;
        return total;
    }
};

template <std::size_t width>
class WeighedSieve {
 public:
    WeighedSieve(const NodeContext& context, WeighedScratch& scratch)
        : context_(context),
          scratch_(scratch),
          n_(context.node.size),
          room_(std::clamp(n_ / rows_per_bin, 1u, most_bins)) {
        const GrowNode& node = context.node;
        // Sums of so many bits are exact.
        scale_ = std::ldexp(1.0, std::min(51 - std::ilogb(context.weight), 1000));
        scratch_.weights.resize(n_);
        for (std::uint32_t i = 0; i < n_; ++i) {
            scratch_.weights[i] = (node.weights()[i] * scale_ + shifter) - shifter;
            totals_.of[node.labels()[i]] += scratch_.weights[i];
        }
        total_ = totals_.sum();
    }

    void run(std::span<const std::uint32_t> features, std::span<Candidate> candidates) {
        std::vector<Sifted> sifted(features.size());
        scratch_.bins.resize(features.size() * room_ * width);
        for (std::size_t i = 0; i < features.size(); ++i) {
            candidates[i] = {};
            candidates[i].feature = static_cast<std::int32_t>(features[i]);
            sifted[i] = sift(i, features[i]);
            if (sifted[i].border.score > floor_) floor_ = sifted[i].border.score;
        }
        for (std::size_t i = 0; i < features.size(); ++i) refine(i, sifted[i], candidates[i]);
    }

 private:
    using Weights = ClassWeights<width>;

    struct Cut {
        double score = none;
        std::uint32_t bin = 0;               // behind which it is, or in which
        std::uint32_t lower = 0, upper = 0;  // ranks, where they are known already
        double left = 0;
    };

    // A feature between weighing its bins and sorting what is left of it.
    struct Sifted {
        sieve::BinOf bin_of;       // of a rank
        std::uint32_t n_bins = 0;  // none: all ranks are equal
        Cut border;
    };

    // The weights of each bin; from scan_borders on, of all bins up to it.
    double* bins(std::size_t i) { return scratch_.bins.data() + i * room_ * width; }
    Weights up_to(const double* running, std::uint32_t bin) const {
        Weights weights;
        std::copy_n(running + bin * width, width, weights.of);
        return weights;
    }
    Weights before(const double* running, std::uint32_t bin) const {
        return bin > 0 ? up_to(running, bin - 1) : Weights{};
    }

    double score(const Weights& left) const {
        Weights right;
        for (std::size_t c = 0; c < width; ++c) right.of[c] = totals_.of[c] - left.of[c];
        const double weight = left.sum();
        return left.squares() / weight + right.squares() / (total_ - weight);
    }

    // The ranks of the rows in their order: those of the table where the node has all its rows.
    const std::uint32_t* gather(std::uint32_t feature) {
        const std::uint32_t column = context_.data.features[feature].column;
        if (n_ == context_.data.rows) return context_.data.rank_column(column);
        const RankColumn from = context_.data.ranks_for(column, n_);
        const std::uint32_t* rows = context_.node.rows();
        scratch_.ranks.resize(n_);
        for (std::uint32_t i = 0; i < n_; ++i) scratch_.ranks[i] = from[rows[i]];
        return scratch_.ranks.data();
    }

    Sifted sift(std::size_t i, std::uint32_t feature) {
        const std::uint32_t* ranks = gather(feature);
        std::uint32_t least = 0;
        auto greatest =
            static_cast<std::uint32_t>(context_.data.values[context_.data.features[feature].column].size() - 1);
        if (n_ < context_.data.rows) {
            const auto [low, high] = std::minmax_element(ranks, ranks + n_);
            least = *low;
            greatest = *high;
        }
        if (least == greatest) return {};
        Sifted result;
        result.bin_of.first = least;
        while (result.bin_of(greatest) >= room_) ++result.bin_of.shift;
        result.n_bins = result.bin_of(greatest) + 1;
        weigh(i, ranks, result);
        scan_borders(i, result);
        return result;
    }

    void weigh(std::size_t i, const std::uint32_t* ranks, const Sifted& sifted) {
        const Label* labels = context_.node.labels();
        const double* weights = scratch_.weights.data();
        double* own = bins(i);
        std::fill_n(own, sifted.n_bins * width, 0.0);
        const sieve::BinOf bin_of = sifted.bin_of;
        for (std::uint32_t row = 0; row < n_; ++row) own[bin_of(ranks[row]) * width + labels[row]] += weights[row];
    }

    void scan_borders(std::size_t i, Sifted& sifted) {
        double* running = bins(i);
        for (std::uint32_t bin = 0; bin + 1 < sifted.n_bins; ++bin) {
            const Weights left = up_to(running, bin);
            const double found = score(left);
            if (found > sifted.border.score) sifted.border = {found, bin, 0, 0, left.sum()};
            for (std::size_t c = 0; c < width; ++c) running[(bin + 1) * width + c] += left.of[c];
        }
    }

    // What a class adds to a side where all its rows of a bin stand on the right or on the left.
    struct Side {
        double weight[2], left_square[2], right_square[2];
    };

    // Whether a way to divide a bin may reach the floor. A bin of one class has its best cut at a border.
    bool may_win(const Weights& before, const Weights& behind, double least) const {
        unsigned there = 0;
        Side sides[width];
        for (unsigned c = 0; c < width; ++c) {
            there |= static_cast<unsigned>(behind.of[c] > before.of[c]) << c;
            const double low = before.of[c], high = behind.of[c], total = totals_.of[c];
            sides[c] = {{low, high}, {low * low, high * high}, {square(total - low), square(total - high)}};
        }
        if (std::popcount(there) < 2) return false;
        for (unsigned left = (there - 1) & there; left > 0; left = (left - 1) & there) {
            double weight = 0, left_squares = 0, right_squares = 0;
            for (unsigned c = 0; c < width; ++c) {
                const unsigned side = left >> c & 1;
                weight += sides[c].weight[side];
                left_squares += sides[c].left_square[side];
                right_squares += sides[c].right_square[side];
            }
            const double rest = total_ - weight;
            if (left_squares * rest + right_squares * weight >= least * weight * rest) return true;
        }
        return false;
    }

    std::uint32_t mark_open(std::size_t i, const Sifted& sifted) {
        if (sifted.bin_of.shift == 0) return 0;
        const double* running = bins(i);
        const double least = std::max(0.0, floor_ * (1 - tolerance));
        std::uint32_t count = 0;
        scratch_.open.resize(sifted.n_bins);
        for (std::uint32_t bin = 0; bin < sifted.n_bins; ++bin) {
            const bool open = may_win(before(running, bin), up_to(running, bin), least);
            scratch_.open[bin] = open;
            count += open;
        }
        return count;
    }

    void refine(std::size_t i, const Sifted& sifted, Candidate& candidate) {
        if (sifted.n_bins == 0) return;
        const auto feature = static_cast<std::uint32_t>(candidate.feature);
        const bool any = mark_open(i, sifted) > 0;
        const double least = floor_ * (1 - tolerance);
        if (!any && !(sifted.border.score >= least)) return;
        const std::uint32_t* ranks = gather(feature);
        Cut best = any ? scan_open(i, sifted, ranks, feature) : Cut{};
        // A cut inside a bin comes before the border behind it, and wins if they are equal.
        const Cut& border = sifted.border;
        if (border.score > best.score || (border.score == best.score && border.bin < best.bin)) {
            best = border;
            find_ranks(sifted, ranks, best);
        }
        if (!(best.score >= least) || best.score == none) return;
        floor_ = std::max(floor_, best.score);
        accept(best, candidate);
    }

    // Sorts the rows of the open bins alone.
    Cut scan_open(std::size_t i, const Sifted& sifted, const std::uint32_t* ranks, std::uint32_t feature) {
        const std::size_t values = context_.data.values[context_.data.features[feature].column].size();
        sieve::sort_open_ranks(ranks, n_, sifted.bin_of, scratch_.open, values, scratch_.keys, scratch_.spare);
        const Label* labels = context_.node.labels();
        const double* running = bins(i);
        Cut best;
        Weights left;
        std::uint32_t last_bin = most_bins, last_rank = 0;
        for (const std::uint64_t key : scratch_.keys) {
            const auto rank = static_cast<std::uint32_t>(key >> 32), row = static_cast<std::uint32_t>(key);
            const std::uint32_t bin = sifted.bin_of(rank);
            if (bin != last_bin) {
                left = before(running, bin);
            } else if (rank != last_rank) {
                const double found = score(left);
                if (found > best.score) best = {found, bin, last_rank, rank, left.sum()};
            }
            left.of[labels[row]] += scratch_.weights[row];
            last_bin = bin;
            last_rank = rank;
        }
        return best;
    }

    // The greatest rank up to a border and the least behind it.
    void find_ranks(const Sifted& sifted, const std::uint32_t* ranks, Cut& border) const {
        border.upper = UINT32_MAX;
        for (std::uint32_t row = 0; row < n_; ++row) {
            const bool behind = sifted.bin_of(ranks[row]) > border.bin;
            border.lower = std::max(border.lower, behind ? 0 : ranks[row]);
            border.upper = std::min(border.upper, behind ? ranks[row] : UINT32_MAX);
        }
    }

    void accept(const Cut& cut, Candidate& candidate) const {
        const double sides[] = {cut.left / scale_, (total_ - cut.left) / scale_};
        candidate.lower = cut.lower;
        candidate.upper = cut.upper;
        judge(context_, candidate, (cut.score - totals_.squares() / total_) / scale_, 0, sides, 0);
    }

    const NodeContext& context_;
    WeighedScratch& scratch_;
    std::uint32_t n_, room_;  // rows, and most bins of a feature
    double scale_ = 1, total_ = 0, floor_ = none;
    Weights totals_;
};

}  // namespace

bool weighs_rows(const TreeData& data, const TreeConfig& config) {
    return config.criterion == Criterion::gini && data.classes >= 2 && data.classes <= most_classes &&
           data.rows >= fewest_rows && config.max_depth <= deepest && config.missing != MissingPolicy::fractional &&
           config.monotonic.empty() && !config.oblique && !config.random_thresholds && !config.mdl_correction &&
           !config.c45_numeric_minimum;
}

bool weighs_rows(const NodeContext& context) {
    return context.node.store->weighted && !counts_whole(context) && context.minimum.weight <= 0 &&
           context.minimum.rows <= 1 && weighs_rows(context.data, context.config);
}

void scan_weighed(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                  std::span<Candidate> candidates) {
    if (context.data.classes == 2) {
        WeighedSieve<2>(context, scratch.weighed).run(features, candidates);
    } else {
        WeighedSieve<4>(context, scratch.weighed).run(features, candidates);
    }
}

}  // namespace vaglio::tree
