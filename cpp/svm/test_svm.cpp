// The dual solver on problems larger than a working set: conditions of optimality from scratch, any number of threads.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "svm/problems.hpp"

namespace {

using namespace vaglio;

struct Data {
    std::size_t n, d;
    std::vector<double> rows, target, low, high;
    std::vector<std::int32_t> index;
    std::vector<std::int64_t> starts;
};

Data make(std::size_t n, std::size_t d) {
    Data data{n,
              d,
              std::vector<double>(n * d),
              std::vector<double>(n),
              std::vector<double>(n, 0.0),
              std::vector<double>(n, 0.0),
              {},
              {}};
    Random random(7);
    for (double& v : data.rows) v = random.uniform() * 2 - 1;
    for (std::size_t i = 0; i < n; ++i) {
        data.target[i] = data.rows[i * d] * data.rows[i * d + 1] + 0.2 * random.uniform() > 0.1 ? 1.0 : -1.0;
        (data.target[i] > 0 ? data.high : data.low)[i] = data.target[i];
        data.index.push_back(static_cast<std::int32_t>(i));
    }
    data.starts = {0, static_cast<std::int64_t>(n)};
    return data;
}

SvmSolution solve(const Data& data, const KernelSpec& spec, double tolerance, int threads, int working_set) {
    Control control;
    const SvmProblems problems{data.index, data.starts, data.target, data.low, data.high};
    SvmOptions options;
    options.tolerance = tolerance;
    options.working_set = working_set;
    SvmResources resources;
    resources.threads = threads;
    return solve_features({data.rows.data(), data.n, data.d}, spec, problems, options, resources, control)[0];
}

double gap_from_scratch(const Data& data, const KernelSpec& spec, const std::vector<double>& beta) {
    Control control;
    const DenseRows rows{data.rows.data(), data.n, data.d};
    const std::vector<double> kernel = kernel_matrix(rows, rows, spec, 1, control);
    double rising = -1e300, falling = 1e300;
    for (std::size_t i = 0; i < data.n; ++i) {
        double slope = data.target[i];
        for (std::size_t j = 0; j < data.n; ++j) slope -= kernel[i * data.n + j] * beta[j];
        if (beta[i] < data.high[i]) rising = std::max(rising, slope);
        if (beta[i] > data.low[i]) falling = std::min(falling, slope);
    }
    return rising - falling;
}

}  // namespace

int main() {
    const Data data = make(700, 4);
    for (const KernelKind kind : {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf}) {
        const KernelSpec spec{kind, 0.7, 1.0, 2};
        const SvmSolution one = solve(data, spec, 1e-4, 1, 64);
        CHECK(one.converged);
        CHECK(one.gap <= 1e-4);
        CHECK(gap_from_scratch(data, spec, one.beta) <= 1.01e-4);
        double sum = 0;
        for (const double b : one.beta) sum += b;
        CHECK(std::abs(sum) < 1e-9);
        CHECK(solve(data, spec, 1e-4, 3, 64).beta == one.beta);
    }
    // Single precision, shrinking and the thread pool all come into play here.
    const Data large = make(2600, 12);
    const KernelSpec spec{KernelKind::rbf, 0.2, 0.0, 3};
    CHECK(single_precision_suffices({large.rows.data(), large.n, large.d}, spec, 1.0, 1e-3));
    const SvmSolution single = solve(large, spec, 1e-3, 2, 128);
    CHECK(single.converged && gap_from_scratch(large, spec, single.beta) <= 1.05e-3);
    CHECK(solve(large, spec, 1e-3, 1, 128).beta == single.beta);
    return check_result();
}
