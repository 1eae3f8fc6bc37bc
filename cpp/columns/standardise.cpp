#include "columns/standardise.hpp"

#include "base/compiler.hpp"

namespace vaglio {
namespace {

VAGLIO_INLINE double filled(double value, double fill) { return value == value ? value : fill; }

// Arrays that do not overlap: the compiler makes vectors of the loop.
void standardise_row(const double* __restrict from, const double* __restrict centre, const double* __restrict scale,
                     const double* __restrict fill, std::size_t columns, double* __restrict to) {
    for (std::size_t j = 0; j < columns; ++j) to[j] = filled((from[j] - centre[j]) / scale[j], fill[j]);
}

}  // namespace

LargeVector<double> standardised(const NumberRows& x, std::span<const double> centre, std::span<const double> scale,
                                 std::span<const double> fill) {
    LargeVector<double> found(x.rows * x.columns);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double* from = x.data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
        double* to = found.data() + i * x.columns;
        if (x.column_stride == 1) {
            standardise_row(from, centre.data(), scale.data(), fill.data(), x.columns, to);
            continue;
        }
        for (std::size_t j = 0; j < x.columns; ++j) {
            const double value = from[static_cast<std::ptrdiff_t>(j) * x.column_stride];
            to[j] = filled((value - centre[j]) / scale[j], fill[j]);
        }
    }
    return found;
}

}  // namespace vaglio
