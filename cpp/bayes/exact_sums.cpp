#include "bayes/exact_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vaglio {
namespace {

// Adding 1.5 * 2^(52 + q) to a number leaves no bits below 2^q; subtracting it again gives the rounded number.
class Rounding {
 public:
    explicit Rounding(int exponent)
        : coarse_(std::ldexp(1.5, 52 + exponent - grid_level)),
          fine_(std::ldexp(1.5, 52 + exponent - 2 * grid_level)) {}

    void add(double term, double* sums) const {
        const double high = (term + coarse_) - coarse_;
        sums[0] += high;
        sums[1] += ((term - high) + fine_) - fine_;
    }

 private:
    double coarse_, fine_;
};

std::int64_t in_units(double sum, int level, int exponent) {
    return static_cast<std::int64_t>(std::ldexp(sum, level * grid_level - exponent));
}

// The first point that is not below x, without branches: the processor cannot guess them.
std::size_t lower_bound(std::span<const double> points, double x) {
    const double* base = points.data();
    std::size_t left = points.size();
    while (left > 1) {
        const std::size_t half = left / 2;
        base += static_cast<std::size_t>(base[half - 1] < x) * half;
        left -= half;
    }
    return static_cast<std::size_t>(base - points.data());
}

}  // namespace

GridMoments grid_moments(std::span<const double> x, const std::int64_t* label, const double* weight,
                         std::size_t classes, const MomentGrid& grid) {
    GridMoments found{std::vector<double>(classes), std::vector<std::int64_t>(4 * classes)};
    const Rounding first(grid.first_exponent), second(grid.second_exponent);
    std::vector<std::array<double, 4>> held(classes);
    for (std::size_t start = 0; start < x.size(); start += grid_block) {
        std::fill(held.begin(), held.end(), std::array<double, 4>{});
        const std::size_t end = std::min(start + grid_block, x.size());
        for (std::size_t i = start; i < end; ++i) {
            const double deviation = x[i] - grid.centre;
            if (std::isnan(deviation)) continue;
            const auto c = static_cast<std::size_t>(label[i]);
            const double w = weight == nullptr ? 1.0 : weight[i];
            found.weight[c] += w;
            const double weighed = w * deviation;
            first.add(weighed, held[c].data());
            second.add(weighed * deviation, held[c].data() + 2);
        }
        for (std::size_t c = 0; c < classes; ++c) {
            for (std::size_t part = 0; part < 4; ++part) {
                const int exponent = part < 2 ? grid.first_exponent : grid.second_exponent;
                found.sums[part * classes + c] += in_units(held[c][part], part % 2 == 0 ? 1 : 2, exponent);
            }
        }
    }
    return found;
}

std::vector<double> point_counts(std::span<const double> x, std::span<const double> points, const std::int64_t* label,
                                 const double* weight, std::size_t classes) {
    std::vector<double> table(points.size() * classes);
    if (points.empty()) return table;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i])) continue;
        const std::size_t point = lower_bound(points, x[i]);
        table[point * classes + static_cast<std::size_t>(label[i])] += weight == nullptr ? 1.0 : weight[i];
    }
    return table;
}

}  // namespace vaglio
