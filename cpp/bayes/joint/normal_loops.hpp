#pragma once
// The density of several columns together, for some rows at once; compiled per level (base/dispatch.hpp). Every lane
// works for itself, so all levels give the same bits.
#include <cstddef>

#include "base/dispatch.hpp"

namespace vaglio {

inline constexpr std::size_t normal_lanes = 16;  // rows looked at together: two vectors of doubles on the widest level

// A joint normal density: the covariance is factor * transposed factor. `normaliser` is the logarithm of the largest
// density of each column given those before it.
struct NormalDensity {
    std::size_t columns;
    const double *mean, *normaliser;
    const double* factor;  // lower triangle of [column][column]
};

// `x` is [column][lane]. sums[column][lane] becomes the logarithm of the density of the columns up to this one; `z` is
// room for as many numbers.
VAGLIO_DECLARE_LEVELS(void normal_densities(const NormalDensity& density, const double* x, double* z, double* sums);)

}  // namespace vaglio
