#pragma once
// The inner loop of the coarse filter, compiled per level (base/dispatch.hpp): sums of 16 bits, the same on all levels.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::knn {

inline constexpr std::size_t coarse_rows = 64;          // rows of a panel: a bit of one word for each
inline constexpr std::uint16_t coarse_missing = 65535;  // in place of a number, or of a category
inline constexpr std::uint16_t coarse_most = 65535;     // where sums stop

// What a column adds to the sum of every row: `cost` where the category is not `low`, or the difference of the numbers
// beyond `low` and `high`, by itself or squared and shifted by 16 bits.
struct CoarseTerm {
    enum Kind : std::uint16_t { number, number_or_missing, category };
    Kind kind;
    std::uint16_t low, high;
    std::uint16_t cost;  // of a category that differs, or of a missing number
    std::uint32_t column;
};

struct CoarseQuery {
    const CoarseTerm* terms;
    std::size_t n_terms;
    std::uint16_t base;   // what every row costs
    std::uint16_t limit;  // rows above it do not pass
    bool squared;
};

// Panels follow one another; each has coarse_rows values for every column. Bit r of passed[p] becomes whether the sum
// of row r of panel p is not above the limit.
VAGLIO_DECLARE_LEVELS(void coarse_filter(const std::uint16_t* panels, std::size_t n_panels, std::size_t n_columns,
                                         const CoarseQuery& query, std::uint64_t* passed);)

}  // namespace vaglio::knn
