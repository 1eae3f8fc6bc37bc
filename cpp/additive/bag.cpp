#include "additive/bag.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace vaglio::additive {
namespace {

using boosting::FixedPoint;
using boosting::GradientSums;

// Where the gradients of a slot are after a step: what they lose is known up to the second derivative.
void move(GradientSums& sums, const FixedPoint& unit, double step) {
    constexpr double most = 0x1p60;
    const double change = unit.hessian(sums) * step / unit.gradient_unit;
    sums.gradient += std::llround(std::clamp(change, -most, most));
}

}  // namespace

Terms::Terms(const std::vector<boosting::BinnedFeature>& own) : features(own), offset{0} {
    for (const auto& feature : features) offset.push_back(offset.back() + feature.slots());
}

void Terms::open_pairs(std::vector<Pair> chosen) {
    pairs = std::move(chosen);
    offset.resize(features.size() + 1);
    for (const Pair& pair : pairs) {
        offset.push_back(offset.back() + std::size_t{sides[pair.first].slots} * sides[pair.second].slots);
    }
}

Bag::Bag(const Terms& terms, const BagConfig& config, std::vector<double> start)
    : terms_(terms), config_(config), start_(std::move(start)) {
    for (const double value : start_) {
        if (!std::isfinite(value)) throw std::overflow_error("the start is no number");
        farthest_.push_back(std::fabs(value));
    }
}

void Bag::open(std::size_t first, const std::vector<std::uint64_t>& rows) {
    const std::size_t kept = terms_.offset[first], before = tables_.size() / start_.size();
    rows_.resize(kept);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    std::vector<double> fresh(start_.size() * width(), 0.0);
    for (std::size_t k = 0; k < start_.size(); ++k) {
        std::copy_n(tables_.data() + k * before, kept, fresh.data() + k * width());
    }
    tables_ = std::move(fresh);
    remember();
}

bool Bag::step(std::uint32_t term, GradientSums* sums, const FixedPoint& unit, double noise) {
    if (terms_.is_pair(term)) {
        const Pair& pair = terms_.pairs[term - terms_.features.size()];
        values_.assign(terms_.slots(term), 0.0);
        return Grid(config_.step.split, unit, terms_.sides[pair.first], terms_.sides[pair.second], sums)
            .take_step(values_);
    }
    return take_step({config_.step, terms_.features[term], term, unit, noise, sums}, values_);
}

std::vector<TermStep> Bag::take(std::span<const std::uint32_t> group, TermSums& sums, const FixedPoint& unit,
                                std::size_t steps) {
    std::vector<TermStep> taken;
    GradientSums* own = sums.sums.data();
    for (std::size_t k = 0; k < start_.size(); ++k) {
        double hessians = 0;
        for (std::size_t slot = 0; slot < terms_.slots(group[0]); ++slot) hessians += unit.hessian(own[slot]);
        const double noise = sums.squares[k].per_hessian(unit, hessians);
        for (const std::uint32_t term : group) {
            const std::size_t slots = terms_.slots(term);
            const std::uint64_t* rows = rows_.data() + terms_.offset[term];
            for (std::size_t slot = 0; slot < slots; ++slot) own[slot].packed += rows[slot] * unit.one_row();
            TermStep whole{term, static_cast<std::uint32_t>(k), std::vector<double>(slots, 0.0)};
            bool moved = false;
            for (std::size_t s = 0; s < steps && step(term, own, unit, noise); ++s, moved = true) {
                for (std::size_t slot = 0; slot < slots; ++slot) {
                    const double value = values_[slot] * config_.learning_rate;
                    if (!std::isfinite(value)) throw std::overflow_error("a step is no number");
                    whole.values[slot] += value;
                    move(own[slot], unit, value);
                }
            }
            own += slots;
            if (moved) taken.push_back(std::move(whole));
        }
    }
    for (const TermStep& step : taken) {
        double* table = tables_.data() + step.output * width() + terms_.offset[step.term];
        double most = 0.0;
        for (std::size_t slot = 0; slot < step.values.size(); ++slot) {
            table[slot] += step.values[slot];
            most = std::max(most, std::fabs(step.values[slot]));
        }
        // No sum over the terms may overflow.
        farthest_[step.output] += most;
        if (!std::isfinite(farthest_[step.output])) throw std::overflow_error("the steps add up to no number");
    }
    return taken;
}

std::vector<TermStep> Bag::all_steps() const {
    std::vector<TermStep> found;
    for (std::size_t k = 0; k < start_.size(); ++k) {
        for (std::size_t term = 0; term + 1 < terms_.offset.size(); ++term) {
            const auto begin = tables_.begin() + static_cast<std::ptrdiff_t>(k * width() + terms_.offset[term]);
            const auto end = begin + static_cast<std::ptrdiff_t>(terms_.slots(term));
            if (std::all_of(begin, end, [](double value) { return value == 0.0; })) continue;
            found.push_back({static_cast<std::uint32_t>(term), static_cast<std::uint32_t>(k), {begin, end}});
        }
    }
    return found;
}

std::vector<double> Bag::part(std::size_t begin, std::size_t end) const {
    std::vector<double> found;
    for (std::size_t k = 0; k < start_.size(); ++k) {
        const auto first = tables_.begin() + static_cast<std::ptrdiff_t>(k * width());
        found.insert(found.end(), first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
    }
    return found;
}

}  // namespace vaglio::additive
