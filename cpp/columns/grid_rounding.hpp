#pragma once
// Sums that have the same bits in any order: terms of at most 2^exponent in size are rounded to multiples of
// 2^(exponent - 30), and what is left of them to multiples of 2^(exponent - 60). Such multiples add without rounding.
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace vaglio {

constexpr int grid_level = 30;
// So many terms add in doubles.
constexpr std::size_t grid_block = std::size_t{1} << 20;
// Exponents beyond are refused.
constexpr int most_grid_exponent = 960;

// Adding 1.5 * 2^(52 + q) to a number leaves no bits below 2^q; subtracting it again gives the rounded number.
class GridRounding {
 public:
    explicit GridRounding(int exponent)
        : coarse_(std::ldexp(1.5, 52 + exponent - grid_level)),
          fine_(std::ldexp(1.5, 52 + exponent - 2 * grid_level)) {}

    double coarse() const { return coarse_; }
    double fine() const { return fine_; }

    // Adds the coarse and the fine part of a term to two sums.
    void add(double term, double& coarse, double& fine) const {
        const double high = (term + coarse_) - coarse_;
        coarse += high;
        fine += ((term - high) + fine_) - fine_;
    }

 private:
    double coarse_, fine_;
};

// A sum of the coarse parts (level 1) or of the fine ones (level 2) as a whole number of their units.
inline std::int64_t in_grid_units(double sum, int level, int exponent) {
    return static_cast<std::int64_t>(std::ldexp(sum, level * grid_level - exponent));
}

}  // namespace vaglio
