#include "tree/weights/row_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vaglio {
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
        result.integral = result.integral && w == std::floor(w);
        all_one = all_one && w == 1.0;
    }
    if (result.weighted && data.multiplicity) result.counts.assign(data.multiplicity, data.multiplicity + data.rows);
    if (all_one) result.values.clear();
    return result;
}

}  // namespace vaglio
