// Loops over rows at the edges of vectors and chunks, against the rule itself.
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "linear/logistic.hpp"
#include "linear/perceptron.hpp"
#include "linear/quadratic_lasso.hpp"

namespace {

using namespace vaglio;

struct Data {
    std::vector<double> rows;
    std::vector<std::int32_t> labels;
};

Data make(std::size_t n, std::size_t d, int classes) {
    Random random(n * 31 + d);
    Data data{std::vector<double>(n * d), std::vector<std::int32_t>(n)};
    for (double& v : data.rows) v = random.uniform() - 0.5;
    for (auto& label : data.labels) label = static_cast<std::int32_t>(random.below(classes));
    return data;
}

void test_perceptron(std::size_t n, std::size_t d, int outputs) {
    const Data data = make(n, d, outputs == 1 ? 2 : outputs);
    Control control;
    PerceptronState state{d, outputs, std::vector<double>(static_cast<std::size_t>(outputs) * (d + 1), 0.0)};
    std::vector<double> expected = state.weights;
    perceptron_epoch(DenseRowsView{data.rows.data(), n, d}, data.labels, {}, {0.5, true, {}}, state, control);
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < outputs; ++k) {
            double* w = expected.data() + static_cast<std::size_t>(k) * (d + 1);
            double value = w[d];
            for (std::size_t j = 0; j < d; ++j) value += w[j] * data.rows[i * d + j];
            const int truth = outputs == 1 ? data.labels[i] : data.labels[i] == k;
            const double step = 0.5 * (truth - (value > 0 ? 1 : 0));
            for (std::size_t j = 0; j < d; ++j) w[j] += step * data.rows[i * d + j];
            w[d] += step;
        }
    for (std::size_t j = 0; j < expected.size(); ++j) CHECK(std::abs(state.weights[j] - expected[j]) < 1e-9);
}

// The gradient against differences of the loss, and the Hessian against differences of the gradient.
void test_logistic(std::size_t n, std::size_t d, int outputs) {
    const Data data = make(n, d, outputs == 1 ? 2 : outputs);
    Control control;
    std::vector<double> coef(static_cast<std::size_t>(outputs) * (d + 1), 0.1);
    const LogisticData input{data.rows.data(), n, d, data.labels, {}};
    const LogisticPass pass = logistic_pass(input, coef.data(), outputs, true, 1, control);
    const LogisticPass shared = logistic_pass(input, coef.data(), outputs, true, 3, control);
    CHECK(shared.gradient == pass.gradient && shared.hessian == pass.hessian);
    CHECK(logistic_pass(input, coef.data(), outputs, false, 1, control).hessian.empty());
    const double within = 1e-4 * (1 + static_cast<double>(n));
    for (std::size_t j = 0; j < coef.size(); j += 3) {
        const double h = 1e-5;
        coef[j] += h;
        const LogisticPass above = logistic_pass(input, coef.data(), outputs, false, 1, control);
        coef[j] -= 2 * h;
        const LogisticPass below = logistic_pass(input, coef.data(), outputs, false, 1, control);
        coef[j] += h;
        CHECK(std::abs((above.loss - below.loss) / (2 * h) - pass.gradient[j]) < within);
        for (std::size_t i = 0; i < coef.size(); ++i) {
            const double bend = (above.gradient[i] - below.gradient[i]) / (2 * h);
            CHECK(std::abs(bend - pass.hessian[i * coef.size() + j]) < within);
        }
    }
}

// Separable in its coordinates: each is soft-thresholded by itself.
void test_lasso() {
    const std::vector<double> hessian{2, 0, 0, 4}, gradient{-3, 1}, start{0, 0}, l1{1, 2};
    Control control;
    const QuadraticMinimum found = quadratic_lasso(hessian.data(), gradient, start, l1, 1e-20, 100, control);
    CHECK(std::abs(found.x[0] - 1.0) < 1e-12 && found.x[1] == 0.0 && found.sweeps == 1);
    CHECK(quadratic_lasso(hessian.data(), gradient, start, l1, 1e-20, 1, control).sweeps == 1);
}

// No slope of the loss exceeds the absolute penalty, and where a coefficient is not 0 it equals it.
void test_lasso_path() {
    constexpr std::size_t p = 4;
    Random random(1);
    std::vector<double> rows(20 * p), gram(p * p, 0.0), slopes(p);
    for (double& value : rows) value = random.uniform() - 0.5;
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t r = 0; r < 20; ++r) gram[i * p + j] += rows[r * p + i] * rows[r * p + j];
    for (double& value : slopes) value = random.uniform() - 0.5;
    const std::vector<double> alphas{10.0, 0.3, 0.1, 0.0};
    Control control;
    for (const double ratio : {1.0, 0.4}) {
        const LassoPath path = lasso_path(gram.data(), slopes, alphas, ratio, 1e-24, 10'000, control);
        CHECK(path.sweeps.size() == alphas.size() && path.coef.size() == alphas.size() * p);
        CHECK(path.coef[0] == 0 && path.sweeps[0] == 0);
        for (std::size_t a = 0; a < alphas.size(); ++a)
            for (std::size_t j = 0; j < p; ++j) {
                const double* x = path.coef.data() + a * p;
                double slope = slopes[j] - alphas[a] * (1 - ratio) * x[j];
                for (std::size_t i = 0; i < p; ++i) slope -= gram[j * p + i] * x[i];
                const double most = alphas[a] * ratio;
                CHECK(x[j] == 0 ? std::abs(slope) <= most + 1e-9 : std::abs(slope - std::copysign(most, x[j])) < 1e-9);
            }
    }
}

}  // namespace

int main() {
    for (const std::size_t n : {1u, 2u, 127u, 128u, 129u})
        for (const std::size_t d : {1u, 3u, 8u, 30u})
            for (const int outputs : {1, 3}) {
                test_perceptron(n, d, outputs);
                test_logistic(n, d, outputs);
            }
    test_logistic(9000, 2, 3);
    test_lasso();
    test_lasso_path();
    return check_result();
}
