// Bins and their bounds are judged in floating point with room for its errors (bin_loops.cpp). What they leave is
// scored by the scan of whole counts that serves every other node (threshold/count_scan.hpp), which is moved over the
// rest in leaps: so the winner is the same to the bit.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tree/sieve/bin_loops.hpp"
#include "tree/sieve/loops.hpp"
#include "tree/sieve/open_rows.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/sieve/unknown.hpp"

namespace vaglio::tree {
namespace {

using sieve::ClassBins, sieve::few_rows, sieve::Highest;

// A bin costs a few cycles per class, so that many classes need many rows in a bin.
constexpr std::uint32_t most_bins = 512, most_counts = 8192, rows_per_bin = 4;
constexpr std::uint32_t at_border = 0x80000000u;

// A feature between counting its bins and sorting what is left of it.
struct Sifted {
    std::int32_t first = 0;  // least key of the first bin
    int shift = 0;
    std::uint32_t n_bins = 0;
    std::uint32_t known = 0;  // rows of known value
    // Where rows of unknown value are on the right, on the left, and alone against all others.
    Highest highest[2] = {{no_score, no_score}, {no_score, no_score}};
    double alone = no_score;

    double border() const { return std::max(highest[0].border, highest[1].border); }
};

class ClassSieve {
 public:
    ClassSieve(const NodeContext& context, SieveScratch& scratch)
        : context_(context),
          scratch_(scratch),
          loops_(sieve::loops()),
          bin_loops_(sieve::bin_loops()),
          n_(context.node.size),
          classes_(context.width()),
          payload_bits_(context.node.store->payload_bits),
          count_bits_(context.node.store->count_bits),
          units_(context.scorer.entropy() ? LogTable::scale : 1.0),
          unknown_(context) {
        const auto c = static_cast<std::uint32_t>(classes_);
        wanted_ = std::clamp(n_ / std::max(rows_per_bin, c), 8u, std::max(32u, std::min(most_bins, most_counts / c)));
    }

    void run(std::span<const std::uint32_t> features, std::span<Candidate> candidates) {
        const bool few = n_ <= few_rows;
        reserve(few ? 1 : features.size());
        double floor = no_score;
        std::vector<Sifted> sifted(few ? 0 : features.size());
        for (std::size_t i = 0; i < features.size(); ++i) {
            candidates[i] = {};
            candidates[i].feature = static_cast<std::int32_t>(features[i]);
            if (few) {
                scan_few(candidates[i]);
            } else {
                sifted[i] = sift(i, features[i]);
                floor = std::max({floor, sifted[i].border(), sifted[i].alone});
            }
        }
        for (std::size_t i = 0; i < sifted.size(); ++i) refine(i, sifted[i], floor, candidates[i]);
    }

 private:
    // Of bins, before the first and behind the last.
    std::size_t stride() const { return std::max<std::size_t>(wanted_, most_bins / 2) + 3 * sieve::bin_margin; }
    // Columns of so few values get a bin for each.
    std::size_t most_values() const { return std::min<std::size_t>(stride() - 3 * sieve::bin_margin, n_); }

    void reserve(std::size_t features) {
        const auto at_least = [](auto& memory, std::size_t size) {
            if (memory.size() < size) memory.resize(size);
        };
        const std::size_t rows = n_ + sieve::slack;
        at_least(scratch_.keys, rows * features);
        at_least(scratch_.kept, rows);
        at_least(scratch_.spare, rows);
        at_least(scratch_.counts, stride() * classes_ * features);
        at_least(scratch_.scores, 4 * stride() * features);
        at_least(scratch_.terms, stride() * classes_ + sieve::bin_margin);
        at_least(scratch_.open, stride());
        at_least(scratch_.memory, 2 * classes_);
    }
    std::int32_t* keys(std::size_t i) { return scratch_.keys.data() + i * (n_ + sieve::slack); }
    ClassBins bins(std::size_t i, std::uint32_t size) {
        return {scratch_.counts.data() + i * stride() * classes_, stride(), size};
    }
    sieve::BinScores scores(std::size_t i, int side) {
        double* border = scratch_.scores.data() + (i * 4 + static_cast<std::size_t>(side) * 2) * stride();
        return {border, border + stride(), scratch_.terms.data()};
    }

