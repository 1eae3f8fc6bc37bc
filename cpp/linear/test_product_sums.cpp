// Sums of products against plain loops: placed, filled and weighed, in any order in memory.
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "linear/product_sums.hpp"

namespace {

using namespace vaglio;

void test_products(std::size_t rows, std::size_t columns, bool weighted) {
    Random random(rows * 100 + columns);
    std::vector<double> x(rows * columns), turned(x.size()), y(rows), weight(weighted ? rows : 0);
    std::vector<double> centre(columns + 1), unit(columns + 1), fill(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        y[i] = random.uniform();
        if (weighted) weight[i] = random.uniform();
        for (std::size_t j = 0; j < columns; ++j)
            x[i * columns + j] = turned[j * rows + i] =
                random.below(5) == 0 ? std::numeric_limits<double>::quiet_NaN() : random.uniform();
    }
    for (std::size_t j = 0; j <= columns; ++j) {
        centre[j] = random.uniform();
        unit[j] = std::ldexp(1.0, static_cast<int>(random.below(9)) - 4);
        if (j < columns) fill[j] = random.uniform();
    }
    Control control;
    const ProductRows by_rows{
        {x.data(), rows, columns, static_cast<std::ptrdiff_t>(columns), 1}, y, weight, centre, unit, fill};
    const ProductRows by_columns{
        {turned.data(), rows, columns, 1, static_cast<std::ptrdiff_t>(rows)}, y, weight, centre, unit, fill};
    const auto found = product_sums(by_rows, control);
    CHECK(found == product_sums(by_columns, control));
    const auto placed = [&](std::size_t i, std::size_t j) {
        if (j == columns + 1) return 1.0;
        const double value = j == columns ? y[i] : x[i * columns + j];
        return value == value ? (value - centre[j]) * unit[j] : fill[j];
    };
    const std::size_t side = columns + 2;
    CHECK(found.size() == side * side);
    for (std::size_t a = 0; a < side; ++a)
        for (std::size_t b = 0; b < side; ++b) {
            double expected = 0;
            for (std::size_t i = 0; i < rows; ++i)
                expected += (weighted ? weight[i] : 1.0) * placed(i, a) * placed(i, b);
            CHECK(std::abs(found[a * side + b] - expected) <= 1e-10 * (1 + std::abs(expected)));
        }
}

}  // namespace

int main() {
    for (const std::size_t rows : {0, 1, 15, 128, 129, 1000})
        for (const std::size_t columns : {0, 1, 6, 7, 30})
            for (const bool weighted : {false, true}) test_products(rows, columns, weighted);
    test_products(70, 1100, false);
    return check_result();
}
