#pragma once
// Gradients as whole numbers. Sums of integers do not depend on the order of the terms, so that any number of threads,
// and any division of the rows, gives the same histograms and the same trees.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace vaglio::boosting {

// First and second derivative of the loss of one row, in the units of a FixedPoint.
struct RowGradient {
    std::int32_t gradient;
    std::uint32_t hessian;
};

// Sums over rows: the Hessian in the low bits, the number of rows above them.
struct GradientSums {
    std::int64_t gradient = 0;
    std::uint64_t packed = 0;

    GradientSums& operator+=(const GradientSums& other) {
        gradient += other.gradient;
        packed += other.packed;
        return *this;
    }
    friend GradientSums operator-(const GradientSums& a, const GradientSums& b) {
        return {a.gradient - b.gradient, a.packed - b.packed};
    }
    friend bool operator==(const GradientSums&, const GradientSums&) = default;
};

struct FixedPoint {
    double gradient_unit = 1.0, hessian_unit = 1.0;
    int shift = 0;  // bits of the Hessian; 0: it is the same for all rows, and their number says all
    std::uint64_t mask = ~std::uint64_t{0};

    // Units for `rows` rows whose derivatives are at most so large. A power of two leaves numbers of few digits exact.
    FixedPoint(std::size_t rows, double largest_gradient, double largest_hessian, bool constant_hessian) {
        gradient_unit = unit_of(exponent_above(largest_gradient) - 30);
        if (constant_hessian) {
            hessian_unit = largest_hessian;
            return;
        }
        // A sum of n Hessians of b bits needs b + log2(n) bits, and a number of rows log2(n) more.
        const int count_bits = std::bit_width(rows);
        const int bits = 63 - 2 * count_bits < 30 ? 63 - 2 * count_bits : 30;
        hessian_unit = unit_of(exponent_above(largest_hessian) - bits);
        shift = bits + count_bits;
        mask = (std::uint64_t{1} << shift) - 1;
    }

    std::uint64_t one_row() const { return std::uint64_t{1} << shift; }
    std::uint64_t rows(const GradientSums& sums) const { return sums.packed >> shift; }
    double gradient(const GradientSums& sums) const { return static_cast<double>(sums.gradient) * gradient_unit; }
    double hessian(const GradientSums& sums) const { return real(sums.packed & mask) * hessian_unit; }

    // A whole number below 2^63: as a signed one it becomes real in one instruction.
    static double real(std::uint64_t whole) { return static_cast<double>(static_cast<std::int64_t>(whole)); }

 private:
    // Not below the least number whose inverse is a number, too.
    static double unit_of(int exponent) { return std::ldexp(1.0, exponent > -1022 ? exponent : -1022); }
    static int exponent_above(double largest) {
        if (!(largest > 0)) return 0;
        int exponent = 0;
        std::frexp(largest, &exponent);
        return exponent;
    }
};

// A sum of squared gradients, in two parts that do not overflow.
struct SquareSum {
    std::uint64_t low = 0, high = 0;

    void add(std::int32_t gradient) {
        const auto square = static_cast<std::uint64_t>(static_cast<std::int64_t>(gradient) * gradient);
        low += square & 0xFFFFFFFFu;
        high += square >> 32;
    }
    // What chance gains per free choice: the mean squared gradient per Hessian.
    double per_hessian(const FixedPoint& unit, double hessian) const {
        const double squares = std::ldexp(static_cast<double>(high), 32) + static_cast<double>(low);
        return hessian > 0 ? squares * unit.gradient_unit * unit.gradient_unit / hessian : 1.0;
    }
};

}  // namespace vaglio::boosting
