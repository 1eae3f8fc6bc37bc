// The sieve in two steps per feature. First the rows are counted in bins, and the borders of the bins give a score that
// the winner has to reach. Then only rows in bins that may still reach it are sorted. Here it is by Gini, with up to
// three classes and complete columns: counts fit a word, and eight corners bound a bin. class_sieve.cpp has the rest.
#include "tree/sieve/sieve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tree/sieve/loops.hpp"
#include "tree/sieve/open_rows.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

using sieve::Best, sieve::few_rows, sieve::tolerance;

// With more classes the bounds of bins cost more than the sorting that they save.
constexpr std::size_t most_sieved = 16;

// 512 bins of 8 bytes stay in the first-level cache; finer bins than four rows cost more than the sorting they save.
constexpr std::uint32_t most_bins = 512, rows_per_bin = 4;

// A feature between counting its bins and sorting what is left of it.
struct Sifted {
    std::int32_t first = 0;  // least key of the first bin
    int shift = 0;
    std::uint32_t n_bins = 0;
    Best border = {};
};

class NodeSieve {
 public:
    NodeSieve(const NodeContext& context, SieveScratch& scratch)
        : context_(context),
          scratch_(scratch),
          loops_(sieve::loops()),
          n_(context.node.size),
          payload_bits_(context.node.store->payload_bits),
          purity_(context.scorer.purity({context.sums, context.weight}, context.integral)) {
        for (std::size_t c = 0; c < sieve::most_classes; ++c)
            node_.totals[c] = c < context.sums.size() ? context.sums[c] : 0.0;
        node_.n = context.weight;
        node_.least = std::max(1.0, std::ceil(numeric_minimum(context, context.weight, context.node.count).weight));
        node_.most = context.weight - node_.least;
    }

    void run(std::span<const std::uint32_t> features, std::span<Candidate> candidates) {
        const bool few = n_ <= few_rows;
        reserve(few ? 1 : features.size());
        for (std::size_t i = 0; i < features.size(); ++i) {
            candidates[i] = {};
            candidates[i].feature = static_cast<std::int32_t>(features[i]);
            if (few) scan_few(candidates[i]);
        }
        if (few) return;
        std::vector<Sifted> sifted(features.size());
        Best floor = {};
        for (std::size_t i = 0; i < features.size(); ++i) {
            sifted[i] = sift(i, features[i]);
            if (floor.beaten_by(sifted[i].border)) floor = sifted[i].border;
        }
        for (std::size_t i = 0; i < features.size(); ++i) refine(i, sifted[i], floor, candidates[i]);
    }

 private:
    static constexpr std::size_t bin_room = sieve::slack + most_bins;

    void reserve(std::size_t features) {
        const std::size_t rows = n_ + sieve::slack;
        if (scratch_.keys.size() < rows * features) scratch_.keys.resize(rows * features);
        if (scratch_.kept.size() < rows) scratch_.kept.resize(rows);
        if (scratch_.spare.size() < rows) scratch_.spare.resize(rows);
        if (scratch_.words.size() < rows) scratch_.words.resize(rows);
        if (scratch_.bins.size() < bin_room * features) scratch_.bins.resize(bin_room * features);
        scratch_.open.resize(bin_room);
    }
    std::int32_t* keys(std::size_t i) { return scratch_.keys.data() + i * (n_ + sieve::slack); }
    // Before the first bin there is a word that stays 0.
    std::uint64_t* bins(std::size_t i) { return scratch_.bins.data() + i * bin_room + 8; }

    sieve::Column column_of(std::uint32_t feature) const {
        const std::uint32_t column = context_.data.features[feature].column;
        const GrowNode& node = context_.node;
        const RankColumn from = context_.data.ranks_for(column, n_);
        return {from.ranks, from.stride, node.rows(), node.payload(), n_, payload_bits_, node.store->count_bits};
    }

    std::uint32_t rank_of(std::int32_t key) const { return static_cast<std::uint32_t>(key) >> payload_bits_; }

