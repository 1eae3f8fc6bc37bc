// The vector loops behind support vector machines, compiled per level (base/dispatch.hpp).
#include "svm/kernel_loops.hpp"

#include <math.h>

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

// As many accumulators as registers allow, two vectors wide: 24 of 32, 12 of 16, 8 of 16.
constexpr int block_rows = vector_bytes == 64 ? 12 : vector_bytes == 32 ? 6 : 4;
constexpr int panel_vectors = 2;

template <class T>
constexpr int panel_width = panel_vectors * width<T>;

template <class T>
VAGLIO_INLINE Vector<T> power_of(Vector<T> base, int degree) {
    Vector<T> result = Vector<T>{} + static_cast<T>(1);
    for (int left = degree; left > 0; left >>= 1, base *= base)
        if (left & 1) result *= base;
    return result;
}

template <class T>
VAGLIO_INLINE Vector<T> from_dot(const KernelSpec& spec, Vector<T> dot, T block_norm, Vector<T> panel_norm) {
    const T gamma = static_cast<T>(spec.gamma), coef0 = static_cast<T>(spec.coef0);
    switch (spec.kind) {
        case KernelKind::rbf: {
            const Vector<T> distance = larger((panel_norm + block_norm) - dot * static_cast<T>(2), Vector<T>{});
            return exponential<T>(distance * -gamma);
        }
        case KernelKind::polynomial:
            return power_of<T>(dot * gamma + coef0, spec.degree);
        case KernelKind::sigmoid:
            return static_cast<T>(1) -
                   static_cast<T>(2) / (exponential<T>((dot * gamma + coef0) * static_cast<T>(2)) + static_cast<T>(1));
        default:
            return dot;
    }
}

template <class T>
VAGLIO_INLINE void multiply(const T* block, const T* panel, int d, Vector<T> (&sum)[block_rows][panel_vectors]) {
#pragma GCC unroll 16
    for (int r = 0; r < block_rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < panel_vectors; ++v) sum[r][v] = Vector<T>{};
    for (int k = 0; k < d; ++k, block += block_rows, panel += panel_width<T>) {
        const Vector<T> first = load<Vector<T>>(panel), second = load<Vector<T>>(panel + width<T>);
#pragma GCC unroll 16
        for (int r = 0; r < block_rows; ++r) {
            sum[r][0] += first * block[r];
            sum[r][1] += second * block[r];
        }
    }
}

template <class T>
void tile(const KernelSpec& spec, const T* block, const T* block_norm, const T* panel, const T* panel_norm, int d,
          T* out) {
    Vector<T> sum[block_rows][panel_vectors];
    multiply<T>(block, panel, d, sum);
#pragma GCC unroll 16
    for (int r = 0; r < block_rows; ++r)
        for (int v = 0; v < panel_vectors; ++v) store(out + r * panel_width<T> + v * width<T>, sum[r][v]);
    if (spec.kind == KernelKind::linear) return;
    for (int r = 0; r < block_rows; ++r)
        for (int v = 0; v < panel_vectors; ++v) {
            T* at = out + r * panel_width<T> + v * width<T>;
            const auto norm = load<Vector<T>>(panel_norm + v * width<T>);
            store(at, from_dot<T>(spec, load<Vector<T>>(at), block_norm[r], norm));
        }
}

template <class T>
VAGLIO_INLINE Vector<double> widen(const T* from) {
    return convert<Vector<double>>(load<Pack<T, width<double>>>(from));
}

template <class T>
void add_rows(const T* values, std::ptrdiff_t stride, const double* coef, int rows, double* sum, int count) {
    constexpr int lanes = width<double>;
    for (int c = 0; c < count; c += 2 * lanes) {
        auto first = load<Vector<double>>(sum + c), second = load<Vector<double>>(sum + c + lanes);
        const T* at = values + c;
        for (int r = 0; r < rows; ++r, at += stride) {
            first += widen(at) * coef[r];
            second += widen(at + lanes) * coef[r];
        }
        store(sum + c, first);
        store(sum + c + lanes, second);
    }
}

template <class T>
void project(const T* values, const T* coef, std::ptrdiff_t stride, int outputs, T* sums) {
    for (int k = 0; k < outputs; ++k) {
        const auto first = load<Vector<T>>(coef + k * stride), second = load<Vector<T>>(coef + k * stride + width<T>);
#pragma GCC unroll 4
        for (int r = 0; r < block_rows; ++r) {
            const T* at = values + r * panel_width<T>;
            T* sum = sums + (r * outputs + k) * width<T>;
            store(sum, load<Vector<T>>(sum) + load<Vector<T>>(at) * first + load<Vector<T>>(at + width<T>) * second);
        }
    }
}

constexpr double infinity = HUGE_VAL;

struct Best {
    double value;
    int index;
};

