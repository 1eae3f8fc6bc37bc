// The inner loop of the ranges of columns, compiled per level (base/dispatch.hpp).
#include "columns/range_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {

// Numbers are read in the order in which they lie: several rows at a time would save reading and writing the ranges,
// but memory answers more slowly.
bool widen_ranges(const double* x, std::size_t rows, std::ptrdiff_t stride, std::size_t columns, double* low,
                  double* high) {
    using Real = Vector<double>;
    constexpr std::size_t step = width<double>;
    VectorBits<double> unknown{};
    bool missing = false;
    for (std::size_t i = 0; i < rows; ++i, x += stride) {
        std::size_t j = 0;
        for (; j + step <= columns; j += step) {
            const Real each = load<Real>(x + j);
            // A comparison with NaN is false: what is missing changes neither.
            store(low + j, smaller(each, load<Real>(low + j)));
            store(high + j, larger(each, load<Real>(high + j)));
            unknown = unknown | (each != each);
        }
        for (; j < columns; ++j) {
            low[j] = x[j] < low[j] ? x[j] : low[j];
            high[j] = x[j] > high[j] ? x[j] : high[j];
            missing |= x[j] != x[j];
        }
    }
    for (std::size_t lane = 0; lane < step; ++lane) missing |= unknown[static_cast<int>(lane)] != 0;
    return missing;
}

}  // namespace vaglio::VAGLIO_LEVEL
