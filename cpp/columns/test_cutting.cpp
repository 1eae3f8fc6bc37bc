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

void test_places(std::size_t n, std::size_t n_cuts) {
    std::vector<double> cuts = numbers(n_cuts, 1, 100.0), x = numbers(n, 2, 120.0);
    sort_numbers(cuts);
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
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 50u, 3000u}) {
        test_order(n);
        for (const std::size_t cuts : {0u, 1u, 2u, 6u, 7u, 8u, 254u, 1000u}) test_places(n, cuts);
    }
    return check_result();
}
