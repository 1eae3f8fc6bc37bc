#include "boosting/loss/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.hpp"
#include "boosting/loss/loss_loops.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t block_rows = 1024;

std::size_t blocks_of(std::size_t rows) { return (rows + block_rows - 1) / block_rows; }

double largest_weight(const Target& target) {
    return target.weight ? *std::max_element(target.weight, target.weight + target.rows) : 1.0;
}

// NaN, if there is one.
double larger(double a, double b) { return a > b || a != a ? a : b; }

// To the nearest whole number, of two to the even one: what is added leaves no bit for a fraction. A number has fewer
// than 51 bits.
std::int32_t nearest(double x) { return static_cast<std::int32_t>((x + 0x1.8p52) - 0x1.8p52); }

// Log-sum-exp of the raw predictions of a row.
double log_total(const Target& target, std::size_t row) {
    double largest = target.raw[row];
    for (std::size_t k = 1; k < target.outputs; ++k) largest = std::max(largest, target.raw[k * target.rows + row]);
    double sum = 0;
    for (std::size_t k = 0; k < target.outputs; ++k) sum += std::exp(target.raw[k * target.rows + row] - largest);
    return largest + std::log(sum);
}

// Calls use(kind) with the loss as a constant, so that a loop over rows does not ask for it row by row.
template <class Use>
auto with_kind(LossKind loss, Use use) {
    switch (loss) {
        case LossKind::binomial:
            return use(std::integral_constant<LossKind, LossKind::binomial>());
        case LossKind::multinomial:
            return use(std::integral_constant<LossKind, LossKind::multinomial>());
        case LossKind::absolute:
            return use(std::integral_constant<LossKind, LossKind::absolute>());
        case LossKind::quantile:
            return use(std::integral_constant<LossKind, LossKind::quantile>());
        case LossKind::poisson:
            return use(std::integral_constant<LossKind, LossKind::poisson>());
        case LossKind::gamma:
            return use(std::integral_constant<LossKind, LossKind::gamma>());
        case LossKind::squared:
            break;
    }
    return use(std::integral_constant<LossKind, LossKind::squared>());
}

template <LossKind kind>
Derivatives derivatives_of(const Target& target, std::size_t row, std::size_t output) {
    const double raw = target.raw[output * target.rows + row], y = target.y[row];
    if constexpr (kind == LossKind::binomial) {
        const double p = 1 / (1 + std::exp(-raw));
        return {p - y, p * (1 - p)};
    } else if constexpr (kind == LossKind::multinomial) {
        const double p = std::exp(raw - log_total(target, row));
        return {p - (y == static_cast<double>(output) ? 1.0 : 0.0), p * (1 - p)};
    } else if constexpr (kind == LossKind::squared) {
        return {raw - y, 1.0};
    } else if constexpr (kind == LossKind::absolute) {
        return {raw > y ? 1.0 : -1.0, 1.0};
    } else if constexpr (kind == LossKind::quantile) {
        return {y >= raw ? -target.quantile : 1 - target.quantile, 1.0};
    } else if constexpr (kind == LossKind::poisson) {
        return {std::exp(raw) - y, std::exp(raw)};
    } else {
        return {1 - y * std::exp(-raw), y * std::exp(-raw)};
    }
}

template <LossKind kind>
double loss_of(const Target& target, std::size_t row) {
    const double raw = target.raw[row], y = target.y[row];
    if constexpr (kind == LossKind::binomial) {  // log(1 + e^raw) - y raw, without overflow
        return (raw > 0 ? raw : 0.0) + std::log1p(std::exp(-std::fabs(raw))) - y * raw;
    } else if constexpr (kind == LossKind::multinomial) {
        return log_total(target, row) - target.raw[static_cast<std::size_t>(y) * target.rows + row];
    } else if constexpr (kind == LossKind::squared) {
        return 0.5 * (raw - y) * (raw - y);
    } else if constexpr (kind == LossKind::absolute) {
        return std::fabs(raw - y);
    } else if constexpr (kind == LossKind::quantile) {
        return y >= raw ? target.quantile * (y - raw) : (1 - target.quantile) * (raw - y);
    } else if constexpr (kind == LossKind::poisson) {
        return std::exp(raw) - y * raw;
    } else {
        return raw + y * std::exp(-raw);
    }
}

