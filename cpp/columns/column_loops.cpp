// Loops over the numbers of several columns, compiled per level (base/dispatch.hpp).
#include "columns/column_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Real = Vector<double>;
constexpr std::size_t step = width<double>;
// Sums that stay in registers while all groups are read.
constexpr std::size_t together = 8;

template <class Term>
VAGLIO_INLINE void add_terms(const double* x, std::size_t groups, std::size_t size, double* sums, Term term) {
    std::size_t k = 0;
    for (; k + together * step <= size; k += together * step) {
        Real sum[together];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < together; ++v) sum[v] = load<Real>(sums + k + v * step);
        const double* from = x + k;
        for (std::size_t g = 0; g < groups; ++g, from += size) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < together; ++v)
                sum[v] = sum[v] + term(load<Real>(from + v * step), k + v * step);
        }
#pragma GCC unroll 8
        for (std::size_t v = 0; v < together; ++v) store(sums + k + v * step, sum[v]);
    }
    for (; k + step <= size; k += step) {
        Real sum = load<Real>(sums + k);
        const double* from = x + k;
        for (std::size_t g = 0; g < groups; ++g, from += size) sum = sum + term(load<Real>(from), k);
        store(sums + k, sum);
    }
}

void add(const double* x, std::size_t groups, std::size_t size, double* sums) {
    add_terms(x, groups, size, sums, [](Real value, std::size_t) VAGLIO_INLINE_LAMBDA { return value; });
}

void add_squares(const double* x, std::size_t groups, std::size_t size, const double* centre, double* sums) {
    add_terms(x, groups, size, sums, [centre](Real value, std::size_t k) VAGLIO_INLINE_LAMBDA {
        const Real apart = value - load<Real>(centre + k);
        return apart * apart;
    });
}

void standardise(const double* x, std::size_t groups, std::size_t size, const double* centre, const double* scale,
                 const double* fill, double* to) {
    for (std::size_t g = 0; g < groups; ++g, x += size, to += size)
        for (std::size_t k = 0; k < size; k += step) {
            const Real value = (load<Real>(x + k) - load<Real>(centre + k)) / load<Real>(scale + k);
            store(to + k, choose(value == value, value, load<Real>(fill + k)));
        }
}

}  // namespace

ColumnLoops column_table() { return {add, add_squares, standardise}; }

}  // namespace vaglio::VAGLIO_LEVEL
