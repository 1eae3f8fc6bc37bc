// Written here because the standard library has no incomplete gamma function.
#include <cmath>
#include <vector>

#include "tree/split/chance.hpp"

namespace vaglio::tree {
namespace {

// Regularised incomplete gamma functions: the series of P converges fast below a + 1, the continued fraction of Q
// (Lentz's method) above.
double gamma_p_series(double a, double x) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < 10000 && std::abs(term) > 1e-16 * std::abs(sum); ++n) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

double gamma_q_fraction(double a, double x) {
    constexpr double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int n = 1; n < 10000; ++n) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        if (std::abs(d) < tiny) d = tiny;
        if (std::abs(c) < tiny) c = tiny;
        d = 1 / d;
        const double step = c * d;
        h *= step;
        if (std::abs(step - 1) < 1e-15) break;
    }
    return h * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_square_survival(double x, double degrees) {
    const double a = degrees / 2, half = x / 2;
    if (!(half > 0)) return 1;
    return half < a + 1 ? 1 - gamma_p_series(a, half) : gamma_q_fraction(a, half);
}

double chi_square_test(std::span<const double> table, std::size_t columns) {
    const std::size_t rows = table.size() / columns;
    std::vector<double> row_sum(rows, 0.0), column_sum(columns, 0.0);
    double total = 0;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            row_sum[r] += table[r * columns + c];
            column_sum[c] += table[r * columns + c];
            total += table[r * columns + c];
        }
    double statistic = 0;
    std::size_t used_rows = 0, used_columns = 0;
    for (const double s : row_sum) used_rows += s > 0;
    for (const double s : column_sum) used_columns += s > 0;
    if (used_rows < 2 || used_columns < 2) return 1;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const double expected = row_sum[r] * column_sum[c] / total;
            const double difference = table[r * columns + c] - expected;
            if (expected > 0) statistic += difference * difference / expected;
        }
    return chi_square_survival(statistic, static_cast<double>((used_rows - 1) * (used_columns - 1)));
}

}  // namespace vaglio::tree
