// Scores of bins. Let l be the class counts on the left of a cut, L their sum, and r and R those on the right. ΣP of
// the sides is convex in l, so within the box of counts that a bin allows it is greatest at a corner; but a box has
// 2^classes corners. With L let loose from l the bound is a sum over classes, and each class takes the better of its
// two ends:
//
//   Gini     Σl²/L + Σr²/R + λ(Σl − L) for any λ, since a cut has Σl = L. It is convex in L too, so one of the two L at
//   the
//            borders of the bin is the worst case. λ is the slope in L, which leaves errors of second order.
//   entropy  Σ l·log2 l + r·log2 r, less g(L) = L·log2 L + R·log2 R, which is above its tangent at the middle m of the
//   bin:
//            with the slope s there, g(L) >= s·L + n·log2(n − m).
#include "tree/sieve/bin_loops.hpp"

#include "base/logarithm.hpp"
#include "base/vectors.hpp"

namespace vaglio::tree::sieve::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;

using Eight = Pack<double, 8>;
using EightBits = Pack<Int64, 8>;
using EightInts = Pack<std::int32_t, 8>;

constexpr double nothing = -1e300;

VAGLIO_INLINE Eight as_doubles(const std::int32_t* counts) { return convert<Eight>(load<EightInts>(counts)); }

void add_up(const ClassBins& bins, std::size_t classes) {
    for (std::size_t c = 0; c < classes; ++c) {
        std::int32_t* counts = bins.of(c);
        std::int32_t sum = 0;
        for (std::uint32_t b = 0; b < bins.size; ++b) counts[b] = sum += counts[b];
    }
}

// Keeps the scores of the bins from b on, and the highest so far.
class Keeper {
 public:
    VAGLIO_INLINE Keeper(const Totals& totals, const ClassBins& bins, const BinScores& scores)
        : least_(totals.least), most_(totals.most), size_(bins.size), scores_(scores) {}

    VAGLIO_INLINE void keep(std::uint32_t b, Eight left, Eight before, Eight border, Eight inside) {
        const EightBits lane = {0, 1, 2, 3, 4, 5, 6, 7};
        const EightBits real = lane + static_cast<Int64>(b) < static_cast<Int64>(size_);
        border = choose(real & (left >= least_) & (left <= most_), border, Eight{} + nothing);
        inside = choose(real & (left > before), inside, Eight{} + nothing);  // an empty bin has no inside
        store(scores_.border + b, border);
        store(scores_.inside + b, inside);
        border_ = larger(border_, border);
        inside_ = larger(inside_, inside);
    }
    VAGLIO_INLINE Highest highest() const {
        Highest result{nothing, nothing};
        for (int lane = 0; lane < 8; ++lane) {
            result.border = border_[lane] > result.border ? border_[lane] : result.border;
            result.inside = inside_[lane] > result.inside ? inside_[lane] : result.inside;
        }
        return result;
    }

 private:
    double least_, most_;
    std::uint32_t size_;
    BinScores scores_;
    Eight border_ = Eight{} + nothing, inside_ = Eight{} + nothing;
};

// One side of eight bins: its rows and their squares summed over classes, at both borders.
struct Side {
    Eight rows[2], squares[2], inverse[2];
    EightBits thin;  // of two borders one has less than half the rows: Σl²/L is no guide, and Σl²/L <= Σl serves
    Eight slope;     // of Σl²/L in L

    VAGLIO_INLINE void finish(int fewer) {
        for (int end = 0; end < 2; ++end) inverse[end] = 1.0 / rows[end];
        thin = rows[fewer] + rows[fewer] < rows[1 - fewer];
        slope = -0.5 * (squares[0] * inverse[0] * inverse[0] + squares[1] * inverse[1] * inverse[1]);
        slope = choose(thin, Eight{}, slope);
    }
    VAGLIO_INLINE Eight score(int end) const { return squares[end] * inverse[end]; }
    VAGLIO_INLINE Eight quadratic(int end) const { return choose(thin, Eight{}, inverse[end]); }
    VAGLIO_INLINE Eight linear() const { return choose(thin, Eight{} + 1.0, Eight{}); }
};

