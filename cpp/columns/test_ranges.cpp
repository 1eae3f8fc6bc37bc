// The ranges of columns beside plain loops, in every order in memory and on several threads.
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/ranges.hpp"

using namespace vaglio;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && !std::signbit(a + 0.0) == !std::signbit(b + 0.0));
}

void test_against_plain_loops(const NumberRows& x) {
    const ColumnRanges found = column_ranges(x, 3, Control{});
    bool missing = false;
    for (std::size_t j = 0; j < x.columns; ++j) {
        double low = infinity, high = -infinity;
        for (std::size_t i = 0; i < x.rows; ++i) {
            const double each = x.data[static_cast<std::ptrdiff_t>(i) * x.row_stride +
                                       static_cast<std::ptrdiff_t>(j) * x.column_stride];
            missing = missing || std::isnan(each);
            if (each < low) low = each;
            if (each > high) high = each;
        }
        CHECK(same(found.low[j], low > high ? NAN : low));
        CHECK(same(found.high[j], low > high ? NAN : high));
    }
    CHECK(found.missing == missing);
    CHECK(found.bounded);
}

void test_orders(std::size_t rows, std::size_t columns, bool holes) {
    Random random(rows * 31 + columns);
    std::vector<double> x(2 * rows * columns);
    for (double& each : x) each = holes && random.uniform() < 0.3 ? NAN : random.uniform() - 0.5;
    const auto n = static_cast<std::ptrdiff_t>(rows), p = static_cast<std::ptrdiff_t>(columns);
    test_against_plain_loops({x.data(), rows, columns, p, 1});
    test_against_plain_loops({x.data(), rows, columns, 1, n});
    test_against_plain_loops({x.data(), rows, columns, 2 * p, 1});
    test_against_plain_loops({x.data(), rows, columns, 2 * p, 2});
    test_against_plain_loops({x.data(), rows, columns, 2, 2 * n});
    test_against_plain_loops({x.data() + (n - 1) * p, rows, columns, -p, 1});
}

void test_strangers() {
    const std::vector<double> zeros{-0.0, -0.0, NAN, 0.0, -0.0, NAN};
    const ColumnRanges found = column_ranges({zeros.data(), 2, 3, 3, 1}, 1, Control{});
    CHECK(found.low[0] == 0 && !std::signbit(found.low[0]) && !std::signbit(found.high[1]));
    CHECK(std::isnan(found.low[2]) && std::isnan(found.high[2]) && found.missing && found.bounded);
    for (const double odd : {infinity, -infinity}) {
        std::vector<double> x(1000, 1.0);
        x[501] = odd;
        CHECK(!column_ranges({x.data(), 100, 10, 10, 1}, 2, Control{}).bounded);
        CHECK(!column_ranges({x.data(), 100, 10, 10, 1}, 2, Control{}).missing);
    }
    CHECK(column_ranges({nullptr, 0, 2, 2, 1}, 2, Control{}).low.size() == 2);
    CHECK(column_ranges({nullptr, 5, 0, 0, 1}, 2, Control{}).low.empty());
}

}  // namespace

int main() {
    for (const std::size_t columns : {1, 2, 3, 7, 8, 10, 30, 64, 255, 300}) {
        for (const std::size_t rows : {1, 2, 5, 65, 1000}) {
            test_orders(rows, columns, false);
            test_orders(rows, columns, true);
        }
    }
    test_orders(300'000, 3, true);
    test_strangers();
    return check_result();
}