    void accept(const Best& best, std::uint32_t lower, std::uint32_t upper, Candidate& candidate) const {
        const auto count = [&](std::size_t c) {
            return static_cast<double>(best.left >> (c * sieve::class_bits) & sieve::class_mask);
        };
        double left = 0, left_squares = 0, right_squares = 0;
        for (std::size_t c = 0; c < sieve::most_classes; ++c) {
            const double l = count(c), r = node_.totals[c] - l;
            left += l;
            left_squares += l * l;
            right_squares += r * r;
        }
        const double sides[] = {left, node_.n - left};
        candidate.lower = lower;
        candidate.upper = upper;
        judge(context_, candidate, left_squares / sides[0] + right_squares / sides[1] - purity_, 0, sides, 0);
    }

    void scan_few(Candidate& candidate) {
        const sieve::Column column = column_of(static_cast<std::uint32_t>(candidate.feature));
        const sieve::Range range = loops_.gather(column, keys(0));
        if (rank_of(range.least) == rank_of(range.greatest)) return;
        std::int32_t* sorted = scratch_.kept.data();
        loops_.sort_few(keys(0), n_, sorted);
        const Best best = loops_.scan(column, node_, sorted, n_, scratch_.words.data());
        if (best.found()) accept(best, rank_of(sorted[best.position]), rank_of(sorted[best.position + 1]), candidate);
    }

    Sifted sift(std::size_t i, std::uint32_t feature) {
        const sieve::Column column = column_of(feature);
        Sifted result;
        const std::size_t values = context_.data.values[context_.data.features[feature].column].size();
        if (values <= std::min(most_bins, n_)) {
            // A bin for each value: nothing will be sorted, and no keys are needed.
            result.shift = payload_bits_;
            result.n_bins = static_cast<std::uint32_t>(values);
            std::fill_n(bins(i) - 1, result.n_bins + 9, std::uint64_t{0});
            loops_.count_ranks(column, bins(i));
            result.border = loops_.scan_borders(node_, bins(i), result.n_bins);
            return result;
        }
        const sieve::Range range = loops_.gather(column, keys(i));
        if (rank_of(range.least) == rank_of(range.greatest)) return result;
        const std::uint32_t spread = rank_of(range.greatest) - rank_of(range.least);
        const std::uint32_t wanted = std::clamp(n_ / rows_per_bin, 8u, most_bins);
        const int coarse =
            std::max(0, static_cast<int>(std::bit_width(spread)) - (static_cast<int>(std::bit_width(wanted)) - 1));
        result.first = static_cast<std::int32_t>(rank_of(range.least) << payload_bits_);
        result.shift = payload_bits_ + coarse;
        result.n_bins = (spread >> coarse) + 1;
        std::fill_n(bins(i) - 1, result.n_bins + 9, std::uint64_t{0});
        loops_.count_bins(column, keys(i), result.first, result.shift, bins(i));
        result.border = loops_.scan_borders(node_, bins(i), result.n_bins);
        return result;
    }

    bool exact(const Sifted& sifted) const { return sifted.shift == payload_bits_; }

    static sieve::BinOf bins_of(const Sifted& sifted) {
        return {static_cast<std::uint32_t>(sifted.first), sifted.shift};
    }

    void refine(std::size_t i, const Sifted& sifted, const Best& floor, Candidate& candidate) {
        if (sifted.n_bins == 0) return;
        Best inside = {};
        if (!exact(sifted) && loops_.open_bins(node_, bins(i), sifted.n_bins, floor, scratch_.open.data()) > 0)
            inside = scan_open(i, sifted, static_cast<std::uint32_t>(candidate.feature));
        const Best& border = sifted.border;
        // A split inside a bin comes before the border behind it, and wins if they are equal.
        const bool inside_wins =
            inside.found() &&
            (border.beaten_by(inside) ||
             (!inside.beaten_by(border) && bins_of(sifted)(sorted_[inside.position]) <= border.position));
        if (inside_wins) {
            accept(inside, rank_of(sorted_[inside.position]), rank_of(sorted_[inside.position + 1]), candidate);
        } else if (border.found() && border.over * floor.under > floor.over * border.under * (1 - tolerance)) {
            const auto [lower, upper] = exact(sifted) ? values_at_border(i, sifted) : ranks_at_border(i, sifted);
            accept(border, lower, upper, candidate);
        }
    }

