#include "columns/column_moments.hpp"
#include "columns/spread.hpp"
#include "columns/standardise.hpp"
#include "support.hpp"

namespace {

using Sample = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>;

// The values of a column that are numbers: in ascending order missing ones are last.
std::span<const double> known_values(const Sample& sample, std::size_t column, std::vector<double>& copy) {
    copy.clear();
    for (std::size_t row = 0; row < sample.shape(0); ++row) {
        const double value = sample.data()[static_cast<std::int64_t>(row) * sample.stride(0) +
                                           static_cast<std::int64_t>(column) * sample.stride(1)];
        if (value != value) break;
        copy.push_back(value);
    }
    return copy;
}

nb::tuple to_tuple(const std::vector<double>& values) {
    nb::list list;
    for (const double value : values) list.append(value);
    return nb::tuple(list);
}

using Numbers = nb::typed<nb::tuple, double, nb::ellipsis>;

auto spread_columns(const Sample& sample, std::size_t quantiles) {
    std::vector<std::tuple<Numbers, std::optional<int>, std::size_t>> found;
    std::vector<double> copy;
    for (std::size_t column = 0; column < sample.shape(1); ++column) {
        const auto values = known_values(sample, column, copy);
        const vaglio::ColumnSpread spread = vaglio::spread_of(values, quantiles);
        const auto decimals = spread.decimals < 0 ? std::nullopt : std::optional(spread.decimals);
        found.emplace_back(to_tuple(spread.quantiles), decimals, values.size());
    }
    return found;
}

auto bin_columns(const Sample& sample, std::size_t bins) {
    std::vector<std::tuple<nb::typed<nb::tuple, int, nb::ellipsis>, Numbers>> found;
    std::vector<double> copy;
    for (std::size_t column = 0; column < sample.shape(1); ++column) {
        const vaglio::ColumnBins binned = vaglio::bins_of(known_values(sample, column, copy), bins);
        nb::list counts;
        for (const std::int64_t count : binned.counts) counts.append(count);
        found.emplace_back(nb::tuple(counts), to_tuple(binned.edges));
    }
    return found;
}

auto standardised(const Sample& x, const Array1<double>& centre, const Array1<double>& scale,
                  const Array1<double>& fill) {
    const std::size_t columns = x.shape(1);
    require(centre.size() == columns && scale.size() == columns && fill.size() == columns,
            "a centre, a scale and a filling per column are needed");
    const vaglio::NumberRows rows{x.data(), x.shape(0), columns, x.stride(0), x.stride(1)};
    auto found =
        without_gil([&] { return vaglio::standardised(rows, span_of(centre), span_of(scale), span_of(fill)); });
    return to_numpy(std::move(found), {x.shape(0), columns});
}

auto column_moments(const Sample& x, const std::optional<Array1<double>>& weight) {
    require(!weight || weight->size() == x.shape(0), "every row needs a weight");
    const vaglio::NumberRows rows{x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
    auto found = without_gil(
        [&] { return vaglio::column_moments(rows, weight ? span_of(*weight) : std::span<const double>()); });
    return std::make_tuple(to_numpy(std::move(found.mean)), to_numpy(std::move(found.variance)));
}

}  // namespace

void register_spread(nb::module_& m) {
    using namespace nb::literals;
    m.def("spread_columns", &spread_columns, "ordered"_a, "quantiles"_a,
          "Of each column in ascending order: distinct quantiles, decimals (None: more than six), known values.");
    m.def("standardised", &standardised, "x"_a, "centre"_a, "scale"_a, "fill"_a,
          "(x - centre) / scale of every number in C order, and the filling where that is no number.");
    m.def("column_moments", &column_moments, "x"_a, "weight"_a.none(),
          "Mean and variance of each column without its missing numbers.");
    m.def("bin_columns", &bin_columns, "ordered"_a, "bins"_a,
          "Of each column in ascending order: rows per bin, and the upper edges of all bins but the last.");
}
