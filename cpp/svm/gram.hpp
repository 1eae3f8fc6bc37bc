#pragma once
// Where a machine's kernel values come from. The solver asks for two things only: the square of a working set, and
// the effect of a change of some multipliers on the slopes of all kept rows.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/control.hpp"
#include "svm/kernel_loops.hpp"

namespace vaglio {

template <class T>
class Gram {
 public:
    virtual ~Gram() = default;
    virtual std::size_t size() const = 0;
    // From now on sums run over these columns, in this order.
    virtual void keep(std::span<const std::int32_t> columns) = 0;
    // out[r * stride + c] = k(rows[r], rows[c]).
    virtual void square(std::span<const std::int32_t> rows, int stride, T* out) = 0;
    // sum[c] += sum over r of coef[r] * k(rows[r], kept column c).
    virtual void add(std::span<const std::int32_t> rows, std::span<const double> coef, double* sum) = 0;
    // Room that `sum` must have beyond the number of kept columns, rounded up to whole vectors.
    static constexpr std::size_t padding = 64;
};

// Rows of features, in C order. `index` picks the rows of this problem out of a larger table.
struct DenseRows {
    const double* values;
    std::size_t n, d;
    const double* row(std::size_t i) const { return values + i * d; }
};

struct SparseRows {
    const double* values;
    const std::int32_t* columns;
    const std::int64_t* starts;
    std::size_t n, d;
};

template <class T>
std::unique_ptr<Gram<T>> feature_gram(const DenseRows& rows, std::span<const std::int32_t> index,
                                      const KernelSpec& spec, std::size_t cache_bytes, int threads, Control& control);
// With a linear kernel the slopes follow from the weight vector, without any kernel row.
std::unique_ptr<Gram<double>> linear_gram(const DenseRows& rows, std::span<const std::int32_t> index);
std::unique_ptr<Gram<double>> sparse_linear_gram(const SparseRows& rows, std::span<const std::int32_t> index);
// A kernel matrix that somebody else computed, n x n in C order.
std::unique_ptr<Gram<double>> matrix_gram(const double* matrix, std::size_t n, std::span<const std::int32_t> index);

}  // namespace vaglio
