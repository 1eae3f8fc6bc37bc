#include <algorithm>
#include <limits>

#include "columns/look.hpp"
#include "columns/ranges.hpp"
#include "support.hpp"

namespace {

nb::tuple look_at(const Array1<double>& x) {
    const vaglio::NumberLook found = without_gil([&] { return vaglio::look_at(span_of(x)); });
    return nb::make_tuple(found.low, found.high, found.missing, found.is_short, found.is_whole);
}

nb::object few_values(const Array1<double>& x, std::size_t most) {
    require(most < (std::size_t{1} << 20), "too many values to list");
    auto found = without_gil([&] { return vaglio::few_values(span_of(x), most); });
    return found ? nb::cast(to_numpy(std::move(*found))) : nb::none();
}

template <class Code>
auto count_codes(const Array1<Code>& column, std::size_t codes) {
    require(codes < (std::size_t{1} << 31), "a number of categories is impossible");
    auto counts = without_gil([&]() -> std::optional<std::vector<std::int64_t>> {
        const auto rows = span_of(column);
        if (!vaglio::are_within(rows, -1, static_cast<std::int64_t>(codes))) return std::nullopt;
        return vaglio::count_codes(rows, codes);
    });
    require(counts.has_value(), "a code is out of range");
    return to_numpy(std::move(*counts));
}

template <class Code>
nb::object recoded(std::span<const std::int32_t> column, std::span<const std::int32_t> list) {
    return nb::cast(to_numpy(without_gil([&] { return vaglio::recode<Code>(column, list); })));
}

nb::object recode(const Array1<std::int32_t>& column, const Array1<std::int32_t>& list, bool small) {
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
nb::tuple column_ranges(const nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>& x, int threads) {
    const vaglio::NumberRows rows{x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
    auto found = run_kernel(
        nb::none(), [&](vaglio::Control& control) { return vaglio::column_ranges(rows, threads, control); },
        steps_of({x.shape(0), x.shape(1)}));
    return nb::make_tuple(to_numpy(std::move(found.low)), to_numpy(std::move(found.high)), found.missing,
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
    m.def("count_codes", &count_codes<std::int8_t>, "column"_a, "codes"_a);
    m.def("count_codes", &count_codes<std::int16_t>, "column"_a, "codes"_a);
    m.def("count_codes", &count_codes<std::int32_t>, "column"_a, "codes"_a,
          "How many rows have no code (-1), and how many have each code.");
    m.def("recode", &recode, "column"_a, "list"_a, "small"_a,
          "The code in the list that each code stands for, -1 for -1; in the smallest type that holds the list, or in "
          "32 bits.");
}
