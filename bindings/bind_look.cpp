#include <algorithm>
#include <limits>

#include "columns/look.hpp"
#include "columns/ranges.hpp"
#include "support.hpp"

namespace {

auto look_at(const Array1<double>& x) {
    const vaglio::NumberLook found = without_gil([&] { return vaglio::look_at(span_of(x)); });
    return std::make_tuple(found.low, found.high, found.missing, found.is_short, found.is_whole);
}

std::optional<NumPy<double>> few_values(const Array1<double>& x, std::size_t most) {
    require(most < (std::size_t{1} << 20), "too many values to list");
    auto found = without_gil([&] { return vaglio::few_values(span_of(x), most); });
    if (!found) return std::nullopt;
    return to_numpy(std::move(*found));
}

using SignedCodes = std::variant<Array1<std::int8_t>, Array1<std::int16_t>, Array1<std::int32_t>>;

auto count_codes(const SignedCodes& column, std::size_t codes) {
    require(codes < (std::size_t{1} << 31), "a number of categories is impossible");
    auto counts = without_gil([&]() -> std::optional<std::vector<std::int64_t>> {
        return std::visit(
            [&](const auto& array) -> std::optional<std::vector<std::int64_t>> {
                const auto rows = span_of(array);
                if (!vaglio::are_within(rows, -1, static_cast<std::int64_t>(codes))) return std::nullopt;
                return vaglio::count_codes(rows, codes);
            },
            column);
    });
    require(counts.has_value(), "a code is out of range");
    return to_numpy(std::move(*counts));
}

template <class Code>
AnyArray recoded(std::span<const std::int32_t> column, std::span<const std::int32_t> list) {
    return to_numpy(without_gil([&] { return vaglio::recode<Code>(column, list); }));
}

AnyArray recode(const Array1<std::int32_t>& column, const Array1<std::int32_t>& list, bool small) {
    const auto rows = span_of(column), codes = span_of(list);
    const auto known = static_cast<std::int64_t>(codes.size());
    require(without_gil([&] { return vaglio::are_within(rows, -1, known); }), "a code is out of range");
    const std::int32_t most = codes.empty() ? 0 : *std::max_element(codes.begin(), codes.end());
    require(codes.empty() || *std::min_element(codes.begin(), codes.end()) >= -1, "a new code is out of range");
    if (small && most <= std::numeric_limits<std::int8_t>::max()) return recoded<std::int8_t>(rows, codes);
    if (small && most <= std::numeric_limits<std::int16_t>::max()) return recoded<std::int16_t>(rows, codes);
    return recoded<std::int32_t>(rows, codes);
}

// The block may be in either memory order and is never copied.
auto column_ranges(const nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>& x, int threads) {
    const vaglio::NumberRows rows{x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
    auto found = run_kernel(
        nb::none(), [&](vaglio::Control& control) { return vaglio::column_ranges(rows, threads, control); },
        steps_of({x.shape(0), x.shape(1)}));
    return std::make_tuple(to_numpy(std::move(found.low)), to_numpy(std::move(found.high)), found.missing,
                           found.bounded);
}

}  // namespace

void register_look(nb::module_& m) {
    using namespace nb::literals;
    m.def("look_at", &look_at, "x"_a,
          "Least and greatest number, how many are missing, whether float32 holds them, whether all are whole.");
    m.def("column_ranges", &column_ranges, "x"_a, "threads"_a,
          "Least and greatest number of each column, whether one is missing, whether all are finite or missing.");
    m.def("few_values", &few_values, "x"_a, "most"_a, "The distinct numbers in order; None if there are more.");
    m.def("count_codes", &count_codes, "column"_a, "codes"_a,
          "How many rows have no code (-1), and how many have each code.");
    m.def("recode", &recode, "column"_a, "list"_a, "small"_a,
          "The code in the list that each code stands for, -1 for -1; in the smallest type that holds the list, or in "
          "32 bits.");
}