    // Sorts the rows of the open bins alone.
    Best scan_open(std::size_t i, const Sifted& sifted, std::uint32_t feature) {
        const std::size_t distinct = context_.data.values[context_.data.features[feature].column].size();
        const auto [sorted, n] = sieve::sort_open_keys(keys(i), n_, bins_of(sifted), payload_bits_, distinct, scratch_);
        sorted_ = sorted;
        return loops_.scan_inside(column_of(feature), node_, sorted_, n, sifted.first, sifted.shift, bins(i),
                                  scratch_.words.data());
    }

    // Bins of one value each. The first best border follows a bin that has rows.
    std::pair<std::uint32_t, std::uint32_t> values_at_border(std::size_t i, const Sifted& sifted) {
        const std::uint64_t* running = bins(i);
        std::uint32_t next = sifted.border.position + 1;
        while (running[next] == sifted.border.left) ++next;
        return {rank_of(sifted.first) + sifted.border.position, rank_of(sifted.first) + next};
    }

    // The greatest rank up to the border and the least behind it.
    std::pair<std::uint32_t, std::uint32_t> ranks_at_border(std::size_t i, const Sifted& sifted) {
        const std::int32_t* from = keys(i);
        const std::int32_t last =
            sifted.first + static_cast<std::int32_t>((sifted.border.position + 1) << sifted.shift) - 1;
        std::int32_t lower = 0, upper = INT32_MAX;
        for (std::uint32_t row = 0; row < n_; ++row) {
            const std::int32_t key = from[row];
            lower = std::max(lower, key <= last ? key : 0);
            upper = std::min(upper, key <= last ? INT32_MAX : key);
        }
        return {rank_of(lower), rank_of(upper)};
    }

    const NodeContext& context_;
    SieveScratch& scratch_;
    const sieve::Loops& loops_;
    std::uint32_t n_;
    int payload_bits_;
    double purity_;
    sieve::Node node_;
    const std::int32_t* sorted_ = nullptr;
};

}  // namespace

bool sieve_applies(const TreeData& data, const TreeConfig& config) {
    const bool scored = config.criterion == Criterion::gini || config.criterion == Criterion::gain;
    return config.sieve && scored && !config.oblique && !config.mdl_correction && data.classes > 0 &&
           data.classes <= most_sieved;
}

bool sieve_applies(const NodeContext& context) {
    return sieve_applies(context.data, context.config) && counts_whole(context) &&
           context.weight <= static_cast<double>(sieve::class_mask);
}

bool sieve_takes(const NodeContext& context, std::uint32_t column) {
    const bool joined = context.config.missing == MissingPolicy::learned && !context.config.c45_numeric_minimum;
    return (context.data.complete[column] || joined) &&
           static_cast<int>(std::bit_width(context.data.values[column].size())) + context.node.store->payload_bits <=
               30;
}

bool sieve_spares_order(const NodeContext& context, std::uint32_t column) {
    return context.data.complete[column] && context.width() <= sieve::most_classes && sieve_takes(context, column);
}

void scan_sieve(const NodeContext& context, std::span<const std::uint32_t> features, ScanScratch& scratch,
                std::span<Candidate> candidates) {
    const bool complete = std::all_of(features.begin(), features.end(), [&](std::uint32_t f) {
        return context.data.complete[context.data.features[f].column];
    });
    if (!complete || context.scorer.entropy() || context.width() > sieve::most_classes)
        return sieve_classes(context, features, scratch.sieve, candidates);
    NodeSieve(context, scratch.sieve).run(features, candidates);
}

}  // namespace vaglio::tree
