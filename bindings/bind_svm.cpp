#include "support.hpp"
#include "svm/problems.hpp"

namespace {

using vaglio::Control;

vaglio::KernelSpec spec_of(const std::string& kernel, double gamma, double coef0, int degree) {
    vaglio::KernelSpec spec;
    if (kernel == "linear") {
        spec.kind = vaglio::KernelKind::linear;
    } else if (kernel == "poly") {
        spec.kind = vaglio::KernelKind::polynomial;
    } else if (kernel == "rbf") {
        spec.kind = vaglio::KernelKind::rbf;
    } else {
        require(kernel == "sigmoid", "kernel must be linear, poly, rbf or sigmoid");
        spec.kind = vaglio::KernelKind::sigmoid;
    }
    require(degree >= 0, "degree must not be negative");
    spec.gamma = gamma;
    spec.coef0 = coef0;
    spec.degree = degree;
    return spec;
}

vaglio::DenseRows rows_of(const Array2<double>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

void check_starts(std::span<const std::int64_t> starts, std::size_t total, const char* message) {
    require(!starts.empty() && starts.front() == 0 && static_cast<std::size_t>(starts.back()) == total, message);
    for (std::size_t p = 1; p < starts.size(); ++p) require(starts[p] >= starts[p - 1], message);
}

vaglio::SvmProblems problems_of(const Array1<std::int32_t>& index, const Array1<std::int64_t>& starts,
                                const Array1<double>& target, const Array1<double>& low, const Array1<double>& high,
                                std::size_t n) {
    require(index.size() == target.size() && index.size() == low.size() && index.size() == high.size(),
            "index, target and bounds differ in length");
    check_starts(span_of(starts), index.size(), "starts does not divide index into problems");
    for (const std::int32_t i : span_of(index))
        require(i >= 0 && static_cast<std::size_t>(i) < n, "index is out of range");
    return {span_of(index), span_of(starts), span_of(target), span_of(low), span_of(high)};
}

vaglio::SvmOptions options_of(double tolerance, std::int64_t max_steps, bool shrinking, double objective_limit,
                              int working_set) {
    require(tolerance > 0 && working_set >= 2, "tolerance must be positive and working_set at least 2");
    return {tolerance, max_steps, shrinking, objective_limit, working_set};
}

auto to_tuple(std::vector<vaglio::SvmSolution>&& solutions) {
    std::vector<double> beta, slope, intercept, objective, gap;
    std::vector<std::int64_t> steps;
    std::vector<std::uint8_t> status;  // 0 converged, 1 out of steps, 2 diverged
    for (const auto& s : solutions) {
        beta.insert(beta.end(), s.beta.begin(), s.beta.end());
        slope.insert(slope.end(), s.slope.begin(), s.slope.end());
        intercept.push_back(s.intercept);
        objective.push_back(s.objective);
        gap.push_back(s.gap);
        steps.push_back(s.steps);
        status.push_back(s.diverged ? 2 : s.converged ? 0 : 1);
    }
    return std::make_tuple(to_numpy(std::move(beta)), to_numpy(std::move(slope)), to_numpy(std::move(intercept)),
                           to_numpy(std::move(objective)), to_numpy(std::move(gap)), to_numpy(std::move(steps)),
                           to_numpy(std::move(status)));
}

}  // namespace

void register_svm(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "svm_solve",
        [](Array2<double> X, const std::string& kernel, double gamma, double coef0, int degree,
           Array1<std::int32_t> index, Array1<std::int64_t> starts, Array1<double> target, Array1<double> low,
           Array1<double> high, double tolerance, std::int64_t max_steps, bool shrinking, double objective_limit,
           int working_set, double cache_bytes, int threads, Progress progress) {
            const auto spec = spec_of(kernel, gamma, coef0, degree);
            const auto problems = problems_of(index, starts, target, low, high, X.shape(0));
            const auto options = options_of(tolerance, max_steps, shrinking, objective_limit, working_set);
            const vaglio::SvmResources resources{static_cast<std::size_t>(cache_bytes), threads};
            return to_tuple(run_kernel(
                progress,
                [&](Control& control) {
                    return vaglio::solve_features(rows_of(X), spec, problems, options, resources, control);
                },
                steps_of({index.size(), index.size(), X.shape(1)})));
        },
        "X"_a, "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "index"_a, "starts"_a, "target"_a, "low"_a, "high"_a,
        "tolerance"_a, "max_steps"_a, "shrinking"_a, "objective_limit"_a, "working_set"_a, "cache_bytes"_a, "threads"_a,
        "progress"_a = nb::none(), "Solve the duals of several machines over rows of features.");
    m.def(
        "svm_solve_sparse",
        [](Array1<double> values, Array1<std::int32_t> columns, Array1<std::int64_t> row_starts, std::int64_t width,
           Array1<std::int32_t> index, Array1<std::int64_t> starts, Array1<double> target, Array1<double> low,
           Array1<double> high, double tolerance, std::int64_t max_steps, bool shrinking, double objective_limit,
           int working_set, int threads, Progress progress) {
            require(values.size() == columns.size() && width >= 0, "values and columns differ in length");
            check_starts(span_of(row_starts), values.size(), "row_starts does not divide the values into rows");
            for (const std::int32_t c : span_of(columns)) require(c >= 0 && c < width, "a column is out of range");
            const std::size_t n = row_starts.size() - 1;
            const vaglio::SparseRows rows{values.data(), columns.data(), row_starts.data(), n,
                                          static_cast<std::size_t>(width)};
            const auto problems = problems_of(index, starts, target, low, high, n);
            const auto options = options_of(tolerance, max_steps, shrinking, objective_limit, working_set);
            return to_tuple(run_kernel(progress, [&](Control& control) {
                return vaglio::solve_sparse(rows, problems, options, {0, threads}, control);
            }));
        },
        "values"_a, "columns"_a, "row_starts"_a, "width"_a, "index"_a, "starts"_a, "target"_a, "low"_a, "high"_a,
        "tolerance"_a, "max_steps"_a, "shrinking"_a, "objective_limit"_a, "working_set"_a, "threads"_a,
        "progress"_a = nb::none(), "Solve the duals of several linear machines over sparse rows.");
    m.def(
        "svm_solve_matrix",
        [](Array2<double> K, Array1<std::int32_t> index, Array1<std::int64_t> starts, Array1<double> target,
           Array1<double> low, Array1<double> high, double tolerance, std::int64_t max_steps, bool shrinking,
           double objective_limit, int working_set, int threads, Progress progress) {
            require(K.shape(0) == K.shape(1), "the kernel matrix must be square");
            const auto problems = problems_of(index, starts, target, low, high, K.shape(0));
            const auto options = options_of(tolerance, max_steps, shrinking, objective_limit, working_set);
            return to_tuple(run_kernel(
                progress,
                [&](Control& control) {
                    return vaglio::solve_matrix(K.data(), K.shape(0), problems, options, {0, threads}, control);
                },
                steps_of({index.size(), index.size()})));
        },
        "K"_a, "index"_a, "starts"_a, "target"_a, "low"_a, "high"_a, "tolerance"_a, "max_steps"_a, "shrinking"_a,
        "objective_limit"_a, "working_set"_a, "threads"_a, "progress"_a = nb::none(),
        "Solve the duals of several machines over a given kernel matrix.");
    m.def(
        "svm_kernel_sums",
        [](Array2<double> X, Array2<double> vectors, const std::string& kernel, double gamma, double coef0, int degree,
           Array1<std::int64_t> starts, Array2<double> coef, bool single_precision, int threads) {
            require(X.shape(1) == vectors.shape(1), "rows and support vectors differ in width");
            require(coef.shape(1) == vectors.shape(0), "every support vector needs its coefficients");
            check_starts(span_of(starts), vectors.shape(0), "starts does not divide the support vectors into groups");
            const auto spec = spec_of(kernel, gamma, coef0, degree);
            const std::size_t groups = starts.size() - 1, outputs = coef.shape(0);
            return to_numpy(run_kernel(
                                nb::none(),
                                [&](Control& control) {
                                    return vaglio::kernel_sums(rows_of(X), rows_of(vectors), spec, span_of(starts),
                                                               coef.data(), outputs, single_precision, threads,
                                                               control);
                                },
                                steps_of({X.shape(0), vectors.shape(0), X.shape(1) + outputs})),
                            {X.shape(0), groups, outputs});
        },
        "X"_a, "vectors"_a, "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "starts"_a, "coef"_a, "single_precision"_a,
        "threads"_a, "Sum coefficient times kernel value over each group of support vectors.");
    m.def(
        "svm_kernel_matrix",
        [](Array2<double> X, Array2<double> vectors, const std::string& kernel, double gamma, double coef0, int degree,
           int threads) {
            require(X.shape(1) == vectors.shape(1), "rows and vectors differ in width");
            const auto spec = spec_of(kernel, gamma, coef0, degree);
            return to_numpy(run_kernel(
                                nb::none(),
                                [&](Control& control) {
                                    return vaglio::kernel_matrix(rows_of(X), rows_of(vectors), spec, threads, control);
                                },
                                steps_of({X.shape(0), vectors.shape(0), X.shape(1)})),
                            {X.shape(0), vectors.shape(0)});
        },
        "X"_a, "vectors"_a, "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "threads"_a,
        "Kernel values between two sets of rows.");
    m.def(
        "svm_single_precision",
        [](Array2<double> X, const std::string& kernel, double gamma, double bound, double tolerance) {
            return vaglio::single_precision_suffices(rows_of(X), spec_of(kernel, gamma, 0.0, 1), bound, tolerance);
        },
        "X"_a, "kernel"_a, "gamma"_a, "bound"_a, "tolerance"_a,
        "Whether the solver works with kernel values in single precision.");
}
