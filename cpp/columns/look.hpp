#pragma once
// The first look at a column: the range of its numbers, how often each of its codes occurs, and codes by another list.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vaglio {

struct NumberLook {
    double low, high;     // infinite and reversed without any number
    std::size_t missing;  // NaN
    bool is_short;        // whether floats hold all numbers
    bool is_whole;        // whether none has a fraction
};

NumberLook look_at(std::span<const double> x);

// The distinct numbers in order, none if there are more than `most`; -0.0 counts as 0.0, and NaN is left out.
std::optional<std::vector<double>> few_values(std::span<const double> x, std::size_t most);

// How many rows have no code (-1), and how many have each code from 0 up to, but not including, `codes`.
template <class Code>
std::vector<std::int64_t> count_codes(std::span<const Code> column, std::size_t codes);

// Whether all codes are from `least` up to, but not including, `end`.
template <class Code>
bool are_within(std::span<const Code> codes, std::int64_t least, std::int64_t end);

// The code that each code stands for; -1 stays. Codes of the column are within the list, and those of the list fit.
template <class Code>
std::vector<Code> recode(std::span<const std::int32_t> column, std::span<const std::int32_t> list);

}  // namespace vaglio
