// Exact sums: what a sum in more digits gives, in any order, at any scale.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/exact_sum.hpp"

using vaglio::ExactSum;

namespace {

double sum_of(const std::vector<double>& terms) {
    ExactSum sum;
    for (const double term : terms) sum.add(term);
    return sum.value();
}

void test_known_sums() {
    const double huge = 1e300, tiny = std::numeric_limits<double>::denorm_min();
    CHECK(sum_of({}) == 0.0);
    CHECK(sum_of({1e100, 1.0, -1e100}) == 1.0);
    CHECK(sum_of({huge, huge, -huge}) == huge);
    CHECK(sum_of({tiny, tiny, -3 * tiny}) == -tiny);
    CHECK(sum_of({0.1, 0.2, -0.3}) == 0x1.0p-55);
    // Halfway between two numbers, to the even one; the least bit more, and it is above.
    CHECK(sum_of({1.0, 0x1.0p-53}) == 1.0);
    CHECK(sum_of({1.0, 0x1.0p-53, tiny}) == 1.0 + 0x1.0p-52);
    CHECK(sum_of({-1.0, -0x1.0p-53, -tiny}) == -1.0 - 0x1.0p-52);
    CHECK(sum_of({0x1.0p52, 0.5, -0x1.0p-1060}) == 0x1.0p52);
}

void test_order() {
    vaglio::Random random(5);
    for (int attempt = 0; attempt < 200; ++attempt) {
        std::vector<double> terms(static_cast<std::size_t>(random.below(40)) + 2);
        for (double& term : terms) {
            term = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(200)) - 100);
        }
        // A number and its opposite leave nothing behind.
        const double first = terms.front();
        const double whole = sum_of(terms);
        std::reverse(terms.begin(), terms.end());
        CHECK(sum_of(terms) == whole);
        terms.insert(terms.end(), {-first, first});
        CHECK(sum_of(terms) == whole);
        ExactSum halves[2];
        for (std::size_t i = 0; i + 2 < terms.size(); ++i) halves[i % 2].add(terms[i]);
        halves[0] += halves[1];
        CHECK(halves[0].value() == whole);
        long double plain = 0;
        for (const double term : terms) plain += term;
        CHECK(std::fabs(static_cast<double>(plain) - whole) <= 1e-15 * 0x1.0p100);
    }
}

}  // namespace

int main() {
    test_known_sums();
    test_order();
    return check_result();
}
