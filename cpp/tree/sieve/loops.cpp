// The loops of the Gini sieve, compiled per level (base/dispatch.hpp). They count whole numbers and compare fractions
// of numbers that doubles hold exactly, in eight fixed lanes, so every level gives the same bits.
#include "tree/sieve/loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::tree::sieve::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;

using Ints = Vector<std::int32_t>;
constexpr std::uint32_t lanes = width<std::int32_t>;

// Scores are taken eight at a time on every level, because the level must not decide which of two equal scores comes
// first.
using Eight = Pack<double, 8>;
using EightBits = Pack<Int64, 8>;
using EightInts = Pack<std::int32_t, 8>;

// Whole numbers below 2^52 as doubles, by their bits: only AVX-512 has an instruction for it.
VAGLIO_INLINE Eight as_doubles(EightBits whole) {
    constexpr double shifter = 4503599627370496.0;  // 2^52
    constexpr Int64 bits = 0x4330000000000000;
    return as_bits<Eight>(whole | bits) - shifter;
}

VAGLIO_INLINE std::uint64_t counts_of(std::int32_t key, std::uint32_t label_mask, std::uint32_t count_mask,
                                      int count_bits, std::uint32_t unit) {
    const auto word = static_cast<std::uint32_t>(key);
    return static_cast<std::uint64_t>((word & count_mask) | unit) << (((word >> count_bits) & label_mask) * class_bits);
}

// How a key is taken apart into class counts.
struct Unpack {
    std::uint32_t label_mask, count_mask, unit;
    int count_bits;

    VAGLIO_INLINE explicit Unpack(const Column& column)
        : label_mask((1u << (column.payload_bits - column.count_bits)) - 1),
          count_mask((1u << column.count_bits) - 1),
          unit(column.count_bits == 0),
          count_bits(column.count_bits) {}
    VAGLIO_INLINE std::uint64_t operator()(std::int32_t key) const {
        return counts_of(key, label_mask, count_mask, count_bits, unit);
    }
};

// The fraction over / under of eight splits by their left counts.
struct Splits {
    Eight over, under, left;
};

VAGLIO_INLINE Splits splits_of(const Node& node, Eight a, Eight b, Eight c) {
    const Eight left = a + b + c, right = node.n - left;
    const Eight x = node.totals[0] - a, y = node.totals[1] - b, z = node.totals[2] - c;
    const Eight left_squares = a * a + b * b + c * c, right_squares = x * x + y * y + z * z;
    return {left_squares * right + right_squares * left, left * right, left};
}

struct Counts {
    Eight a, b, c;
};

VAGLIO_INLINE Counts counts_at(const std::uint64_t* words) {
    const auto word = load<EightBits>(words);
    constexpr auto mask = static_cast<Int64>(class_mask);
    return {as_doubles(word & mask), as_doubles((word >> class_bits) & mask),
            as_doubles((word >> (2 * class_bits)) & mask)};
}

// The first best of each lane; of the lanes, the best, and of equal ones the first.
class Lanes {
 public:
    VAGLIO_INLINE void consider(const Node& node, const std::uint64_t* words, std::uint32_t position,
                                EightBits allowed) {
        const Counts counts = counts_at(words + position);
        const Splits splits = splits_of(node, counts.a, counts.b, counts.c);
        const EightBits better = allowed & (splits.left >= node.least) & (splits.left <= node.most) &
                                 (splits.over * under_ > over_ * splits.under);
        over_ = choose(better, splits.over, over_);
        under_ = choose(better, splits.under, under_);
        position_ = choose(better, EightBits{} + static_cast<Int64>(position), position_);
    }
    VAGLIO_INLINE Best best(const std::uint64_t* words) const {
        Best result = {};
        for (int lane = 0; lane < 8; ++lane) {
            if (over_[lane] < 0) continue;
            const Best own{over_[lane], under_[lane], 0, static_cast<std::uint32_t>(position_[lane] + lane)};
            const bool equal = result.found() && !result.beaten_by(own) && !own.beaten_by(result);
            if (equal ? own.position < result.position : result.beaten_by(own)) result = own;
        }
        if (result.found()) result.left = words[result.position];
        return result;
    }

 private:
    Eight over_ = Eight{} - 1, under_ = Eight{} + 1;
    EightBits position_ = {};
};

// Which of eight lanes are before `end`.
VAGLIO_INLINE EightBits before(std::uint32_t position, std::uint32_t end) {
    const EightBits lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane + static_cast<Int64>(position) < static_cast<Int64>(end);
}

// Keys could lie in the column, for all the compiler knows: what it reads again and again is copied first.
template <bool together>
VAGLIO_INLINE Range gather_from(const Column column, std::int32_t* keys) {
    const std::uint32_t *ranks = column.ranks, *rows = column.rows, *payload = column.payload;
    const std::size_t n = column.size, stride = together ? 1 : column.stride;
    const int bits = column.payload_bits;
    std::int32_t least = 0x7FFFFFFF, greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<std::int32_t>(ranks[rows[i] * stride] << bits | payload[i]);
        keys[i] = key;
        least = key < least ? key : least;
        greatest = key > greatest ? key : greatest;
    }
    return {least, greatest};
}

Range gather(const Column& column, std::int32_t* keys) {
    return column.stride == 1 ? gather_from<true>(column, keys) : gather_from<false>(column, keys);
}

