#include "additive/pairs/pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
    fill_corners(unit, cells);
}

void Grid::fill_corners(const FixedPoint& unit, const GradientSums* cells) {
    const std::size_t lines = first_order_.size() + 1, columns = second_order_.size() + 1;
    stride_ = (columns + 7) / 8 * 8;
    gradient_.assign(lines * stride_, 0.0);
    hessian_.assign(lines * stride_, 0.0);
    rows_.assign(lines * stride_, 0.0);
    std::vector<GradientSums> before(columns);  // of the lines so far
    for (std::size_t i = 0; i < lines; ++i) {
        const std::size_t at = i * stride_;
        GradientSums line;
        for (std::size_t j = 1; i > 0 && j < columns; ++j) {
            line += cells[first_order_[i - 1] * width_ + second_order_[j - 1]];
            before[j] += line;
            gradient_[at + j] = unit.gradient(before[j]);
            hessian_[at + j] = unit.hessian(before[j]);
            rows_[at + j] = static_cast<double>(unit.rows(before[j]));
        }
        std::fill(rows_.data() + at + columns, rows_.data() + at + stride_, std::numeric_limits<double>::quiet_NaN());
    }
}

Grid::Sums Grid::sums(std::size_t first_begin, std::size_t first_end, std::size_t second_begin,
                      std::size_t second_end) const {
    const std::size_t top = first_begin * stride_, bottom = first_end * stride_;
    const auto of = [&](const std::vector<double>& corners) {
        return corners[bottom + second_end] - corners[top + second_end] -
               (corners[bottom + second_begin] - corners[top + second_begin]);
    };
    return {of(gradient_), of(hessian_), of(rows_)};
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

// Takes the best cut of one side together with the best ones of the other side below and above it.
void Grid::choose(bool turned, const BestCuts& below, const BestCuts& above, Cross& best) const {
    const std::size_t n = turned ? second_order_.size() : first_order_.size();
    const std::size_t others = turned ? first_order_.size() : second_order_.size();
    for (std::size_t i = 1; i < n; ++i) {
        const Sums low = part(turned, 0, i, 0, others), high = part(turned, i, n, 0, others);
        if (!enough(low) || !enough(high)) continue;
        Cross cross{0.0, turned, i, 0, 0};
        const auto take = [&](const Sums& whole, const BestCuts& cuts, std::size_t& cut) {
            const double uncut = gain(whole);
            if (cuts.gain[i] > uncut) cut = static_cast<std::size_t>(cuts.at[i]);
            cross.gain += std::max(uncut, cuts.gain[i]);
        };
        take(low, below, cross.below);
        take(high, above, cross.above);
        if (cross.gain > best.gain) best = cross;
    }
}

Grid::Cross Grid::best_cross() const {
    const std::size_t n = first_order_.size(), m = second_order_.size(), lines = n + 1;
    std::vector<double> found(4 * (lines + stride_));
    double* next = found.data();
    const auto cuts = [&](std::size_t count) {
        const BestCuts own{next, next + count};
        next += 2 * count;
        return own;
    };
    const CrossCuts best{cuts(lines), cuts(lines), cuts(stride_), cuts(stride_)};
    static const auto loop = VAGLIO_LEVELS(best_crosses).best();
    loop({n, m, stride_, gradient_.data(), hessian_.data(), rows_.data(), l2_, least_rows_, least_hessian_}, best);
    Cross cross;
    cross.gain = gain(sums(0, n, 0, m));
    choose(false, best.before_line, best.after_line, cross);
    choose(true, best.before_column, best.after_column, cross);
    return cross;
}

bool Grid::take_step(std::vector<double>& values) const {
    const std::size_t n = first_order_.size(), m = second_order_.size();
    const Cross best = best_cross();
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
