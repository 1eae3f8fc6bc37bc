// Chooses precision and kernel, and solves the two-class machines side by side or one after the other.
#include "svm/problems.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace vaglio {
namespace {

// Small problems are solved side by side, large ones one after the other with all threads inside. Which of the two
// depends on the data alone, so that the number of threads changes nothing but the time.
template <class T, class MakeGram>
std::vector<SvmSolution> solve_all(const SvmProblems& problems, const SvmOptions& options, int threads,
                                   Control& control, MakeGram make_gram) {
    constexpr std::int64_t small = 4096;
    std::int64_t largest = 0;
    for (std::size_t p = 0; p < problems.count(); ++p)
        largest = std::max(largest, problems.starts[p + 1] - problems.starts[p]);
    control.expect(1000 * problems.count());
    std::vector<SvmSolution> solutions(problems.count());
    parallel_for(largest <= small ? threads : 1, problems.count(), [&](std::size_t p, int) {
        const auto first = static_cast<std::size_t>(problems.starts[p]);
        const auto count = static_cast<std::size_t>(problems.starts[p + 1]) - first;
        const auto target = problems.target.subspan(first, count);
        const auto low = problems.low.subspan(first, count), high = problems.high.subspan(first, count);
        const auto gram = make_gram(problems.index.subspan(first, count), largest <= small ? 1 : threads);
        solutions[p] = solve_dual<T>(*gram, target, low, high, options, control);
    });
    return solutions;
}

template <class T>
std::vector<SvmSolution> solve_with(const DenseRows& rows, const KernelSpec& spec, const SvmProblems& problems,
                                    const SvmOptions& options, const SvmResources& resources, Control& control) {
    return solve_all<T>(problems, options, resources.threads, control,
                        [&](std::span<const std::int32_t> index, int threads) {
                            return feature_gram<T>(rows, index, spec, resources.cache_bytes, threads, control);
                        });
}

}  // namespace

bool single_precision_suffices(const DenseRows& rows, const KernelSpec& spec, double largest_bound, double tolerance) {
    constexpr std::size_t worth_it = 2000;
    if (spec.kind != KernelKind::rbf || rows.n < worth_it) return false;
    std::vector<double> centre(rows.d, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i)
        for (std::size_t k = 0; k < rows.d; ++k) centre[k] += rows.row(i)[k] / static_cast<double>(rows.n);
    double longest = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        double norm = 0;
        for (std::size_t k = 0; k < rows.d; ++k) norm += (rows.row(i)[k] - centre[k]) * (rows.row(i)[k] - centre[k]);
        longest = std::max(longest, norm);
    }
    // A kernel value is off by some 3e-7 where exponents are moderate; the errors of a slope's n terms of at most C
    // add up like a random walk.
    const double slope_error = largest_bound * std::sqrt(static_cast<double>(rows.n)) * 3e-7;
    return spec.gamma * longest <= 64 && slope_error <= 0.1 * tolerance;
}

std::vector<SvmSolution> solve_features(const DenseRows& rows, const KernelSpec& spec, const SvmProblems& problems,
                                        const SvmOptions& options, const SvmResources& resources, Control& control) {
    if (spec.kind == KernelKind::linear)
        return solve_all<double>(problems, options, resources.threads, control,
                                 [&](std::span<const std::int32_t> index, int) { return linear_gram(rows, index); });
    double bound = 0.0;
    for (const double high : problems.high) bound = std::max(bound, high);
    for (const double low : problems.low) bound = std::max(bound, -low);
    if (single_precision_suffices(rows, spec, bound, options.tolerance))
        return solve_with<float>(rows, spec, problems, options, resources, control);
    return solve_with<double>(rows, spec, problems, options, resources, control);
}

std::vector<SvmSolution> solve_sparse(const SparseRows& rows, const SvmProblems& problems, const SvmOptions& options,
                                      const SvmResources& resources, Control& control) {
    return solve_all<double>(problems, options, resources.threads, control,
                             [&](std::span<const std::int32_t> index, int) { return sparse_linear_gram(rows, index); });
}

std::vector<SvmSolution> solve_matrix(const double* matrix, std::size_t n, const SvmProblems& problems,
                                      const SvmOptions& options, const SvmResources& resources, Control& control) {
    return solve_all<double>(problems, options, resources.threads, control,
                             [&](std::span<const std::int32_t> index, int) { return matrix_gram(matrix, n, index); });
}

}  // namespace vaglio
