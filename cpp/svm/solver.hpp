#pragma once
// The dual of a support vector machine, solved by working sets.
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "svm/gram.hpp"

namespace vaglio {

struct SvmOptions {
    double tolerance = 1e-3;
    std::int64_t max_steps = -1;  // of sequential minimal optimisation; negative: no bound
    bool shrinking = true;
    // A dual objective above this means that no hyperplane separates the classes (hard margin).
    double objective_limit = 0;  // 0: none
    int working_set = 512;
};

// f(x) = sum beta_i k(x_i, x) + intercept with beta_i = y_i alpha_i.
struct SvmSolution {
    std::vector<double> beta;
    std::vector<double> slope;  // y - K beta: slack_i = max(0, 1 - y_i f(x_i)) = max(0, y_i (slope_i - intercept))
    double intercept = 0;
    double objective = 0;
    double gap = 0;  // largest violation of the optimality conditions by any pair, over all rows
    std::int64_t steps = 0;
    bool converged = false;
    bool diverged = false;
};

// maximise y.beta - beta.K.beta / 2 subject to sum(beta) = 0, low <= beta <= high.
template <class T>
SvmSolution solve_dual(Gram<T>& gram, std::span<const double> target, std::span<const double> low,
                       std::span<const double> high, const SvmOptions& options, Control& control);

}  // namespace vaglio
