#include "columns/spread.hpp"

#include <algorithm>
#include <cmath>

namespace vaglio {
namespace {

bool has_decimals(std::span<const double> values, double factor) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return std::nearbyint(value * factor) / factor == value; });
}

}  // namespace

ColumnSpread spread_of(std::span<const double> ascending, std::size_t count) {
    ColumnSpread spread;
    const std::size_t n = ascending.size();
    const double last = n > 0 ? static_cast<double>(n - 1) : 0.0;
    const double step = 1.0 / static_cast<double>(count > 1 ? count - 1 : 1);
    for (std::size_t i = 0; n > 0 && i < count; ++i) {
        const double share = count > 1 && i + 1 == count ? 1.0 : static_cast<double>(i) * step;
        const double value = ascending[static_cast<std::size_t>(std::nearbyint(share * last))];
        if (spread.quantiles.empty() || value != spread.quantiles.back()) spread.quantiles.push_back(value);
    }
    double factor = 1;
    for (int digits = 0; digits <= most_decimals && spread.decimals < 0; ++digits, factor *= 10) {
        if (has_decimals(ascending, factor)) spread.decimals = digits;
    }
    return spread;
}

ColumnBins bins_of(std::span<const double> ascending, std::size_t bins) {
    ColumnBins result;
    const std::size_t n = ascending.size();
    std::size_t start = 0;
    for (std::size_t bin = 1; n > 0 && bin < bins; ++bin) {
        const double edge = ascending[bin * n / bins];
        if (edge >= ascending[n - 1] || (!result.edges.empty() && edge <= result.edges.back())) continue;
        const auto end =
            static_cast<std::size_t>(std::upper_bound(ascending.begin(), ascending.end(), edge) - ascending.begin());
        result.edges.push_back(edge);
        result.counts.push_back(static_cast<std::int64_t>(end - start));
        start = end;
    }
    result.counts.push_back(static_cast<std::int64_t>(n - start));
    return result;
}

}  // namespace vaglio
