// Where the bins of a numeric column begin and end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boosting/binned.hpp"

namespace vaglio::boosting {
namespace {

// A threshold that separates a < b, midway where numbers allow it.
double between(double a, double b) {
    double middle = (a + b) / 2;
    if (!std::isfinite(middle)) middle = a / 2 + b / 2;
    return middle < b ? middle : a;
}

// The quantile of `share` as the inverse of the distribution function; where it is flat, the mean of both ends.
double quantile(const std::vector<double>& sorted, double share) {
    const double place = static_cast<double>(sorted.size()) * share - 1;
    const double below = std::floor(place);
    const auto last = static_cast<double>(sorted.size() - 1);
    const double a = sorted[static_cast<std::size_t>(std::clamp(below, 0.0, last))];
    const double b = sorted[static_cast<std::size_t>(std::clamp(below + 1, 0.0, last))];
    return place == below ? b - (b - a) * 0.5 : b;
}

// The same of values that weigh: `below` is the weight of each value and all before it.
double quantile(const std::vector<double>& sorted, const std::vector<double>& below, double share) {
    const double place = share * below.back();
    const auto found = static_cast<std::size_t>(std::lower_bound(below.begin(), below.end(), place) - below.begin());
    const std::size_t at = std::min(found, sorted.size() - 1), next = std::min(at + 1, sorted.size() - 1);
    const bool inside = below[at] - place > std::numeric_limits<double>::epsilon();
    return inside ? sorted[at] : (sorted[at] + sorted[next]) / 2;
}

}  // namespace

std::vector<double> bin_thresholds(const std::vector<double>& sorted, std::uint32_t max_bins,
                                   const std::vector<double>& weight) {
    std::vector<double> distinct;
    for (const double value : sorted) {
        if (!distinct.empty() && distinct.back() == value) continue;
        if (distinct.size() > max_bins) break;
        distinct.push_back(value);
    }
    std::vector<double> thresholds;
    if (distinct.size() <= max_bins) {
        for (std::size_t i = 1; i < distinct.size(); ++i) thresholds.push_back(between(distinct[i - 1], distinct[i]));
        return thresholds;
    }
    // The shares are computed by the same steps as NumPy's percentiles, so that equal settings give equal bins.
    const double step = 100.0 / max_bins;
    std::vector<double> below(weight.size());
    std::partial_sum(weight.begin(), weight.end(), below.begin());
    for (std::uint32_t i = 1; i < max_bins; ++i) {
        const double share = i * step / 100.0;
        thresholds.push_back(weight.empty() ? quantile(sorted, share) : quantile(sorted, below, share));
    }
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    return thresholds;
}

}  // namespace vaglio::boosting
