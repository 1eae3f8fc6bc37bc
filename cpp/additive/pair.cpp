#include "additive/pair.hpp"

#include <algorithm>
#include <cmath>

namespace vaglio::additive {
namespace {

using boosting::FixedPoint;
using boosting::GradientSums;

constexpr double tiny = 1e-15;  // keeps a step finite where rows have no Hessian left

std::vector<std::uint32_t> order_of(const boosting::SplitConfig& config, const FixedPoint& unit, const Side& side,
                                    const std::vector<GradientSums>& sums) {
    const auto mean = [&](std::uint32_t slot) {
        const double hessian = unit.hessian(sums[slot]) + config.nominal_smoothing;
        return unit.gradient(sums[slot]) / (hessian > 0 ? hessian : 1.0);
    };
    std::vector<std::uint32_t> order;
    const std::uint32_t missing = side.slots - 1;
    for (std::uint32_t slot = 0; slot < side.slots; ++slot) {
        if ((side.nominal || slot != missing) && unit.rows(sums[slot]) > 0) order.push_back(slot);
    }
    if (side.nominal) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return mean(a) < mean(b); });
        return order;
    }
    if (unit.rows(sums[missing]) == 0) return order;
    const bool at_begin = !order.empty() && std::fabs(mean(missing) - mean(order.front())) <
                                                std::fabs(mean(missing) - mean(order.back()));
    order.insert(at_begin ? order.begin() : order.end(), missing);
    return order;
}

}  // namespace

Grid::Grid(const boosting::SplitConfig& config, const FixedPoint& unit, const Side& first, const Side& second,
           const GradientSums* cells)
    : least_rows_(static_cast<double>(config.min_samples_leaf)),
      least_hessian_(config.min_hessian),
      l2_(config.l2 + tiny),
      width_(second.slots) {
    std::vector<GradientSums> by_first(first.slots), by_second(second.slots);
    for (std::uint32_t a = 0; a < first.slots; ++a) {
        for (std::uint32_t b = 0; b < second.slots; ++b) {
            by_first[a] += cells[a * second.slots + b];
            by_second[b] += cells[a * second.slots + b];
        }
    }
    first_order_ = order_of(config, unit, first, by_first);
    second_order_ = order_of(config, unit, second, by_second);
    const std::size_t columns = second_order_.size() + 1;
    std::vector<GradientSums> corners((first_order_.size() + 1) * columns);
    for (std::size_t i = 0; i < first_order_.size(); ++i) {
        GradientSums line;
        for (std::size_t j = 0; j + 1 < columns; ++j) {
            line += cells[first_order_[i] * second.slots + second_order_[j]];
            GradientSums& corner = corners[(i + 1) * columns + j + 1];
            corner = corners[i * columns + j + 1];
            corner += line;
        }
    }
    for (const GradientSums& corner : corners) {
        gradient_.push_back(unit.gradient(corner));
        hessian_.push_back(unit.hessian(corner));
        rows_.push_back(static_cast<double>(unit.rows(corner)));
    }
}

Grid::Sums Grid::sums(std::size_t first_begin, std::size_t first_end, std::size_t second_begin,
                      std::size_t second_end) const {
    const std::size_t columns = second_order_.size() + 1;
    const std::size_t top = first_begin * columns, bottom = first_end * columns;
    const auto of = [&](const std::vector<double>& corners) {
        return corners[bottom + second_end] - corners[top + second_end] -
               (corners[bottom + second_begin] - corners[top + second_begin]);
    };
    return {of(gradient_), of(hessian_), of(rows_)};
}

Grid::Sums Grid::part(bool turned, std::size_t begin, std::size_t end, std::size_t other_begin,
                      std::size_t other_end) const {
    return turned ? sums(other_begin, other_end, begin, end) : sums(begin, end, other_begin, other_end);
}

double Grid::interaction_gain() const {
    const std::size_t n = first_order_.size(), m = second_order_.size();
    double best = 0.0;
    for (std::size_t i = 1; i < n; ++i) {
        const double by_first = gain(sums(0, i, 0, m)) + gain(sums(i, n, 0, m));
        for (std::size_t j = 1; j < m; ++j) {
            const Sums parts[4] = {sums(0, i, 0, j), sums(0, i, j, m), sums(i, n, 0, j), sums(i, n, j, m)};
            if (!std::all_of(parts, parts + 4, [&](const Sums& s) { return enough(s); })) continue;
            double crossed = 0.0;
            for (const Sums& s : parts) crossed += gain(s);
            const double by_second = gain(sums(0, n, 0, j)) + gain(sums(0, n, j, m));
            best = std::max(best, crossed - std::max(by_first, by_second));
        }
    }
    return best;
}

// The best cut by the other side of the slots `begin` to `end`; without one, the gain of all of them.
double Grid::best_cut(bool turned, std::size_t begin, std::size_t end, std::size_t& cut) const {
    const std::size_t others = turned ? first_order_.size() : second_order_.size();
    double best = gain(part(turned, begin, end, 0, others));
    cut = 0;
    for (std::size_t j = 1; j < others; ++j) {
        const Sums low = part(turned, begin, end, 0, j), high = part(turned, begin, end, j, others);
        if (!enough(low) || !enough(high)) continue;
        if (const double found = gain(low) + gain(high); found > best) {
            best = found;
            cut = j;
        }
    }
    return best;
}

void Grid::search(bool turned, Cross& best) const {
    const std::size_t n = turned ? second_order_.size() : first_order_.size();
    const std::size_t others = turned ? first_order_.size() : second_order_.size();
    for (std::size_t i = 1; i < n; ++i) {
        if (!enough(part(turned, 0, i, 0, others)) || !enough(part(turned, i, n, 0, others))) continue;
        Cross cross{0.0, turned, i, 0, 0};
        cross.gain = best_cut(turned, 0, i, cross.below) + best_cut(turned, i, n, cross.above);
        if (cross.gain > best.gain) best = cross;
    }
}

bool Grid::take_step(std::vector<double>& values) const {
    const std::size_t n = first_order_.size(), m = second_order_.size();
    Cross best;
    best.gain = gain(sums(0, n, 0, m));
    search(false, best);
    search(true, best);
    if (best.cut == 0) return false;
    const std::size_t length = best.turned ? m : n, others = best.turned ? n : m;
    const auto leaf = [&](std::size_t begin, std::size_t end, std::size_t other, std::size_t cut) {
        const std::size_t low = other < cut ? 0 : cut, high = other < cut ? cut : others;
        return value(part(best.turned, begin, end, low, high));
    };
    for (std::size_t i = 0; i < length; ++i) {
        const bool low = i < best.cut;
        const std::size_t begin = low ? 0 : best.cut, end = low ? best.cut : length;
        for (std::size_t j = 0; j < others; ++j) {
            const std::size_t a = best.turned ? j : i, b = best.turned ? i : j;
            values[first_order_[a] * width_ + second_order_[b]] = leaf(begin, end, j, low ? best.below : best.above);
        }
    }
    return true;
}

}  // namespace vaglio::additive
