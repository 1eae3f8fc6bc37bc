#include "tree/loss/median.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace vaglio::tree {

RankedTargets::RankedTargets(std::span<const double> targets) : ascending_(targets.size()), rank_(targets.size()) {
    std::vector<std::uint32_t> order(targets.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return targets[a] < targets[b]; });
    for (std::uint32_t rank = 0; rank < targets.size(); ++rank) {
        ascending_[rank] = targets[order[rank]];
        rank_[order[rank]] = rank;
    }
}

std::vector<RankedTargets> rank_targets(const GrowNode& node, const Outputs* outputs) {
    std::vector<RankedTargets> ranked;
    if (!outputs) {
        ranked.emplace_back(std::span(node.targets(), node.size));
        return ranked;
    }
    std::vector<double> targets(node.size);
    for (std::size_t k = 0; k < outputs->count; ++k) {
        for (std::uint32_t i = 0; i < node.size; ++i) targets[i] = outputs->targets_of(node.rows()[i])[k];
        ranked.emplace_back(targets);
    }
    return ranked;
}

GrowingMedian::GrowingMedian(const RankedTargets& targets, const GrowNode& node)
    : targets_(targets), node_(node), tree_(targets.size() + 1), top_(std::bit_floor(targets.size())) {}

void GrowingMedian::clear() {
    std::fill(tree_.begin(), tree_.end(), Below{});
    all_ = {};
}

void GrowingMedian::add(std::uint32_t position) {
    const double weight = node_.weights() ? node_.weights()[position] : 1.0;
    const double sum = weight * targets_.of(position);
    all_.weight += weight;
    all_.sum += sum;
    for (std::size_t i = targets_.rank(position) + 1u; i < tree_.size(); i += i & -i) {
        tree_[i].weight += weight;
        tree_[i].sum += sum;
    }
}

std::size_t GrowingMedian::descend(double limit, bool strict, Below& below) const {
    std::size_t at = 0;
    for (std::size_t step = top_; step > 0; step /= 2) {
        if (at + step >= tree_.size()) continue;
        const Below& part = tree_[at + step];
        const double weight = below.weight + part.weight;
        if (strict ? weight >= limit : weight > limit) continue;
        at += step;
        below = {weight, below.sum + part.sum};
    }
    return std::min(at, targets_.size() - 1);
}

Fit GrowingMedian::fit() const {
    if (all_.weight <= 0) return {};
    const double half = all_.weight / 2, slack = half_slack * half;
    Below below, up_to;
    const double low = targets_.at(descend(half - slack, true, below));
    const double high = targets_.at(descend(half + slack, false, up_to));
    // Any median gives the same error; around the lower one the rows below it are known.
    const double loss = low * below.weight - below.sum + (all_.sum - below.sum) - low * (all_.weight - below.weight);
    return {(low + high) / 2, std::max(0.0, loss)};
}

CutFits fit_cuts(std::span<const RankedTargets> targets, const GrowNode& node, const Cuts& cuts) {
    const auto& order = cuts.order;
    const auto asked = [&](std::size_t i) {
        return i >= cuts.first && i < cuts.end && (order[i + 1] & new_value) != 0;
    };
    CutFits fits{std::vector<Fit>(order.size()), std::vector<Fit>(order.size())};
    const auto count = static_cast<double>(targets.size());
    const auto note = [&](const Fit& found, Fit& to) { to = {found.value, to.loss + found.loss / count}; };
    for (const RankedTargets& output : targets) {
        GrowingMedian side(output, node);
        for (const std::uint32_t position : cuts.left) side.add(position);
        for (std::size_t i = 0; i < cuts.end; ++i) {
            side.add(order[i] & position_mask);
            if (asked(i)) note(side.fit(), fits.left[i]);
        }
        side.clear();
        for (const std::uint32_t position : cuts.right) side.add(position);
        for (std::size_t i = order.size(); i-- > cuts.first + 1;) {
            side.add(order[i] & position_mask);
            if (asked(i - 1)) note(side.fit(), fits.right[i - 1]);
        }
    }
    return fits;
}

}  // namespace vaglio::tree
