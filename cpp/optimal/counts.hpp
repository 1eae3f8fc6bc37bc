#pragma once
// What the labels gain per value of a column, and the best division of the values in two leaves.
#include <functional>
#include <span>
#include <vector>

#include "optimal/subset.hpp"

namespace vaglio::optimal {

// The values of a column that a subset has, as tests divide them.
struct ValueView {
    bool ordered = true, all_sets = false;
    bool numbers = false;  // the labels are sums of numbers (optimal/gain.hpp)
    std::uint32_t values = 0;
    std::uint32_t missing = no_code;               // the number of the missing values among those here
    std::vector<std::vector<std::uint32_t>> sets;  // numbers on the left, for the sets that divide what is here
    std::vector<std::uint32_t> set_numbers;        // which sets of the column these are
};

ValueView view_of(const Subset& subset, std::uint32_t column);

// A test, and the numbers of the values on its left.
using Visit = std::function<void(const Test& test, std::span<const std::uint32_t> left)>;

// Every test of a column without order that divides the values here.
void each_set(const Subset& subset, std::uint32_t column, const ValueView& view, const Visit& visit);

// Gains per value and label.
std::vector<Cost> gains_of(const Subset& subset, std::uint32_t column);
// What is at stake per value: the sum of `most`.
std::vector<Cost> stakes_of(const Subset& subset, std::uint32_t column);

// The greatest sum of gains of two leaves that divide the values; 0 where there is no test. `counts` has `labels`
// numbers per value, `total` their sum.
Cost best_division(const Cost* counts, const ValueView& view, std::span<const Cost> total);

// The same for two parts of a subset at once, of which the one is given and the other is the rest.
struct TwoGains {
    Cost left, right;
};
TwoGains best_divisions(const Cost* left, const Cost* all, const ValueView& view, std::span<const Cost> left_total,
                        std::span<const Cost> right_total, std::vector<Cost>& scratch);

}  // namespace vaglio::optimal