    std::uint32_t column_number(std::uint32_t feature) const { return context_.data.features[feature].column; }
    sieve::Column column_of(std::uint32_t feature) const {
        const GrowNode& node = context_.node;
        const RankColumn from = context_.data.ranks_for(column_number(feature), n_);
        return {from.ranks, from.stride, node.rows(), node.payload(), n_, payload_bits_, count_bits_};
    }
    std::uint32_t rank_of(std::int32_t key) const { return static_cast<std::uint32_t>(key) >> payload_bits_; }
    std::uint32_t bin_of(const Sifted& sifted, std::int32_t key) const {
        return static_cast<std::uint32_t>(key - sifted.first) >> sifted.shift;
    }

    // Calls use(label, count) for the row of a key or payload.
    template <class Use>
    auto unpack(std::uint32_t word, Use use) const {
        const std::uint32_t label_mask = (1u << (payload_bits_ - count_bits_)) - 1,
                            count_mask = (1u << count_bits_) - 1;
        return use((word >> count_bits_) & label_mask, (word & count_mask) | (count_bits_ == 0));
    }
    template <class Scan>
    void move(Scan& scan, std::int32_t key) const {
        unpack(static_cast<std::uint32_t>(key), [&](std::uint32_t c, std::uint32_t n) { scan.move(c, n); });
    }

    // The keys of the rows of known value; how many there are, and their range.
    std::uint32_t gather(std::uint32_t feature, std::int32_t* to, sieve::Range& range) const {
        const sieve::Column column = column_of(feature);
        if (context_.data.complete[column_number(feature)]) {
            range = loops_.gather(column, to);
            return n_;
        }
        std::uint32_t known = 0;
        for (std::uint32_t i = 0; i < n_; ++i) {
            const std::uint32_t rank = column.ranks[column.rows[i] * column.stride];
            to[known] = static_cast<std::int32_t>(rank << payload_bits_ | column.payload[i]);
            known += rank != missing_rank;
        }
        range = {INT32_MAX, 0};
        for (std::uint32_t i = 0; i < known; ++i) {
            range.least = std::min(range.least, to[i]);
            range.greatest = std::max(range.greatest, to[i]);
        }
        return known;
    }

    // Runs use(scan, admissible) where the rows of unknown value stand on one side.
    template <class Use>
    CountBest with_scan(int side, Use use) {
        const auto least = static_cast<std::int64_t>(unknown_.least_left(side));
        const auto most = static_cast<std::int64_t>(unknown_.most_left(side));
        const auto start = [&](auto& scan) {
            for (std::uint32_t c = 0; c < classes_; ++c)
                if (const std::int32_t n = unknown_.standing(side)[c]; n > 0) scan.move(c, n);
            use(scan, [&] { return (scan.left_n() >= least) & (scan.left_n() <= most); });
        };
        return with_count_scan(unknown_.score_by(), context_.sums, context_.weight, context_.scorer.table(),
                               scratch_.memory.data(), start);
    }

    void scan_few(Candidate& candidate) {
        sieve::Range range;
        const std::uint32_t known = gather(static_cast<std::uint32_t>(candidate.feature), keys(0), range);
        if (known == 0 || (known == n_ && rank_of(range.least) == rank_of(range.greatest))) return;
        std::int32_t* sorted = scratch_.kept.data();
        loops_.sort_few(keys(0), known, sorted);
        scratch_.memory.assign(2 * classes_, 0);
        for (std::uint32_t i = 0; i < known; ++i)
            unpack(static_cast<std::uint32_t>(sorted[i]),
                   [&](std::uint32_t c, std::uint32_t n) { scratch_.memory[c] += n; });
        unknown_.part([&](std::size_t c) { return scratch_.memory[c]; });
        CountBest best[2];
        std::pair<std::uint32_t, std::uint32_t> ranks[2];
        for (int side = 0; side < unknown_.sides(); ++side) {
            best[side] = with_scan(side, [&](auto& scan, auto admissible) {
                for (std::uint32_t i = 0; i + 1 < known; ++i) {
                    move(scan, sorted[i]);
                    scan.consider(i, (rank_of(sorted[i]) != rank_of(sorted[i + 1])) & admissible());
                }
            });
            const std::uint32_t at = best[side].position;
            if (best[side].found) ranks[side] = {rank_of(sorted[at]), rank_of(sorted[at + 1])};
        }
        unknown_.accept(best, ranks, known < n_ ? unknown_.alone() : no_score, candidate);
    }

