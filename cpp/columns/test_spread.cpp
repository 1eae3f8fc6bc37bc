// Quantiles, decimals and bins of a column, against what they must be by hand.
#include <vector>

#include "base/check.hpp"
#include "columns/spread.hpp"

static void quantiles_go_from_the_least_value_to_the_largest() {
    const std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK((vaglio::spread_of(values, 5).quantiles == std::vector<double>{0, 2, 4, 6, 8}));
    CHECK((vaglio::spread_of({values.data(), 1}, 1).quantiles == std::vector<double>{0}));
    CHECK((vaglio::spread_of(std::vector<double>{1, 1, 1, 5}, 3).quantiles == std::vector<double>{1, 5}));
    CHECK(vaglio::spread_of({}, 5).quantiles.empty());
}

static void decimals_are_those_that_every_value_needs() {
    CHECK(vaglio::spread_of(std::vector<double>{1, 2}, 2).decimals == 0);
    CHECK(vaglio::spread_of(std::vector<double>{1, 2.25}, 2).decimals == 2);
    CHECK(vaglio::spread_of(std::vector<double>{0.1234567}, 1).decimals == -1);
    CHECK(vaglio::spread_of(std::vector<double>{1e300}, 1).decimals == 0);
}

static void bins_are_about_equally_full_and_equal_values_share_one() {
    std::vector<double> values(100);
    for (int i = 0; i < 100; ++i) values[static_cast<std::size_t>(i)] = i / 10;
    const vaglio::ColumnBins bins = vaglio::bins_of(values, 10);
    CHECK(bins.edges.size() == 8 && bins.edges.front() == 1);
    CHECK((bins.counts == std::vector<std::int64_t>{20, 10, 10, 10, 10, 10, 10, 10, 10}));
    CHECK((vaglio::bins_of(std::vector<double>{3, 3}, 10).counts == std::vector<std::int64_t>{2}));
    CHECK((vaglio::bins_of({}, 10).counts == std::vector<std::int64_t>{0}));
}

int main() {
    quantiles_go_from_the_least_value_to_the_largest();
    decimals_are_those_that_every_value_needs();
    bins_are_about_equally_full_and_equal_values_share_one();
    return check_result();
}
