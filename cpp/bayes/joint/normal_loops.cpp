// Joint normal densities of some rows at once, compiled per level (base/dispatch.hpp): lanes are rows.
#include "bayes/joint/normal_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Real = Vector<double>;
constexpr std::size_t step = width<double>;
static_assert(normal_lanes % step == 0);

}  // namespace

// Forward substitution by the factor gives the terms of the chain rule one after the other.
void normal_densities(const NormalDensity& density, const double* x, double* z, double* sums) {
    Real sum[normal_lanes / step] = {};
    for (std::size_t i = 0; i < density.columns; ++i) {
        const double* factor = density.factor + i * density.columns;
        Real rest[normal_lanes / step];
#pragma GCC unroll 8
        for (std::size_t l = 0; l < normal_lanes / step; ++l)
            rest[l] = load<Real>(x + i * normal_lanes + l * step) - density.mean[i];
        for (std::size_t j = 0; j < i; ++j) {
#pragma GCC unroll 8
            for (std::size_t l = 0; l < normal_lanes / step; ++l)
                rest[l] = rest[l] - factor[j] * load<Real>(z + j * normal_lanes + l * step);
        }
#pragma GCC unroll 8
        for (std::size_t l = 0; l < normal_lanes / step; ++l) {
            const Real solved = rest[l] / factor[i];
            sum[l] = sum[l] + (density.normaliser[i] - 0.5 * solved * solved);
            store(z + i * normal_lanes + l * step, solved);
            store(sums + i * normal_lanes + l * step, sum[l]);
        }
    }
}

}  // namespace vaglio::VAGLIO_LEVEL
