// The perceptron's walk on every instruction set this processor has, against the rule written down plainly.
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "linear/perceptron_loops.hpp"

namespace {

using namespace vaglio;

struct Case {
    std::size_t n, width;
    int outputs;
    bool shuffled, weighted, fit_bias, calm;
};

// Whole numbers: sums are exact in any order, so that the weights must agree to the last bit.
struct Problem {
    explicit Problem(const Case& given)
        : rows(given.n * given.width), labels(given.n), order(given.n), sample_weight(given.n) {
        Random random(given.n * 7 + given.width);
        for (double& value : rows) value = static_cast<double>(random.below(9)) - 4;
        for (std::size_t i = 0; i < given.n; ++i) {
            labels[i] = static_cast<std::int32_t>(random.below(given.outputs == 1 ? 2 : given.outputs));
            order[i] = static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(given.n)));
            sample_weight[i] = static_cast<double>(random.below(4));
        }
    }
    std::vector<double> rows;
    std::vector<std::int32_t> labels;
    std::vector<std::int64_t> order;
    std::vector<double> sample_weight;
};

struct Result {
    std::vector<double> weights, bias;
    std::vector<std::int64_t> errors;
    double doubt = 0;
};

Result by_the_rule(const Case& given, const Problem& problem) {
    Result result{std::vector<double>(given.outputs * given.width, 0.0), std::vector<double>(given.outputs, 0.0),
                  std::vector<std::int64_t>(given.outputs, 0)};
    for (std::size_t t = 0; t < given.n; ++t) {
        const std::size_t i = given.shuffled ? static_cast<std::size_t>(problem.order[t]) : t;
        for (int k = 0; k < given.outputs; ++k) {
            double* w = result.weights.data() + static_cast<std::size_t>(k) * given.width;
            double value = result.bias[k];
            for (std::size_t j = 0; j < given.width; ++j) value += w[j] * problem.rows[i * given.width + j];
            const int truth = problem.labels[i] == (given.outputs == 1 ? 1 : k);
            const int difference = truth - (value > 0);
            if (difference == 0) continue;
            ++result.errors[k];
            const double step = 0.5 * difference * (given.weighted ? problem.sample_weight[i] : 1.0);
            for (std::size_t j = 0; j < given.width; ++j) w[j] += step * problem.rows[i * given.width + j];
            if (given.fit_bias) result.bias[k] += step;
        }
    }
    return result;
}

Result by_the_walk(void (*op)(const PerceptronWalk&), const Case& given, const Problem& problem) {
    PerceptronWalk walk{};
    walk.rows = problem.rows.data();
    walk.width = given.width;
    walk.blocks = (given.width + 7) / 8;
    walk.total = problem.rows.size();
    walk.order = given.shuffled ? problem.order.data() : nullptr;
    walk.count = given.n;
    walk.labels = problem.labels.data();
    walk.sample_weight = given.weighted ? problem.sample_weight.data() : nullptr;
    walk.rate = 0.5;
    walk.fit_bias = given.fit_bias;
    walk.calm = given.calm;
    walk.outputs = given.outputs;
    walk.wanted = given.outputs == 1 ? 1 : 0;
    std::vector<double> padded(static_cast<std::size_t>(given.outputs) * walk.blocks * 8, 0.0), spare(walk.blocks * 8);
    Result result{{}, std::vector<double>(given.outputs, 0.0), std::vector<std::int64_t>(given.outputs, 0)};
    walk.weights = padded.data();
    walk.bias = result.bias.data();
    walk.errors = result.errors.data();
    walk.spare = spare.data();
    walk.doubt = &result.doubt;
    op(walk);
    for (int k = 0; k < given.outputs; ++k)
        for (std::size_t j = 0; j < walk.blocks * 8; ++j) {
            const double weight = padded[static_cast<std::size_t>(k) * walk.blocks * 8 + j];
            if (j < given.width)
                result.weights.push_back(weight);
            else
                CHECK(weight == 0);
        }
    return result;
}

void test_level(void (*op)(const PerceptronWalk&)) {
    for (const std::size_t width : {1, 7, 8, 9, 17, 30, 32, 33, 70})
        for (int outputs = 1; outputs <= PerceptronWalk::most_outputs; ++outputs)
            for (int options = 0; options < (outputs == 1 ? 16 : 8); ++options) {
                const Case given{
                    60, width, outputs, (options & 1) != 0, (options & 2) != 0, (options & 4) != 0, (options & 8) != 0};
                Problem problem(given);
                const Result expected = by_the_rule(given, problem), walked = by_the_walk(op, given, problem);
                CHECK(walked.weights == expected.weights);
                CHECK(walked.bias == expected.bias);
                CHECK(walked.errors == expected.errors);
                CHECK(walked.doubt == 0);
                // A number that is not finite is noticed, even where no answer was wrong: the last row is visited last.
                problem.rows.back() = options & 1 ? std::numeric_limits<double>::infinity() : std::nan("");
                problem.order.back() = 59;
                CHECK(std::isnan(by_the_walk(op, given, problem).doubt));
            }
}

}  // namespace

int main() {
    VAGLIO_LEVELS(perceptron_walk).each(test_level);
    return check_result();
}
