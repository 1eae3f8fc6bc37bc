#pragma once
// The inner loops of the moments of columns, compiled per level (base/dispatch.hpp). Every lane adds up numbers of its
// own in their order, so that all levels give the same bits.
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio {

// Numbers lie one after the other in groups of `width`; each place of a group has a sum.
struct MomentLoops {
    // sums[k] += x[k] of every group.
    void (*add)(const double* x, std::size_t groups, std::size_t width, double* sums);
    // sums[k] += (x[k] - centre[k])^2 of every group.
    void (*add_squares)(const double* x, std::size_t groups, std::size_t width, const double* centre, double* sums);
};

VAGLIO_DECLARE_LEVELS(MomentLoops moment_table();)

}  // namespace vaglio
