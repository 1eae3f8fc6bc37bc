#pragma once
// The loops of the Gini sieve, written once (loops.cpp) and compiled per level (base/dispatch.hpp). They count whole
// numbers and compare fractions of exactly representable numbers in eight fixed lanes, so every level gives the same
// bits.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::tree::sieve {

// Class counts of up to three classes side by side in one word.
inline constexpr int class_bits = 21;
inline constexpr std::uint64_t class_mask = (std::uint64_t{1} << class_bits) - 1;
inline constexpr std::size_t most_classes = 3;

// Relative: less than any difference between scores that matters, more than the rounding of a comparison.
inline constexpr double tolerance = 1e-12;

// Room that the vectors of the loops may touch behind the last element of keys and words.
inline constexpr std::size_t slack = 64;

// The values of one feature for the rows of a node, and how a row's label and count are packed.
struct Column {
    const std::uint32_t* ranks;  // of row i at i * stride
    std::size_t stride;
    const std::uint32_t* rows;
    const std::uint32_t* payload;
    std::uint32_t size;
    int payload_bits, count_bits;  // of the payload and, within it, of the count; no count bits: all counts are one
};

// Class totals of the node, and how many rows may lie on the left.
struct Node {
    double totals[most_classes];
    double n, least, most;
};

// Σl²/nl + Σr²/nr as the fraction over / under; the last position on the left, and the class counts there. The
// functions are inlined by force: a copy compiled for one processor must not serve another.
struct Best {
    double over, under;  // under is 0: none found
    std::uint64_t left;
    std::uint32_t position;

    VAGLIO_INLINE bool found() const { return under > 0; }
    VAGLIO_INLINE bool beaten_by(const Best& other) const {
        return other.under > 0 && (under == 0 || other.over * under > over * other.under);
    }
};

struct Range {
    std::int32_t least, greatest;
};

struct Loops {
    // Rank and payload of each row as one key, and the range of the keys.
    Range (*gather)(const Column& column, std::int32_t* keys);
    // Any order of equal keys, which are the same in all respects.
    void (*sort_few)(std::int32_t* keys, std::uint32_t n, std::int32_t* sorted);
    // Running class counts of sorted keys, and the best position where the rank changes.
    Best (*scan)(const Column& column, const Node& node, const std::int32_t* sorted, std::uint32_t n,
                 std::uint64_t* words);
    // Class counts of the bins (key - first) >> shift.
    void (*count_bins)(const Column& column, const std::int32_t* keys, std::int32_t first, int shift,
                       std::uint64_t* bins);
    // Class counts of the ranks themselves, without keys.
    void (*count_ranks)(const Column& column, std::uint64_t* bins);
    // Turns counts per bin into running counts and finds the best border behind a bin.
    Best (*scan_borders)(const Node& node, std::uint64_t* bins, std::uint32_t n_bins);
    // open[b] = 1 where a split inside bin b may reach the floor; how many there are.
    std::uint32_t (*open_bins)(const Node& node, const std::uint64_t* running, std::uint32_t n_bins, const Best& floor,
                               std::uint8_t* open);
    // The best position inside the bins of these sorted keys, given the running counts of all bins.
    Best (*scan_inside)(const Column& column, const Node& node, const std::int32_t* sorted, std::uint32_t n,
                        std::int32_t first, int shift, const std::uint64_t* running, std::uint64_t* words);
};

VAGLIO_DECLARE_LEVELS(Loops table();)

inline const Loops& loops() {
    static const Loops chosen = VAGLIO_LEVELS(table).best()();
    return chosen;
}

}  // namespace vaglio::tree::sieve
