#include "tree/table/row_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/node.hpp"

namespace vaglio::tree {
namespace {

// More than this is no count of anything, and its rounding would be taken for one.
constexpr double largest_multiple = 1 << 26;

// The largest weight of which all are whole multiples but for rounding, looked for at the least of them; else 1.
double common_unit(const TreeData& data) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < data.rows; ++i)
        if (data.weights[i] > 0) least = std::min(least, data.weights[i]);
    if (!std::isfinite(least)) return 1;
    for (std::size_t i = 0; i < data.rows; ++i) {
        const double multiple = data.weights[i] / least;
        if (!(multiple <= largest_multiple) || std::abs(multiple - std::round(multiple)) > 1e-14 * multiple) return 1;
    }
    return least;
}

// Whether a number that is not negative is whole, without a call.
bool is_whole(double w) {
    constexpr double whole_from = 0x1p52;  // adding it rounds to a whole number
    return (w + whole_from) - whole_from == w || w >= whole_from;
}

// How many of their common unit a weight of one has; 0 where sums might be rounded (RowStore).
double exact_units(const RowWeights& weights) {
    constexpr std::size_t most_rows = std::size_t{1} << (64 - exact_weight_bits);
    if (!weights.weighted || !weights.counts.empty() || weights.values.size() >= most_rows || !(weights.total > 0))
        return 0;
    const double units = std::ldexp(1.0, exact_weight_bits - 1 - std::ilogb(weights.total));
    if (!std::isfinite(units) || !std::isfinite(weights.total)) return 0;
    bool whole = true;
    for (const double w : weights.values) whole &= is_whole(w * units);
    return whole ? units : 0;
}

}  // namespace

RowWeights combine_weights(const TreeData& data) {
    RowWeights result;
    result.total = result.rows = static_cast<double>(data.rows);
    if (!data.weights && !data.multiplicity) return result;
    if (data.weights) result.unit = common_unit(data);
    result.values.resize(data.rows);
    result.total = result.rows = 0;
    bool all_one = true;
    for (std::size_t i = 0; i < data.rows; ++i) {
        double w = data.weights ? data.weights[i] / result.unit : 1.0;
        if (result.unit != 1) w = std::round(w);
        result.weighted = result.weighted || (w != 1.0 && w > 0);
        const double drawn = data.multiplicity ? data.multiplicity[i] : 1.0;
        w *= drawn;
        result.rows += w > 0 ? drawn : 0.0;
        result.values[i] = w;
        result.total += w;
        result.integral = result.integral && is_whole(w);
        all_one = all_one && w == 1.0;
    }
    if (result.weighted && data.multiplicity) result.counts.assign(data.multiplicity, data.multiplicity + data.rows);
    if (all_one) result.values.clear();
    result.exact_units = exact_units(result);
    return result;
}

}  // namespace vaglio::tree
