// The inner loop of the sums on a grid, compiled per level (base/dispatch.hpp).
#include "bayes/exact/grid_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Real = Vector<double>;
using Bits = VectorBits<double>;
constexpr std::size_t step = width<double>;

// As GridRounding: what is left after a large number was added and taken away again.
VAGLIO_INLINE Real rounded(Real term, double large) { return (term + large) - large; }

// The terms of some rows are rounded once, and each class adds those of its own rows.
template <std::size_t classes>
VAGLIO_INLINE void add_rows(Real x, Bits label, Real weight, const GridTerms& grid, Real (&held)[classes][grid_sums]) {
    const Real zero{};
    const Real shifted = x - grid.centre;
    const auto known = shifted == shifted;
    const Real deviation = choose(known, shifted, zero), w = choose(known, weight, zero);
    const Real first = w * deviation, second = first * deviation;
    const Real coarse = rounded(first, grid.first_coarse), coarse_square = rounded(second, grid.second_coarse);
    const Real terms[grid_sums] = {coarse, rounded(first - coarse, grid.first_fine), coarse_square,
                                   rounded(second - coarse_square, grid.second_fine), w};
#pragma GCC unroll 4
    for (std::size_t c = 0; c < classes; ++c) {
        const auto own = label == static_cast<Int64>(c);
#pragma GCC unroll 5
        for (std::size_t part = 0; part < grid_sums; ++part) held[c][part] += choose(own, terms[part], zero);
    }
}

template <std::size_t classes>
void add_terms(const double* x, const std::int64_t* label, const double* weight, std::size_t n, const GridTerms& grid,
               double* sums) {
    Real held[classes][grid_sums] = {};
    Real one{};
    one += 1.0;
    std::size_t i = 0;
    if (weight == nullptr) {
        for (; i + step <= n; i += step) add_rows<classes>(load<Real>(x + i), load<Bits>(label + i), one, grid, held);
    } else {
        for (; i + step <= n; i += step) {
            add_rows<classes>(load<Real>(x + i), load<Bits>(label + i), load<Real>(weight + i), grid, held);
        }
    }
    if (i < n) {
        double numbers[step], weights[step];
        Int64 labels[step];
        for (std::size_t lane = 0; lane < step; ++lane) {
            const std::size_t row = i + lane < n ? i + lane : i;
            numbers[lane] = x[row];
            labels[lane] = i + lane < n ? static_cast<Int64>(label[row]) : -1;
            weights[lane] = weight == nullptr ? 1.0 : weight[row];
        }
        add_rows<classes>(load<Real>(numbers), load<Bits>(labels), load<Real>(weights), grid, held);
    }
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t part = 0; part < grid_sums; ++part) {
            for (std::size_t lane = 0; lane < step; ++lane) {
                sums[c * grid_sums + part] += held[c][part][static_cast<int>(lane)];
            }
        }
    }
}

}  // namespace

void add_grid_terms(const double* x, const std::int64_t* label, const double* weight, std::size_t n,
                    std::size_t classes, const GridTerms& grid, double* sums) {
    switch (classes) {
        case 1:
            return add_terms<1>(x, label, weight, n, grid, sums);
        case 2:
            return add_terms<2>(x, label, weight, n, grid, sums);
        case 3:
            return add_terms<3>(x, label, weight, n, grid, sums);
        default:
            return add_terms<most_grid_classes>(x, label, weight, n, grid, sums);
    }
}

}  // namespace vaglio::VAGLIO_LEVEL