// Largest lane and where it is; ties go to the lowest index, as a scan from the left would give.
VAGLIO_INLINE Best largest_lane(Vector<double> value, Vector<double> index) {
    Best best{value[0], static_cast<int>(index[0])};
    for (int i = 1; i < width<double>; ++i) {
        const int at = static_cast<int>(index[i]);
        if (value[i] > best.value || (value[i] == best.value && at < best.index)) best = {value[i], at};
    }
    return best;
}

VAGLIO_INLINE Vector<double> first_indices() {
    Vector<double> index;
    for (int i = 0; i < width<double>; ++i) index[i] = i;
    return index;
}

// Moves along (first, second) by -step, then finds the variable that may rise and has the largest slope.
template <class T>
VAGLIO_INLINE Best move_and_find_rising(const WorkingSet<T>& set, const T* first, const T* second, double step) {
    constexpr int lanes = width<double>;
    Vector<double> best = Vector<double>{} - infinity, where = Vector<double>{}, index = first_indices();
    for (int t = 0; t < set.size; t += lanes, index += static_cast<double>(lanes)) {
        const auto slope = load<Vector<double>>(set.slope + t) - (widen(first + t) - widen(second + t)) * step;
        store(set.slope + t, slope);
        const auto candidate = slope + load<Vector<double>>(set.up_bar + t);
        where = choose(candidate > best, index, where);
        best = larger(best, candidate);
    }
    return largest_lane(best, where);
}

struct Falling {
    Best best;         // by the gain of a full step, (slope difference)^2 / curvature
    double violation;  // largest slope difference
};

// The partner that gains most together with `i`, by the second-order rule.
template <class T>
VAGLIO_INLINE Falling find_falling(const WorkingSet<T>& set, const T* row, double slope_i, double diagonal_i) {
    constexpr int lanes = width<double>;
    Vector<double> best = Vector<double>{} - infinity, where = Vector<double>{}, index = first_indices();
    Vector<double> violation = Vector<double>{} - infinity;
    for (int t = 0; t < set.size; t += lanes, index += static_cast<double>(lanes)) {
        // low_bar is +inf where beta may not fall: the difference is then -inf and never chosen.
        const auto difference = slope_i - (load<Vector<double>>(set.slope + t) + load<Vector<double>>(set.low_bar + t));
        auto curvature = load<Vector<double>>(set.diagonal + t) + diagonal_i - widen(row + t) * 2.0;
        curvature = larger(curvature, Vector<double>{} + 1e-12);
        violation = larger(violation, difference);
        const auto gain = choose(difference > 0.0, difference * difference / curvature, Vector<double>{} - infinity);
        where = choose(gain > best, index, where);
        best = larger(best, gain);
    }
    return {largest_lane(best, where), largest_lane(violation, Vector<double>{}).value};
}

template <class T>
VAGLIO_INLINE void mark(const WorkingSet<T>& set, int t) {
    set.up_bar[t] = set.beta[t] < set.high[t] ? 0.0 : -infinity;
    set.low_bar[t] = set.beta[t] > set.low[t] ? 0.0 : infinity;
}

template <class T>
std::int64_t optimise(const WorkingSet<T>& set, double tolerance, std::int64_t max_steps) {
    for (int t = 0; t < set.size; ++t) mark(set, t);
    const T* rows = set.kernel;
    const T *row_i = rows, *row_j = rows;
    double step = 0;
    for (std::int64_t steps = 0; steps < max_steps; ++steps) {
        const Best rising = move_and_find_rising(set, row_i, row_j, step);
        if (rising.value == -infinity) return steps;
        const int i = rising.index;
        row_i = rows + static_cast<std::ptrdiff_t>(i) * set.size;
        const Falling falling = find_falling(set, row_i, rising.value, set.diagonal[i]);
        if (!(falling.violation > tolerance)) return steps;
        const int j = falling.best.index;
        row_j = rows + static_cast<std::ptrdiff_t>(j) * set.size;
        const double curvature = set.diagonal[i] + set.diagonal[j] - 2.0 * static_cast<double>(row_i[j]);
        step = (set.slope[i] - set.slope[j]) / (curvature > 1e-12 ? curvature : 1e-12);
        const double room_i = set.high[i] - set.beta[i], room_j = set.beta[j] - set.low[j];
        // A step that ends at a bound sets the variable to the bound exactly: no residue of rounding counts as free.
        if (step >= room_i || step >= room_j) {
            step = room_i < room_j ? room_i : room_j;
            set.beta[i] = room_i <= room_j ? set.high[i] : set.beta[i] + step;
            set.beta[j] = room_j <= room_i ? set.low[j] : set.beta[j] - step;
        } else {
            set.beta[i] += step;
            set.beta[j] -= step;
        }
        mark(set, i);
        mark(set, j);
    }
    return max_steps;
}

}  // namespace

template <class T>
KernelLoops<T> kernel_table() {
    return {block_rows, panel_width<T>, width<T>, tile<T>, add_rows<T>, project<T>, optimise<T>};
}
template KernelLoops<float> kernel_table<float>();
template KernelLoops<double> kernel_table<double>();

}  // namespace vaglio::VAGLIO_LEVEL