// Derivatives of the rows of a block, in whole units.
template <LossKind kind>
void derive_block(const Target& target, const FixedPoint& unit, std::size_t first, std::size_t end, RowGradient* to) {
    const double to_gradient = 1 / unit.gradient_unit, to_hessian = 1 / unit.hessian_unit;
    const bool constant = target.constant_hessian();
    for (std::size_t i = first; i < end; ++i) {
        const double weight = target.weight ? target.weight[i] : 1.0;
        const Derivatives d = derivatives_of<kind>(target, i, 0);
        to[i] = {nearest(d.gradient * weight * to_gradient),
                 constant ? 0u : static_cast<std::uint32_t>(nearest(d.hessian * weight * to_hessian))};
    }
}

}  // namespace

Derivatives derivatives(const Target& target, std::size_t row, std::size_t output) {
    return with_kind(target.loss, [&](auto kind) { return derivatives_of<kind()>(target, row, output); });
}

Derivatives derivative_bounds(const Target& target, int threads) {
    const bool log_loss = target.loss == LossKind::binomial || target.loss == LossKind::multinomial;
    if (log_loss || target.leaf_quantiles()) {
        const double weight = largest_weight(target);
        return {weight, weight * (log_loss ? 0.25 : 1.0)};
    }
    const std::size_t blocks = blocks_of(target.rows);
    std::vector<Derivatives> largest(blocks, {0.0, 0.0});
    with_kind(target.loss, [&](auto kind) {
        parallel_for(threads, blocks, [&](std::size_t b, int) {
            Derivatives own{0.0, 0.0};
            for (std::size_t i = b * block_rows; i < std::min(target.rows, (b + 1) * block_rows); ++i) {
                const double weight = target.weight ? target.weight[i] : 1.0;
                const Derivatives d = derivatives_of<kind()>(target, i, 0);
                own.gradient = larger(weight * std::fabs(d.gradient), own.gradient);
                own.hessian = larger(weight * d.hessian, own.hessian);
            }
            largest[b] = own;
        });
    });
    Derivatives bounds{0.0, 0.0};
    for (const Derivatives& d : largest) {
        bounds.gradient = larger(d.gradient, bounds.gradient);
        bounds.hessian = larger(d.hessian, bounds.hessian);
    }
    return bounds;
}

FixedPoint units_of(std::size_t rows, const Derivatives& bounds, bool constant_hessian) {
    if (!std::isfinite(bounds.gradient) || !std::isfinite(bounds.hessian)) {
        throw std::overflow_error("the derivatives of the loss are no numbers");
    }
    return FixedPoint(rows, bounds.gradient, bounds.hessian, constant_hessian);
}

void Gradients::compute(const Target& target, int threads) {
    const Derivatives bounds = derivative_bounds(target, threads);
    compute(target, units_of(target.rows, bounds, target.constant_hessian()), threads);
}

