#pragma once
// n·log2(n) without the C library's logarithm, whose last bit differs from machine to machine: two splits of
// equal worth must compare alike everywhere, or another machine grows another tree.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/dispatch.hpp"

namespace vaglio {

// log2 of a positive normal number by plain arithmetic: the exponent, and 2/ln 2 · artanh of what is left.
VAGLIO_INLINE double portable_log2(double x) {
    const auto bits = reread<std::uint64_t>(x);
    // The exponent as the low bits of 2^52 and so as a number, which no processor lacks an instruction for.
    double exponent = reread<double>(bits >> 52 | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
    double m = reread<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    const bool above = m > 1.4142135623730951;
    m = above ? m * 0.5 : m;
    exponent = above ? exponent + 1 : exponent;
    const double s = (m - 1) / (m + 1), z = s * s;
    double sum = 1.0 / 23;
    for (int k = 21; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
    return exponent + 2.8853900817779268 * s * sum;  // 2 / ln 2
}

VAGLIO_INLINE double portable_log(double x) { return 0.69314718055994530942 * portable_log2(x); }

// x·log2(x), 0 at 0.
VAGLIO_INLINE double xlog2x(double x) { return x > 1e-300 ? x * portable_log2(x) : 0.0; }

// The same in place for many numbers: the same bits, several at a time.
VAGLIO_DECLARE_LEVELS(void xlog2x_all(double* x, std::size_t n);)

// n·log2(n) for whole n in fixed point: sums of entries are exact, so they depend neither on the order of adding
// nor on the machine. 26 fractional bits leave room for 2^32 rows.
class LogTable {
 public:
    static constexpr double scale = 67108864.0;  // 2^26

    explicit LogTable(std::size_t largest);
    std::int64_t operator[](std::size_t n) const { return entries_[n]; }
    std::size_t size() const { return entries_.size(); }
    const std::int64_t* data() const { return entries_.data(); }

 private:
    std::vector<std::int64_t> entries_;
};

// A table for counts up to `largest` at least; shared by all growers, made larger when asked for.
std::shared_ptr<const LogTable> log_table(std::size_t largest);

}  // namespace vaglio
