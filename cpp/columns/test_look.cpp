// The first look at a column, beside plain loops.
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/look.hpp"

using namespace vaglio;

namespace {

void test_range(std::size_t n, bool halves) {
    Random random(n);
    std::vector<double> x(n);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = i % 7 == 3 ? NAN : halves ? std::floor(random.uniform() * 100) / 2 : random.uniform() - 0.5;
        if (std::isnan(x[i])) {
            ++missing;
        } else {
            low = std::min(low, x[i]);
            high = std::max(high, x[i]);
        }
    }
    const NumberLook found = look_at(x);
    CHECK(found.low == low && found.high == high && found.missing == missing);
    CHECK(found.is_short == (halves || low > high));
}

void test_one_long_number_at_the_end() {
    std::vector<double> x(10'000, 0.5);
    CHECK(look_at(x).is_short);
    x.back() = 0.1;
    CHECK(!look_at(x).is_short);
    x.back() = 1e300;
    CHECK(!look_at(x).is_short);
}

void test_whole_numbers() {
    std::vector<double> x(10'000, -3.0);
    x[7] = NAN;
    x[8] = std::numeric_limits<double>::infinity();
    for (const double whole : {0.0, -0.0, 1e300, -4503599627370497.0, 9007199254740993.0}) {
        x.back() = whole;
        CHECK(look_at(x).is_whole);
    }
    for (const double broken : {0.5, -0.5, 1e-300, -2251799813685248.5, 4503599627370495.5, 5e-324}) {
        x.back() = broken;
        CHECK(!look_at(x).is_whole);
    }
}

void test_few_values() {
    const std::vector<double> x{3.0, -0.0, NAN, 0.0, 3.0, -7.5, 3.0};
    CHECK(few_values(x, 3) == std::vector<double>({-7.5, 0.0, 3.0}));
    CHECK(!few_values(x, 2));
    CHECK(few_values({}, 0)->empty());
}

void test_codes() {
    const std::vector<std::int8_t> codes{-1, 0, 2, 2, -1, 2, 0};
    const std::vector<std::int64_t> expected{2, 2, 0, 3};
    CHECK(count_codes(std::span<const std::int8_t>(codes), 3) == expected);
}

void test_codes_within() {
    std::vector<std::int32_t> codes(1000, 5);
    codes[700] = -1;
    codes[701] = 9;
    const std::span<const std::int32_t> all(codes);
    CHECK(are_within(all, -1, 10));
    CHECK(!are_within(all, 0, 10) && !are_within(all, -1, 9));
    CHECK(are_within(all.first(700), 5, 6) && are_within(all.first(0), 0, 0));
    const std::vector<std::uint32_t> large{1, 4'000'000'000U};
    CHECK(!are_within(std::span<const std::uint32_t>(large), 0, 100));
}

void test_codes_of_another_list() {
    const std::vector<std::int32_t> codes{-1, 0, 2, 2, 1}, list{300, -1, 7};
    CHECK(recode<std::int32_t>(codes, list) == std::vector<std::int32_t>({-1, 300, 7, 7, -1}));
    CHECK(recode<std::int16_t>(codes, list) == std::vector<std::int16_t>({-1, 300, 7, 7, -1}));
    CHECK(recode<std::int8_t>({}, {}).empty());
}

}  // namespace

int main() {
    for (const std::size_t n : {0, 1, 3, 4, 8, 9, 5000}) {
        test_range(n, false);
        test_range(n, true);
    }
    test_one_long_number_at_the_end();
    test_whole_numbers();
    test_few_values();
    test_codes();
    test_codes_within();
    test_codes_of_another_list();
    return check_result();
}
