#pragma once
// The loops over class counts of bins (bin_loops.cpp), compiled per level (base/dispatch.hpp). They give scores but for
// rounding, and what a split inside a bin can score at most: enough to tell which bins need not be looked into.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::tree::sieve {

// Room before the first bin, where the counts are 0, and behind the last one, which the vectors may touch.
inline constexpr std::size_t bin_margin = 8;

// The class totals T of a node, and how many rows may lie on the left.
struct Totals {
    const double* of;
    std::size_t classes;
    double n, least, most;
    const std::int64_t* logarithms;  // of entropies: n·log2 n in units (base/logarithm.hpp); null: Gini
};

// Running counts of the bins of one column, class after class.
struct ClassBins {
    std::int32_t* counts;
    std::size_t stride;  // from one class to the next
    std::uint32_t size;

    VAGLIO_INLINE std::int32_t* of(std::size_t c) const { return counts + c * stride + bin_margin; }
};

// What is known of every bin: ΣP of the sides if it is cut behind the bin, and the most that a cut within it can score.
struct BinScores {
    double *border, *inside;
    double* terms;  // memory of `stride` numbers per class
};

struct Highest {
    double border, inside;
};

struct BinLoops {
    // Turns counts per bin into running counts.
    void (*add_up)(const ClassBins& bins, std::size_t classes);
    // Scores of all bins, where `standing` (a number per class) lies on the left before the first bin.
    Highest (*score)(const Totals& totals, const ClassBins& bins, const std::int32_t* standing,
                     const BinScores& scores);
};

VAGLIO_DECLARE_LEVELS(BinLoops bin_table();)

inline const BinLoops& bin_loops() {
    static const BinLoops chosen = VAGLIO_LEVELS(bin_table).best()();
    return chosen;
}

}  // namespace vaglio::tree::sieve
