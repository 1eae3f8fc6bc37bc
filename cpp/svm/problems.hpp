#pragma once
// Several machines over one table: the pairs of one-vs-one, each class against the rest, or one for numbers, in which
// every row stands twice.
#include <span>
#include <vector>

#include "svm/solver.hpp"

namespace vaglio {

// Problem p has the rows index[starts[p]] … index[starts[p + 1] - 1], their targets, and the bounds of their beta.
struct SvmProblems {
    std::span<const std::int32_t> index;
    std::span<const std::int64_t> starts;
    std::span<const double> target;
    std::span<const double> low, high;
    std::size_t count() const { return starts.size() - 1; }
};

struct SvmResources {
    std::size_t cache_bytes = 200 << 20;
    int threads = 1;
};

std::vector<SvmSolution> solve_features(const DenseRows& rows, const KernelSpec& spec, const SvmProblems& problems,
                                        const SvmOptions& options, const SvmResources& resources, Control& control);
std::vector<SvmSolution> solve_sparse(const SparseRows& rows, const SvmProblems& problems, const SvmOptions& options,
                                      const SvmResources& resources, Control& control);
std::vector<SvmSolution> solve_matrix(const double* matrix, std::size_t n, const SvmProblems& problems,
                                      const SvmOptions& options, const SvmResources& resources, Control& control);

// sums[(i * groups + g) * outputs + k] = sum over the support vectors j of group g of coef[k][j] * kernel(row i, j).
// Group g holds the vectors starts[g] … starts[g + 1] - 1; coef has `outputs` rows.
std::vector<double> kernel_sums(const DenseRows& rows, const DenseRows& vectors, const KernelSpec& spec,
                                std::span<const std::int64_t> starts, const double* coef, std::size_t outputs,
                                bool single_precision, int threads, Control& control);

// k(row i, vector j) in double precision, in C order.
std::vector<double> kernel_matrix(const DenseRows& rows, const DenseRows& vectors, const KernelSpec& spec, int threads,
                                  Control& control);

// Whether kernel values in single precision leave the slopes accurate enough for this tolerance.
bool single_precision_suffices(const DenseRows& rows, const KernelSpec& spec, double largest_bound, double tolerance);

}  // namespace vaglio