void Gradients::compute(const Target& target, const FixedPoint& units, int threads) {
    const std::size_t blocks = blocks_of(target.rows);
    const bool log_loss = target.loss == LossKind::binomial || target.loss == LossKind::multinomial;
    rows.resize(target.rows * target.outputs);
    unit = units;
    const double to_gradient = 1 / unit.gradient_unit, to_hessian = 1 / unit.hessian_unit;
    const auto binomial = VAGLIO_LEVELS(binomial_block).best();
    const auto multinomial = VAGLIO_LEVELS(multinomial_block).best();
    const auto compute_block = [&](std::size_t b) {
        const std::size_t first = b * block_rows, count = std::min(block_rows, target.rows - first);
        if (!log_loss) {
            with_kind(target.loss,
                      [&](auto kind) { derive_block<kind()>(target, unit, first, first + count, rows.data()); });
            return;
        }
        LossBlock block{count,
                        target.rows,
                        target.outputs,
                        target.raw + first,
                        target.y + first,
                        target.weight ? target.weight + first : nullptr,
                        to_gradient,
                        to_hessian,
                        rows.data() + first,
                        nullptr};
        if (target.loss == LossKind::binomial) {
            binomial(block);
            return;
        }
        std::vector<double> scratch(count * (target.outputs + 2));
        block.scratch = scratch.data();
        multinomial(block);
    };
    // In turn, as trees deal rows to threads: what a thread computes, it is likely to read.
    const auto parts = static_cast<std::size_t>(std::max(1, threads));
    parallel_for(target.rows < 4 * block_rows ? 1 : threads, parts, [&](std::size_t part, int) {
        for (std::size_t b = part; b < blocks; b += parts) compute_block(b);
    });
}

double row_loss(const Target& target, std::size_t row) {
    return with_kind(target.loss, [&](auto kind) { return loss_of<kind()>(target, row); });
}

double mean_loss(const Target& target, const std::vector<std::uint32_t>& rows, const double* weight, int threads) {
    const std::size_t blocks = blocks_of(rows.size());
    std::vector<LossSum> sums(static_cast<std::size_t>(std::max(1, threads)));
    const auto add_block = [&](auto kind, std::size_t b, LossSum& to) {
        const std::size_t first = b * block_rows, end = std::min(rows.size(), first + block_rows);
        if (!weight) to.count(end - first);
        for (std::size_t i = first; i < end; ++i) {
            const double own = loss_of<kind()>(target, rows[i]);
            weight ? to.add(own, weight[rows[i]]) : to.add_loss(own);
        }
    };
    with_kind(target.loss, [&](auto kind) {
        parallel_for(threads, blocks,
                     [&](std::size_t b, int worker) { add_block(kind, b, sums[static_cast<std::size_t>(worker)]); });
    });
    LossSum all;
    for (const LossSum& sum : sums) all += sum;
    return all.mean();
}

double weighted_quantile(std::vector<double>& values, const std::vector<double>& weights, double share) {
    const std::size_t n = values.size();
    if (weights.empty()) {
        const double place = static_cast<double>(n - 1) * share;
        const auto below = static_cast<std::size_t>(place);
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
        std::nth_element(values.begin(), middle, values.end());
        if (below + 1 >= n) return *middle;
        const double next = *std::min_element(middle + 1, values.end());
        return *middle + (next - *middle) * (place - static_cast<double>(below));
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const double wanted = share * std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += weights[order[i]];
        if (sum == wanted && i + 1 < n) return (values[order[i]] + values[order[i + 1]]) / 2;
        if (sum > wanted) return values[order[i]];
    }
    return values[order[n - 1]];
}

std::vector<double> baseline(const Target& target, const std::vector<std::uint32_t>& rows) {
    const auto weight = [&](std::uint32_t row) { return target.weight ? target.weight[row] : 1.0; };
    if (target.leaf_quantiles()) {
        std::vector<double> values, weights;
        for (const std::uint32_t row : rows) {
            values.push_back(target.y[row]);
            if (target.weight) weights.push_back(weight(row));
        }
        return {weighted_quantile(values, weights, target.loss == LossKind::absolute ? 0.5 : target.quantile)};
    }
    BaselineSums sums(target);
    const double least = rows.empty() ? 0.0 : *std::min_element(target.y, target.y + target.rows);
    for (const std::uint32_t row : rows) sums.add(target.y[row], least, weight(row));
    return sums.baseline(least);
}

}  // namespace vaglio::boosting
