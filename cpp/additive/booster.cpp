#include "additive/booster.hpp"

#include <algorithm>
#include <utility>

namespace vaglio::additive {

Booster::Booster(std::vector<boosting::BinnedFeature> features, BagConfig config, std::size_t rows,
                 const std::vector<std::vector<double>>& starts)
    : config_(std::move(config)), features_(std::move(features)), terms_(features_), rows_(rows) {
    for (const auto& start : starts) bags_.push_back(std::make_unique<Bag>(terms_, config_, start));
    for (const auto& feature : features_) {
        guarded_ |= feature.nominal && static_cast<double>(feature.bins) > config_.step.split.guarded_from;
    }
}

void Booster::open_features() {
    first_open_ = 0;
    groups_.clear();
    const std::size_t most = terms_together(config_.learning_rate, config_.most_steps);
    for (std::size_t first = 0; first < features_.size(); first += most) {
        std::vector<std::uint32_t> group;
        for (std::size_t f = first; f < std::min(features_.size(), first + most); ++f) {
            if (config_.boosted[f]) group.push_back(static_cast<std::uint32_t>(f));
        }
        if (!group.empty()) groups_.push_back(std::move(group));
    }
}

void Booster::open_pairs(std::vector<Pair> pairs) {
    terms_.open_pairs(std::move(pairs));
    first_open_ = features_.size();
    groups_.clear();
    const std::size_t most = terms_together(config_.learning_rate, config_.most_steps);
    for (std::size_t p = 0; p < terms_.pairs.size(); ++p) {
        if (p % most == 0) groups_.emplace_back();
        groups_.back().push_back(static_cast<std::uint32_t>(first_open_ + p));
    }
}

Rounds& Booster::begin(const StoppingConfig& stopping) {
    const double first = rounds_ ? rounds_->first_loss() : std::numeric_limits<double>::quiet_NaN();
    rounds_ = std::make_unique<Rounds>(stopping, steps_together(config_.learning_rate, config_.most_steps), first);
    return *rounds_;
}

void Booster::look(const std::vector<boosting::LossSum>& of_bags) {
    if (!rounds_->look(of_bags)) return;
    for (const auto& bag : bags_) bag->remember();
}

void Booster::end() {
    for (const auto& bag : bags_) rounds_->watched() ? bag->come_back() : bag->remember();
}

}  // namespace vaglio::additive