    Sifted sift(std::size_t i, std::uint32_t feature) {
        const std::size_t values = context_.data.values[column_number(feature)].size();
        Sifted result;
        if (values <= most_values()) {
            count_values(i, feature, static_cast<std::uint32_t>(values), result);
        } else {
            count_keys(i, feature, result);
        }
        if (result.n_bins == 0) return result;
        const ClassBins counts = bins(i, result.n_bins);
        bin_loops_.add_up(counts, classes_);
        unknown_.part([&](std::size_t c) { return counts.of(c)[result.n_bins - 1]; });
        for (int side = 0; side < unknown_.sides(); ++side) {
            const sieve::Totals totals{
                context_.sums.data(),     classes_,
                context_.weight,          unknown_.least_left(side),
                unknown_.most_left(side), context_.scorer.entropy() ? context_.scorer.table().data() : nullptr};
            result.highest[side] = bin_loops_.score(totals, counts, unknown_.standing(side).data(), scores(i, side));
            if (exact(result)) result.highest[side].inside = no_score;
        }
        if (result.known < n_) result.alone = std::max(no_score, units_ * unknown_.alone());
        return result;
    }

    // Counts rows by bin and payload, from nothing.
    auto counter(const ClassBins& to) const {
        std::fill_n(to.counts, classes_ * to.stride, 0);
        return [this, counts = to.of(0), stride = to.stride](std::uint32_t bin, std::uint32_t word) {
            unpack(word,
                   [&](std::uint32_t c, std::uint32_t n) { counts[c * stride + bin] += static_cast<std::int32_t>(n); });
        };
    }

    // A bin for each value: nothing will be sorted, and no keys are needed.
    void count_values(std::size_t i, std::uint32_t feature, std::uint32_t values, Sifted& result) {
        const sieve::Column column = column_of(feature);
        result.shift = payload_bits_;
        result.n_bins = values;
        const auto add = counter(bins(i, values));
        for (std::size_t row = 0; row < n_; ++row) {
            const std::uint32_t rank = column.ranks[column.rows[row] * column.stride];
            if (rank == missing_rank) continue;
            add(rank, column.payload[row]);
            ++result.known;
        }
        if (result.known == 0) result.n_bins = 0;
    }

    void count_keys(std::size_t i, std::uint32_t feature, Sifted& result) {
        sieve::Range range;
        result.known = gather(feature, keys(i), range);
        if (result.known == 0) return;
        const std::uint32_t spread = rank_of(range.greatest) - rank_of(range.least);
        if (spread == 0 && result.known == n_) return;
        const int coarse =
            std::max(0, static_cast<int>(std::bit_width(spread)) - (static_cast<int>(std::bit_width(wanted_)) - 1));
        result.first = static_cast<std::int32_t>(rank_of(range.least) << payload_bits_);
        result.shift = payload_bits_ + coarse;
        result.n_bins = (spread >> coarse) + 1;
        const std::int32_t* from = keys(i);
        const auto add = counter(bins(i, result.n_bins));
        for (std::size_t row = 0; row < result.known; ++row)
            add(bin_of(result, from[row]), static_cast<std::uint32_t>(from[row]));
    }

    bool exact(const Sifted& sifted) const { return sifted.shift == payload_bits_; }

    // How far below the best a score may lie and still win: what `pick` takes for a tie, gains that `judge` takes for
    // none, and the rounding of scores, of bounds and of the table of logarithms.
    double slack() const {
        const double rounding = 4e-12 * context_.weight;
        if (!context_.scorer.entropy()) return rounding;
        return 64 + 8 * static_cast<double>(classes_) + units_ * rounding;
    }

    void refine(std::size_t i, const Sifted& sifted, double& floor, Candidate& candidate) {
        if (sifted.n_bins == 0) return;
        const double bar = floor - slack();
        const ClassBins counts = bins(i, sifted.n_bins);
        unknown_.part([&](std::size_t c) { return counts.of(c)[sifted.n_bins - 1]; });
        CountBest best[2];
        std::pair<std::uint32_t, std::uint32_t> ranks[2];
        for (int side = 0; side < 2; ++side) {
            const Highest highest = sifted.highest[side];
            // Where no border may be taken there is no bar, but what has no score still has nothing to look at.
            const auto reaches = [&](double score) { return score > no_score && score >= bar; };
            if (!reaches(highest.border) && !reaches(highest.inside)) continue;
            const std::uint32_t n = reaches(highest.inside) ? sort_open(i, side, sifted, bar, candidate) : 0;
            best[side] =
                with_scan(side, [&](auto& scan, auto admissible) { walk(i, side, sifted, bar, n, scan, admissible); });
            if (!best[side].found) continue;
            floor = std::max(floor, best[side].score * units_);
            ranks[side] = ranks_beside(i, sifted, best[side].position);
        }
        unknown_.accept(best, ranks, sifted.alone >= bar ? unknown_.alone() : no_score, candidate);
    }