Highest score_gini(const Totals& totals, const ClassBins& bins, const std::int32_t* standing, const BinScores& scores) {
    double total_squares = 0;
    for (std::size_t c = 0; c < totals.classes; ++c) total_squares += totals.of[c] * totals.of[c];
    Keeper keeper(totals, bins, scores);
    for (std::uint32_t b = 0; b < bins.size; b += 8) {
        Side left = {}, right = {};
        for (std::size_t c = 0; c < totals.classes; ++c) {
            const std::int32_t* counts = bins.of(c) + b;
#pragma GCC unroll 2
            for (int end = 0; end < 2; ++end) {
                const Eight l = as_doubles(counts - 1 + end) + standing[c], r = totals.of[c] - l;
                left.rows[end] += l;
                left.squares[end] += l * l;
                right.squares[end] += r * r;
            }
        }
        for (int end = 0; end < 2; ++end) right.rows[end] = totals.n - left.rows[end];
        left.finish(0);
        right.finish(1);
        const Eight slope = left.slope - right.slope;
        Eight most = Eight{} + nothing;
#pragma GCC unroll 2
        for (int end = 0; end < 2; ++end) {
            const Eight a_right = right.quadratic(end), a = left.quadratic(end) + a_right;
            const Eight once = left.linear() - right.linear() + slope;
            Eight sum = a_right * total_squares + right.linear() * totals.n - slope * left.rows[end];
            for (std::size_t c = 0; c < totals.classes; ++c) {
                const std::int32_t* counts = bins.of(c) + b;
                const Eight low = as_doubles(counts - 1) + standing[c], high = as_doubles(counts) + standing[c];
                const Eight own = once - 2 * totals.of[c] * a_right;
                sum += larger(low * (a * low + own), high * (a * high + own));
            }
            most = larger(most, sum);
        }
        keeper.keep(b, left.rows[1], left.rows[0], left.score(1) + right.score(1), most);
    }
    return keeper.highest();
}

// The logarithms of eight positive numbers, to a few units of the last place.
VAGLIO_INLINE Eight log2_of(Eight x) {
    const EightBits bits = as_bits<EightBits>(x);
    Eight exponent = as_bits<Eight>((bits >> 52) | Int64{0x4330000000000000}) - (4503599627370496.0 + 1023.0);
    Eight m = as_bits<Eight>((bits & Int64{0x000FFFFFFFFFFFFF}) | Int64{0x3FF0000000000000});
    const EightBits above = m > 1.4142135623730951;
    m = choose(above, m * 0.5, m);
    exponent = choose(above, exponent + 1.0, exponent);
    const Eight s = (m - 1.0) / (m + 1.0), z = s * s;
    Eight sum = Eight{} + 1.0 / 19;
#pragma GCC unroll 9
    for (int k = 17; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
    return exponent + 2.8853900817779268 * s * sum;  // 2 / ln 2
}

// l·log2 l + r·log2 r at the borders of all bins, and before the first.
void border_terms(const std::int64_t* logarithms, const ClassBins& bins, std::size_t c, std::int32_t standing,
                  std::int32_t total, double* terms) {
    const std::int32_t* counts = bins.of(c) - 1;
    for (std::uint32_t b = 0; b <= bins.size; ++b) {
        const std::int32_t l = counts[b] + standing;
        terms[b] = static_cast<double>(logarithms[l] + logarithms[total - l]);
    }
}

VAGLIO_INLINE Eight look_up(const std::int64_t* logarithms, Eight rows) {
    Eight result;
#pragma GCC unroll 8
    for (int lane = 0; lane < 8; ++lane)
        result[lane] = static_cast<double>(logarithms[static_cast<std::int32_t>(rows[lane])]);
    return result;
}

Highest score_entropy(const Totals& totals, const ClassBins& bins, const std::int32_t* standing,
                      const BinScores& scores) {
    for (std::size_t c = 0; c < totals.classes; ++c)
        border_terms(totals.logarithms, bins, c, standing[c], static_cast<std::int32_t>(totals.of[c]),
                     scores.terms + c * bins.stride);
    Keeper keeper(totals, bins, scores);
    for (std::uint32_t b = 0; b < bins.size; b += 8) {
        Eight before = {}, left = {}, border = {}, most = {};
        for (std::size_t c = 0; c < totals.classes; ++c) {
            before += as_doubles(bins.of(c) + b - 1) + standing[c];
            left += as_doubles(bins.of(c) + b) + standing[c];
        }
        const Eight middle = larger(0.5 * (before + left), Eight{} + 0.5);
        const Eight log_rest = log2_of(totals.n - middle);
        const Eight slope = LogTable::scale * (log2_of(middle) - log_rest);
        for (std::size_t c = 0; c < totals.classes; ++c) {
            const double* terms = scores.terms + c * bins.stride + b;
            const Eight low = as_doubles(bins.of(c) + b - 1) + standing[c], low_term = load<Eight>(terms);
            const Eight high = as_doubles(bins.of(c) + b) + standing[c], high_term = load<Eight>(terms + 1);
            border += high_term;
            most += larger(low_term - slope * low, high_term - slope * high);
        }
        border -= look_up(totals.logarithms, left) + look_up(totals.logarithms, totals.n - left);
        keeper.keep(b, left, before, border, most - LogTable::scale * totals.n * log_rest);
    }
    return keeper.highest();
}

Highest score(const Totals& totals, const ClassBins& bins, const std::int32_t* standing, const BinScores& scores) {
    return totals.logarithms ? score_entropy(totals, bins, standing, scores)
                             : score_gini(totals, bins, standing, scores);
}

}  // namespace

BinLoops bin_table() { return {add_up, score}; }

}  // namespace vaglio::tree::sieve::VAGLIO_LEVEL
