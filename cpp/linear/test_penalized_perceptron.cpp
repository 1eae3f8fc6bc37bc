// A pass with a penalty against the rule with every weight written out at every row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "linear/penalized_perceptron.hpp"

namespace {

using namespace vaglio;

struct Table {
    std::size_t n, width;
    std::vector<double> rows, weight, values;
    std::vector<std::int32_t> labels, columns;
    std::vector<std::int64_t> starts{0}, order;

    Table(std::size_t n_, std::size_t width_) : n(n_), width(width_) {
        Random random(n * 31 + width);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < width; ++j) {
                const double value = random.uniform() - 0.5;
                rows.push_back(random.uniform() < 0.5 ? 0.0 : value);
                if (rows.back() == 0) continue;
                values.push_back(rows.back());
                columns.push_back(static_cast<std::int32_t>(j));
            }
            starts.push_back(static_cast<std::int64_t>(values.size()));
            labels.push_back(static_cast<std::int32_t>(random.below(2)));
            weight.push_back(random.uniform() < 0.2 ? 0.0 : random.uniform());
        }
        order = visiting_order(n, 7);
    }
};

PenalizedState zeros(std::size_t width) {
    PenalizedState state;
    state.weights.assign(width, 0.0);
    state.paid.assign(width, 0.0);
    return state;
}

// The rule of the literature: shrink, step where wrong, and clip each weight met by what it owes.
struct Written {
    std::vector<double> w, paid;
    double bias = 0, owed = 0;
    std::int64_t errors = 0;

    void visit(const Table& table, const PerceptronRates& rates, const PerceptronPenalty& penalty, bool sparse) {
        errors = 0;
        for (const std::int64_t row : table.order) {
            const auto i = static_cast<std::size_t>(row);
            const double* x = table.rows.data() + i * table.width;
            double value = bias;
            for (std::size_t j = 0; j < table.width; ++j) value += w[j] * x[j];
            const int truth = table.labels[i];
            const bool wrong = rates.at_zero ? (truth ? value : -value) <= 0 : (value > 0) != (truth == 1);
            const double move = wrong ? rates.rate * (truth ? 1 : -1) * table.weight[i] : 0.0;
            const double kept = std::max(0.0, 1 - (1 - penalty.l1_ratio) * rates.rate * penalty.alpha);
            errors += wrong;
            bias += move;
            owed += penalty.l1_ratio * rates.rate * penalty.alpha;
            for (std::size_t j = 0; j < table.width; ++j) {
                w[j] = w[j] * kept + move * x[j];
                if (sparse && x[j] == 0) continue;
                const double before = w[j];
                if (before > 0) w[j] = std::max(0.0, before - (owed + paid[j]));
                if (before < 0) w[j] = std::min(0.0, before + (owed - paid[j]));
                paid[j] += w[j] - before;
            }
        }
    }
};

void test_rule(const Table& table, const PerceptronPenalty& penalty, bool at_zero, bool sparse) {
    const PerceptronRates rates{0.5, true, table.weight, at_zero};
    const DenseRowsView dense{table.rows.data(), table.n, table.width};
    const SparseRowsView some{table.values.data(), table.columns.data(), table.starts.data(), table.n};
    PenalizedState state = zeros(table.width);
    Written written{std::vector<double>(table.width, 0.0), std::vector<double>(table.width, 0.0)};
    Control control;
    for (int pass = 0; pass < 3; ++pass) {
        const auto found = sparse ? penalized_pass(some, table.labels, table.order, rates, penalty, state, control)
                                  : penalized_pass(dense, table.labels, table.order, rates, penalty, state, control);
        written.visit(table, rates, penalty, sparse);
        CHECK(found.errors == written.errors);
        CHECK(found.objective >= 0);
        CHECK(state.sound);
        CHECK(std::abs(state.bias - written.bias) < 1e-9);
        for (std::size_t j = 0; j < table.width; ++j)
            CHECK(std::abs(state.weights[j] * state.scale - written.w[j]) < 1e-9);
    }
}

// Of one row, the loss and the penalty before its step.
void test_objective() {
    const std::vector<double> row{3.0, -4.0};
    const std::vector<std::int32_t> labels{0};
    PenalizedState state = zeros(2);
    state.weights = {2.0, 1.0};
    state.squares = 5.0;
    state.absolutes = 3.0;
    Control control;
    const auto pass = penalized_pass(DenseRowsView{row.data(), 1, 2}, labels, {}, {}, {0.1, 0.25}, state, control);
    CHECK(pass.errors == 1);
    CHECK(std::abs(pass.objective - (2.0 + 0.1 * (0.75 * 0.5 * 5.0 + 0.25 * 3.0))) < 1e-12);
}

}  // namespace

int main() {
    for (const std::size_t n : {1u, 2u, 60u})
        for (const std::size_t width : {1u, 5u})
            for (const PerceptronPenalty penalty :
                 {PerceptronPenalty{0.01, 0.0}, {0.01, 1.0}, {0.1, 0.3}, {1.9, 0.0}, {9.0, 0.1}})
                for (const bool at_zero : {false, true})
                    for (const bool sparse : {false, true}) test_rule(Table(n, width), penalty, at_zero, sparse);
    test_objective();
    return check_result();
}