    // Sorts the rows of the open bins alone; how many there are.
    std::uint32_t sort_open(std::size_t i, int side, const Sifted& sifted, double bar, const Candidate& candidate) {
        std::uint8_t* open = scratch_.open.data();
        const double* inside = scores(i, side).inside;
        for (std::uint32_t b = 0; b < sifted.n_bins; ++b) open[b] = inside[b] >= bar;
        const std::uint32_t column = column_number(static_cast<std::uint32_t>(candidate.feature));
        const sieve::BinOf bins_of{static_cast<std::uint32_t>(sifted.first), sifted.shift};
        const auto [sorted, n] = sieve::sort_open_keys(keys(i), sifted.known, bins_of, payload_bits_,
                                                       context_.data.values[column].size(), scratch_);
        sorted_ = sorted;
        return n;
    }

    // Considers all cuts that may reach the bar, and some others, in their order.
    template <class Scan, class Admits>
    void walk(std::size_t i, int side, const Sifted& sifted, double bar, std::uint32_t n, Scan& scan,
              Admits admissible) {
        const ClassBins counts = bins(i, sifted.n_bins);
        const double* border = scores(i, side).border;
        const auto leap = [&](std::int64_t bin) {
            for (std::uint32_t c = 0; c < classes_; ++c) {
                const std::int64_t to = counts.of(c)[bin] + unknown_.standing(side)[c];
                if (to > scan.left(c)) scan.move(c, to - scan.left(c));
            }
        };
        std::uint32_t row = 0;
        for (std::uint32_t b = 0; b < sifted.n_bins; ++b) {
            const bool open = row < n && bin_of(sifted, sorted_[row]) == b;
            if (!open && border[b] < bar) continue;
            leap(open ? static_cast<std::int64_t>(b) - 1 : b);
            for (; row < n && bin_of(sifted, sorted_[row]) == b; ++row) {
                move(scan, sorted_[row]);
                const bool cut = row + 1 < n && rank_of(sorted_[row]) != rank_of(sorted_[row + 1]) &&
                                 bin_of(sifted, sorted_[row + 1]) == b;
                scan.consider(row, cut & admissible());
            }
            scan.consider(at_border | b, admissible());
        }
    }

    // The ranks on either side of a cut.
    std::pair<std::uint32_t, std::uint32_t> ranks_beside(std::size_t i, const Sifted& sifted, std::uint32_t position) {
        if (!(position & at_border)) return {rank_of(sorted_[position]), rank_of(sorted_[position + 1])};
        const std::uint32_t bin = position & ~at_border;
        if (exact(sifted)) return values_beside(bins(i, sifted.n_bins), rank_of(sifted.first), bin);
        const std::int32_t* from = keys(i);
        const std::int32_t last = sifted.first + static_cast<std::int32_t>((bin + 1) << sifted.shift) - 1;
        std::int32_t lower = 0, upper = INT32_MAX;
        for (std::uint32_t row = 0; row < sifted.known; ++row) {
            const std::int32_t key = from[row];
            lower = std::max(lower, key <= last ? key : 0);
            upper = std::min(upper, key <= last ? INT32_MAX : key);
        }
        return {rank_of(lower), rank_of(upper)};
    }

    // Bins of one value each. The first best border follows a bin that has rows.
    std::pair<std::uint32_t, std::uint32_t> values_beside(const ClassBins& counts, std::uint32_t first,
                                                          std::uint32_t bin) const {
        const auto same = [&](std::uint32_t other) {
            for (std::size_t c = 0; c < classes_; ++c)
                if (counts.of(c)[bin] != counts.of(c)[other]) return false;
            return true;
        };
        std::uint32_t next = bin + 1;
        while (same(next)) ++next;
        return {first + bin, first + next};
    }

    const NodeContext& context_;
    SieveScratch& scratch_;
    const sieve::Loops& loops_;
    const sieve::BinLoops& bin_loops_;
    const std::uint32_t n_;
    const std::size_t classes_;
    const int payload_bits_, count_bits_;
    const double units_;        // of scores
    std::uint32_t wanted_ = 0;  // bins
    UnknownRows unknown_;       // of the feature at hand
    const std::int32_t* sorted_ = nullptr;
};

}  // namespace

void sieve_classes(const NodeContext& context, std::span<const std::uint32_t> features, SieveScratch& scratch,
                   std::span<Candidate> candidates) {
    ClassSieve(context, scratch).run(features, candidates);
}

}  // namespace vaglio::tree
