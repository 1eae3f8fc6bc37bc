#pragma once
// The vector loops behind support vector machines, written once and compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

enum class KernelKind : std::uint8_t { linear, polynomial, rbf, sigmoid };

// k(x, z) = x.z | (gamma x.z + coef0)^degree | exp(-gamma |x - z|^2) | tanh(gamma x.z + coef0)
struct KernelSpec {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;
};

// The variables of a working set, in the form: maximise target.beta - beta.K.beta / 2 subject to sum(beta) = const
// and low <= beta <= high. `slope` is the gradient target - K beta and is kept up to date.
template <class T>
struct WorkingSet {
    int size;         // a multiple of `lanes`; padding has low = high = beta
    const T* kernel;  // size x size
    double* slope;
    double* beta;
    const double* low;
    const double* high;
    double* up_bar;   // scratch: 0 where beta may rise, else -inf
    double* low_bar;  // scratch: 0 where beta may fall, else +inf
    const double* diagonal;
};

// Data rows are packed in panels: panel[k * panel_width + c] is feature k of the panel's row c, so that one vector
// holds one feature of several rows. The other operand comes in blocks of `block_rows`: block[k * block_rows + r].
template <class T>
struct KernelLoops {
    int block_rows;
    int panel_width;
    int lanes;

    // tile[r * panel_width + c] = k(block row r, panel row c); norms are squared lengths.
    void (*tile)(const KernelSpec&, const T* block, const T* block_norm, const T* panel, const T* panel_norm, int d,
                 T* tile);
    // sum[c] += sum over r < rows of coef[r] * values[r * stride + c], for c < count (a multiple of panel_width).
    void (*add_rows)(const T* values, std::ptrdiff_t stride, const double* coef, int rows, double* sum, int count);
    // sums[r * outputs + k] += sum over c of tile[r][c] * coef[k * stride + c], for one panel; each sum is spread over
    // `lanes` parts, which the caller adds up at the end.
    void (*project)(const T* tile, const T* coef, std::ptrdiff_t stride, int outputs, T* sums);
    // Sequential minimal optimisation inside a working set until no pair violates the conditions by more than
    // `tolerance`; gives the number of steps.
    std::int64_t (*optimise)(const WorkingSet<T>&, double tolerance, std::int64_t max_steps);
};

VAGLIO_DECLARE_LEVELS(template <class T> KernelLoops<T> kernel_table();)

template <class T>
const KernelLoops<T>& kernel_loops() {
    static const KernelLoops<T> chosen = VAGLIO_LEVELS(kernel_table<T>).best()();
    return chosen;
}

}  // namespace vaglio
