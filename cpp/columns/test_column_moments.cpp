// Moments against sums in extended precision, far from 0, with weights and missing numbers, in any order in memory.
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/column_moments.hpp"

namespace {

using namespace vaglio;

void test_against_long_sums(std::size_t rows, bool weighted, bool missing) {
    constexpr std::size_t columns = 3;
    Random random(rows);
    std::vector<double> by_rows(rows * columns), by_columns(rows * columns), weight(weighted ? rows : 0);
    for (double& w : weight) w = static_cast<double>(random.below(3));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const bool lost = missing && random.below(4) == 0;
            const double value = lost ? std::numeric_limits<double>::quiet_NaN() : 1e6 * j + random.uniform();
            by_rows[i * columns + j] = by_columns[j * rows + i] = value;
        }
    const auto found = column_moments({by_rows.data(), rows, columns, columns, 1}, weight);
    const auto same = column_moments({by_columns.data(), rows, columns, 1, static_cast<std::ptrdiff_t>(rows)}, weight);
    CHECK(found.mean == same.mean && found.variance == same.variance);
    for (std::size_t j = 0; j < columns; ++j) {
        long double total = 0, sum = 0, squares = 0;
        const auto each = [&](auto use) {
            for (std::size_t i = 0; i < rows; ++i) {
                const double value = by_rows[i * columns + j];
                if (value == value) use(weighted ? weight[i] : 1.0, value);
            }
        };
        each([&](double w, double value) { total += w, sum += w * static_cast<long double>(value); });
        if (total == 0) {
            CHECK(found.mean[j] == 0 && found.variance[j] == 0);
            continue;
        }
        each([&](double w, double value) { squares += w * (value - sum / total) * (value - sum / total); });
        CHECK(std::abs(found.mean[j] - static_cast<double>(sum / total)) <= 1e-15 * (1 + 1e6 * j));
        CHECK(std::abs(found.variance[j] - static_cast<double>(squares / total)) < 1e-10);
    }
}

}  // namespace

int main() {
    for (const std::size_t rows : {1, 2, 7, 8, 1023, 1024, 1025, 5000})
        for (const bool weighted : {false, true})
            for (const bool missing : {false, true}) test_against_long_sums(rows, weighted, missing);
    CHECK(column_moments({nullptr, 0, 2, 2, 1}, {}).mean == std::vector<double>(2));
    return check_result();
}
