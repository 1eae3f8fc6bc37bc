#include "columns/look.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "base/random.hpp"

namespace vaglio {
namespace {

constexpr std::size_t lanes = 8, block = 4096;

// Each lane has a least and a greatest number of its own, so that none waits for another.
struct Lanes {
    double low[lanes], high[lanes];
    std::size_t missing[lanes];

    Lanes() {
        std::fill_n(low, lanes, std::numeric_limits<double>::infinity());
        std::fill_n(high, lanes, -std::numeric_limits<double>::infinity());
        std::fill_n(missing, lanes, std::size_t{0});
    }

    void add(double x, std::size_t lane) {
        // A comparison with NaN is false: what is missing changes neither.
        low[lane] = x < low[lane] ? x : low[lane];
        high[lane] = x > high[lane] ? x : high[lane];
        missing[lane] += x != x;
    }
};

bool fits_float(std::span<const double> x) {
    std::size_t odd = 0;
    for (const double each : x) odd += static_cast<double>(static_cast<float>(each)) != each && each == each;
    return odd == 0;
}

bool is_whole(std::span<const double> x) {
    // From 2^52 on no number has a fraction, and the sum of it and a smaller one has none.
    constexpr double large = 4503599627370496.0;
    std::size_t odd = 0;
    for (const double each : x) {
        const double size = std::fabs(each);
        odd += ((size + large) - large != size) & (size < large);
    }
    return odd == 0;
}

// Whether something holds for all numbers: most columns in which it does not show it in the first block.
template <class Holds>
bool all_blocks(std::span<const double> x, const Holds& holds) {
    for (std::size_t at = 0; at < x.size(); at += block)
        if (!holds(x.subspan(at, std::min(block, x.size() - at)))) return false;
    return true;
}

}  // namespace

NumberLook look_at(std::span<const double> x) {
    Lanes seen;
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) seen.add(x[i + lane], lane);
    for (; i < x.size(); ++i) seen.add(x[i], 0);
    NumberLook found{seen.low[0], seen.high[0], 0, all_blocks(x, fits_float), all_blocks(x, is_whole)};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        found.low = std::min(found.low, seen.low[lane]);
        found.high = std::max(found.high, seen.high[lane]);
        found.missing += seen.missing[lane];
    }
    return found;
}

std::optional<std::vector<double>> few_values(std::span<const double> x, std::size_t most) {
    // Open addressing in a table that is at most a quarter full; NaN marks a free place.
    const std::size_t mask = std::bit_ceil(4 * (most + 1)) - 1;
    std::vector<double> table(mask + 1, std::numeric_limits<double>::quiet_NaN()), found;
    for (const double each : x) {
        if (each != each) continue;
        const double value = each + 0.0;
        std::size_t at = mix(std::bit_cast<std::uint64_t>(value)) & mask;
        while (table[at] == table[at] && table[at] != value) at = (at + 1) & mask;
        if (table[at] == value) continue;
        if (found.size() == most) return std::nullopt;
        table[at] = value;
        found.push_back(value);
    }
    std::sort(found.begin(), found.end());
    return found;
}

template <class Code>
std::vector<std::int64_t> count_codes(std::span<const Code> column, std::size_t codes) {
    // Rows take turns in two tables: equal codes often follow each other, and one count would wait for the other.
    std::vector<std::int64_t> turns[2] = {std::vector<std::int64_t>(codes + 1), std::vector<std::int64_t>(codes + 1)};
    for (std::size_t i = 0; i < column.size(); ++i) ++turns[i % 2][static_cast<std::size_t>(column[i] + 1)];
    std::transform(turns[0].begin(), turns[0].end(), turns[1].begin(), turns[0].begin(), std::plus<>());
    return turns[0];
}

template <class Code>
bool are_within(std::span<const Code> codes, std::int64_t least, std::int64_t end) {
    if (codes.empty()) return true;
    // All are looked at, however early one is outside: a loop without such an end takes several at a time.
    Code low = codes.front(), high = low;
    for (const Code code : codes) {
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    return static_cast<std::int64_t>(low) >= least && static_cast<std::int64_t>(high) < end;
}

template bool are_within(std::span<const std::uint8_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::uint16_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::uint32_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::int8_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::int16_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::int32_t>, std::int64_t, std::int64_t);
template bool are_within(std::span<const std::int64_t>, std::int64_t, std::int64_t);

template <class Code>
std::vector<Code> recode(std::span<const std::int32_t> column, std::span<const std::int32_t> list) {
    std::vector<Code> moved(list.size() + 1, Code{-1}), found(column.size());
    std::transform(list.begin(), list.end(), moved.begin() + 1, [](std::int32_t code) { return Code(code); });
    const Code* const of = moved.data() + 1;
    for (std::size_t i = 0; i < column.size(); ++i) found[i] = of[column[i]];
    return found;
}

template std::vector<std::int8_t> recode(std::span<const std::int32_t>, std::span<const std::int32_t>);
template std::vector<std::int16_t> recode(std::span<const std::int32_t>, std::span<const std::int32_t>);
template std::vector<std::int32_t> recode(std::span<const std::int32_t>, std::span<const std::int32_t>);

template std::vector<std::int64_t> count_codes(std::span<const std::int8_t>, std::size_t);
template std::vector<std::int64_t> count_codes(std::span<const std::int16_t>, std::size_t);
template std::vector<std::int64_t> count_codes(std::span<const std::int32_t>, std::size_t);

}  // namespace vaglio
