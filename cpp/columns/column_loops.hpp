#pragma once
// Loops over the numbers of several columns, compiled per level (base/dispatch.hpp). Every lane works for itself, so
// that all levels give the same bits.
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio {

// Numbers lie one after the other in groups of `width`, a multiple of eight: as many rows as fill registers. Each place
// of a group has its own sum, centre, scale and filling.
struct ColumnLoops {
    // sums[k] += x[k] of every group.
    void (*add)(const double* x, std::size_t groups, std::size_t width, double* sums);
    // sums[k] += (x[k] - centre[k])^2 of every group.
    void (*add_squares)(const double* x, std::size_t groups, std::size_t width, const double* centre, double* sums);
    // to[k] = (x[k] - centre[k]) / scale[k] of every group, and fill[k] where that is no number.
    void (*standardise)(const double* x, std::size_t groups, std::size_t width, const double* centre,
                        const double* scale, const double* fill, double* to);
};

VAGLIO_DECLARE_LEVELS(ColumnLoops column_table();)

}  // namespace vaglio
