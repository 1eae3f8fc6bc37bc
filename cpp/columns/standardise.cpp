#include "columns/standardise.hpp"

#include <vector>

#include "columns/column_loops.hpp"

namespace vaglio {
namespace {

double filled(double value, double fill) { return value == value ? value : fill; }

const ColumnLoops loops = VAGLIO_LEVELS(column_table).best()();
// Rows that are taken for one, where nothing is between them: their numbers fill whole registers.
constexpr std::size_t joined = 8;

std::vector<double> repeated(std::span<const double> values) {
    std::vector<double> found;
    for (std::size_t i = 0; i < joined; ++i) found.insert(found.end(), values.begin(), values.end());
    return found;
}

}  // namespace

LargeVector<double> standardised(const NumberRows& x, std::span<const double> centre, std::span<const double> scale,
                                 std::span<const double> fill) {
    LargeVector<double> found(x.rows * x.columns);
    std::size_t done = 0;
    if (x.rows >= joined && x.column_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(x.columns)) {
        const std::size_t groups = x.rows / joined;
        loops.standardise(x.data, groups, joined * x.columns, repeated(centre).data(), repeated(scale).data(),
                          repeated(fill).data(), found.data());
        done = groups * joined;
    }
    for (std::size_t i = done; i < x.rows; ++i) {
        const double* from = x.data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
        double* to = found.data() + i * x.columns;
        for (std::size_t j = 0; j < x.columns; ++j) {
            const double value = from[static_cast<std::ptrdiff_t>(j) * x.column_stride];
            to[j] = filled((value - centre[j]) / scale[j], fill[j]);
        }
    }
    return found;
}

}  // namespace vaglio