// Each key's place is the number of keys before it: n² comparisons, but a vector of keys at a time and without a
// branch.
void sort_few(std::int32_t* keys, std::uint32_t n, std::int32_t* sorted) {
    for (std::uint32_t i = n; i % lanes != 0; ++i) keys[i] = 0x7FFFFFFF;
    Ints lane;
    for (std::uint32_t k = 0; k < lanes; ++k) lane[k] = static_cast<std::int32_t>(k);
    for (std::uint32_t first = 0; first < n; first += lanes) {
        const auto own = load<Ints>(keys + first);
        Ints place = {};
        for (std::uint32_t j = 0; j < first; ++j) place -= keys[j] <= own;
#pragma GCC unroll 16
        for (std::uint32_t k = 0; k < lanes; ++k) {
            const std::int32_t other = keys[first + k];
            place -= (other < own) | ((other == own) & (lane > static_cast<std::int32_t>(k)));
        }
        for (std::uint32_t j = first + lanes; j < n; ++j) place -= keys[j] < own;
        std::int32_t to[lanes];
        store(to, place);
        const std::uint32_t count = n - first < lanes ? n - first : lanes;
        for (std::uint32_t k = 0; k < count; ++k) sorted[to[k]] = keys[first + k];
    }
}

VAGLIO_INLINE EightBits rank_changes(const std::int32_t* sorted, int payload_bits) {
    const EightInts differs = load<EightInts>(sorted) ^ load<EightInts>(sorted + 1);
    return convert<EightBits>((differs >> payload_bits) != 0);
}

Best scan(const Column& column, const Node& node, const std::int32_t* sorted, std::uint32_t n, std::uint64_t* words) {
    const Unpack unpack(column);
    std::uint64_t running = 0;
    for (std::uint32_t i = 0; i < n; ++i) words[i] = running += unpack(sorted[i]);
    Lanes best;
    for (std::uint32_t i = 0; i + 1 < n; i += 8)
        best.consider(node, words, i, rank_changes(sorted + i, column.payload_bits) & before(i, n - 1));
    return best.best(words);
}

void count_bins(const Column& column, const std::int32_t* keys, std::int32_t first, int shift, std::uint64_t* bins) {
    const Unpack unpack(column);
    for (std::uint32_t i = 0; i < column.size; ++i)
        bins[static_cast<std::uint32_t>(keys[i] - first) >> shift] += unpack(keys[i]);
}

template <bool together>
VAGLIO_INLINE void count_ranks_from(const Column column, std::uint64_t* bins) {
    const std::uint32_t *ranks = column.ranks, *rows = column.rows, *payload = column.payload;
    const std::size_t n = column.size, stride = together ? 1 : column.stride;
    const Unpack unpack(column);
    for (std::size_t i = 0; i < n; ++i) bins[ranks[rows[i] * stride]] += unpack(static_cast<std::int32_t>(payload[i]));
}

void count_ranks(const Column& column, std::uint64_t* bins) {
    column.stride == 1 ? count_ranks_from<true>(column, bins) : count_ranks_from<false>(column, bins);
}

Best scan_borders(const Node& node, std::uint64_t* bins, std::uint32_t n_bins) {
    for (std::uint32_t b = 1; b < n_bins; ++b) bins[b] += bins[b - 1];
    Lanes best;
    for (std::uint32_t b = 0; b + 1 < n_bins; b += 8) best.consider(node, bins, b, before(b, n_bins - 1));
    return best.best(bins);
}

// The sum of purities is convex in the left counts, so within the box of counts that a bin allows it is greatest at a
// corner: some classes of the bin wholly on the left, the others on the right.
std::uint32_t open_bins(const Node& node, const std::uint64_t* running, std::uint32_t n_bins, const Best& floor,
                        std::uint8_t* open) {
    const double over = floor.over * (1 - tolerance), under = floor.under;
    std::uint32_t count = 0;
    for (std::uint32_t b = 0; b < n_bins; b += 8) {
        const std::uint64_t *end = running + b, *start = end - 1;
        const Counts low = counts_at(start), high = counts_at(end);
        EightBits reached = {};
#pragma GCC unroll 8
        for (int corner = 0; corner < 8; ++corner) {
            const Splits splits =
                splits_of(node, corner & 1 ? high.a : low.a, corner & 2 ? high.b : low.b, corner & 4 ? high.c : low.c);
            reached |= splits.over * under > over * splits.under;
        }
        reached &= (load<EightBits>(start) != load<EightBits>(end)) & before(b, n_bins);
        for (std::uint32_t k = 0; k < 8; ++k) {
            open[b + k] = reached[k] != 0;
            count += open[b + k];
        }
    }
    return count;
}

Best scan_inside(const Column& column, const Node& node, const std::int32_t* sorted, std::uint32_t n,
                 std::int32_t first, int shift, const std::uint64_t* running, std::uint64_t* words) {
    const Unpack unpack(column);
    std::uint32_t bin = 0xFFFFFFFF;
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t own = static_cast<std::uint32_t>(sorted[i] - first) >> shift;
        word = own == bin ? word : running[static_cast<std::int32_t>(own) - 1];
        bin = own;
        words[i] = word += unpack(sorted[i]);
    }
    Lanes best;
    for (std::uint32_t i = 0; i + 1 < n; i += 8) {
        const EightInts here = (load<EightInts>(sorted + i) - first) >> shift,
                        next = (load<EightInts>(sorted + i + 1) - first) >> shift;
        const EightBits same_bin = convert<EightBits>(here == next);
        best.consider(node, words, i, rank_changes(sorted + i, column.payload_bits) & same_bin & before(i, n - 1));
    }
    return best.best(words);
}

}  // namespace

Loops table() { return {gather, sort_few, scan, count_bins, count_ranks, scan_borders, open_bins, scan_inside}; }

}  // namespace vaglio::tree::sieve::VAGLIO_LEVEL
