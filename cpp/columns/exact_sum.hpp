#pragma once
// A sum of numbers that does not depend on the order of its terms: their bits are added as whole numbers, and rounded
// once at the end.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace vaglio {

class ExactSum {
 public:
    static constexpr std::size_t limbs = 70;
    static constexpr int lowest = -1074 - 53;  // the exponent of the lowest bit
    using Limbs = std::array<std::int64_t, limbs>;

    ExactSum() = default;
    explicit ExactSum(const Limbs& parts) : limbs_(parts) {}

    // Adds a finite number; up to 2^30 of them.
    void add(double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
        std::uint64_t whole = bits & 0xFFFFFFFFFFFFFu;
        if (exponent > 0) whole |= std::uint64_t{1} << 52;
        const int place = (exponent > 0 ? exponent - 1 : 0) - 1074 - lowest;
        const auto limb = static_cast<std::size_t>(place / 32);
        const int shift = place % 32;
        // Of 53 bits that are moved by up to 31, three limbs take 32 each.
        const std::uint64_t low = (whole & 0xFFFFFFFFu) << shift, high = (whole >> 32) << shift;
        const auto first = static_cast<std::int64_t>(low & 0xFFFFFFFFu);
        const auto second = static_cast<std::int64_t>((low >> 32) + (high & 0xFFFFFFFFu));
        const auto third = static_cast<std::int64_t>(high >> 32);
        const std::int64_t sign = bits >> 63 ? -1 : 1;
        limbs_[limb] += sign * first;
        limbs_[limb + 1] += sign * second;
        limbs_[limb + 2] += sign * third;
    }
    ExactSum& operator+=(const ExactSum& other) {
        for (std::size_t i = 0; i < limbs; ++i) limbs_[i] += other.limbs_[i];
        return *this;
    }
    const Limbs& parts() const { return limbs_; }

    // The sum times 2^scale, rounded once.
    double value(int scale = 0) const {
        Limbs digits = limbs_;
        const bool negative = carry(digits) < 0;
        if (negative) {
            for (std::size_t i = 0; i < limbs; ++i) digits[i] = -limbs_[i];
            carry(digits);
        }
        std::size_t top = limbs;
        while (top > 0 && digits[top - 1] == 0) --top;
        if (top == 0) return 0.0;
        // No number has a bit in the lowest limb, so that there is one below the top. What is set below the 64 highest
        // bits makes the last of them odd: it decides between two numbers that are equally near.
        const auto digit = [&](std::size_t i) { return static_cast<std::uint64_t>(i < top ? digits[i] : 0); };
        std::uint64_t head = digit(top - 1) << 32 | digit(top - 2);
        const int free = std::countl_zero(head);
        const std::uint64_t next = digit(top - 3);  // behind the last, where there is none
        head = head << free | next >> (32 - free);
        bool rest = (next << free & 0xFFFFFFFFu) != 0;
        for (std::size_t i = 0; i + 3 < top; ++i) rest = rest || digits[i] != 0;
        const int exponent = lowest + 32 * (static_cast<int>(top) - 2) - free + scale;
        const double size = std::ldexp(static_cast<double>(head | (rest ? 1u : 0u)), exponent);
        return negative ? -size : size;
    }

 private:
    // Makes every limb a digit from 0 to 2^32 - 1; returns what is left above, which is negative if the sum is.
    static std::int64_t carry(Limbs& digits) {
        std::int64_t over = 0;
        for (std::int64_t& digit : digits) {
            const std::int64_t all = digit + over;
            over = all >> 32;
            digit = all & 0xFFFFFFFF;
        }
        return over;
    }

    Limbs limbs_{};
};

}  // namespace vaglio
