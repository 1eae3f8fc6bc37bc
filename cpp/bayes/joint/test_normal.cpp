// Joint normal densities against the formula, for more rows than are looked at together.
#include <cmath>
#include <numbers>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "bayes/joint/normal.hpp"

using namespace vaglio;

namespace {

// Two densities over two columns: of variances 4 and 2 with covariance 2, and standard normal around (1, -1).
const std::vector<double> mean{0, 0, 1, -1}, factor{2, 0, 1, 1, 1, 0, 0, 1};

std::vector<double> normalisers() {
    std::vector<double> found;
    for (const double deviation : {2.0, 1.0, 1.0, 1.0})
        found.push_back(-0.5 * std::log(2 * std::numbers::pi) - std::log(deviation));
    return found;
}

double normal(double x, double centre, double variance) {
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + (x - centre) * (x - centre) / variance);
}

void test_the_columns_follow_each_other_by_the_chain_rule() {
    constexpr std::size_t n = 37;
    Random random(5);
    std::vector<double> x;
    for (std::size_t i = 0; i < 2 * n; ++i) x.push_back(4 * random.uniform() - 2);
    const std::vector<double> normaliser = normalisers();
    const JointNormals by{2, 2, mean, normaliser, factor};
    Control control;
    const std::vector<double> all = joint_normal_densities({x.data(), n, 2, 2, 1}, by, false, 1, control);
    const std::vector<double> steps = joint_normal_densities({x.data(), n, 2, 2, 1}, by, true, 2, control);
    for (std::size_t i = 0; i < n; ++i) {
        const double a = x[2 * i], b = x[2 * i + 1];
        // Given the first column, the second has mean a / 2 and variance 1.
        const double first[2] = {normal(a, 0, 4), normal(a, 1, 1)};
        const double second[2] = {normal(b, a / 2, 1), normal(b, -1, 1)};
        for (std::size_t m = 0; m < 2; ++m) {
            CHECK(std::abs(steps[(i * 2 + m) * 2] - first[m]) < 1e-12);
            CHECK(std::abs(steps[(i * 2 + m) * 2 + 1] - first[m] - second[m]) < 1e-12);
            CHECK(all[i * 2 + m] == steps[(i * 2 + m) * 2 + 1]);
        }
    }
}

void test_a_row_by_itself_has_the_same_bits() {
    constexpr std::size_t n = 37;
    Random random(6);
    std::vector<double> x;
    for (std::size_t i = 0; i < 2 * n; ++i) x.push_back(random.uniform());
    const std::vector<double> normaliser = normalisers();
    const JointNormals by{2, 2, mean, normaliser, factor};
    Control control;
    const std::vector<double> all = joint_normal_densities({x.data(), n, 2, 2, 1}, by, false, 1, control);
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double> one = joint_normal_densities({&x[2 * i], 1, 2, 2, 1}, by, false, 1, control);
        CHECK(one[0] == all[2 * i] && one[1] == all[2 * i + 1]);
    }
}

}  // namespace

int main() {
    test_the_columns_follow_each_other_by_the_chain_rule();
    test_a_row_by_itself_has_the_same_bits();
    return check_result();
}
