// Numbers in order, and their places among cuts, as the standard library finds them.
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/cutting.hpp"

using namespace vaglio;

namespace {

std::vector<double> numbers(std::size_t n, std::uint64_t seed, double range) {
    Random random(seed);
    std::vector<double> found(n);
    for (double& x : found) x = std::floor((random.uniform() - 0.5) * range) / 4;
    return found;
}

void test_order(std::size_t n) {
    for (const double range : {3.0, 1e6, 1e300}) {
        std::vector<double> ours = numbers(n, n, range), theirs = ours;
        sort_numbers(ours);
        std::sort(theirs.begin(), theirs.end());
        CHECK(ours == theirs);
    }
}

// How cuts and numbers lie: evenly, many in one place, over many sizes, beyond what doubles can be apart.
double evenly(double x) { return x; }
double crowded(double x) { return x * x * x / 4096; }
double of_many_sizes(double x) { return std::copysign(std::exp(std::abs(x)), x); }
double far_apart(double x) { return x * 1e307; }

void test_places(std::size_t n, std::size_t n_cuts, double (*spread)(double), double range) {
    std::vector<double> cuts = numbers(n_cuts, 1, range), x = numbers(n, 2, 1.2 * range);
    std::transform(cuts.begin(), cuts.end(), cuts.begin(), spread);
    std::transform(x.begin(), x.end(), x.begin(), spread);
    sort_numbers(cuts);
    if (n > 9) x[7] = std::numeric_limits<double>::infinity(), x[8] = -x[7];
    if (n > 2) x[2] = std::numeric_limits<double>::quiet_NaN();
    const auto value = [&](std::size_t i) { return x[i]; };
    std::size_t seen = 0;
    count_cuts<false>(cuts, 0, n, value, [&](std::size_t i, double own, std::size_t place) {
        const auto expected = std::lower_bound(cuts.begin(), cuts.end(), x[i]) - cuts.begin();
        CHECK(own != own ? place == 0 : place == static_cast<std::size_t>(expected));
        ++seen;
    });
    count_cuts<true>(cuts, 0, n, value, [&](std::size_t i, double own, std::size_t place) {
        const auto expected = std::upper_bound(cuts.begin(), cuts.end(), x[i]) - cuts.begin();
        CHECK(own != own ? place == 0 : place == static_cast<std::size_t>(expected));
        ++seen;
    });
    CHECK(seen == 2 * n);
}

}  // namespace

int main() {
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 50u, 3000u, 40000u}) {
        test_order(n);
        for (const std::size_t cuts : {0u, 1u, 2u, 6u, 7u, 8u, 16u, 254u, 1000u, 4000u}) {
            for (const auto spread : {evenly, crowded, of_many_sizes, far_apart}) {
                for (const double range : {0.0, 60.0, 2000.0}) test_places(n, cuts, spread, range);
            }
        }
    }
    return check_result();
}
