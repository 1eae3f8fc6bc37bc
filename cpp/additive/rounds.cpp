#include "additive/rounds.hpp"

#include <algorithm>
#include <cmath>

namespace vaglio::additive {
namespace {

double mean_loss(const std::vector<boosting::LossSum>& of_bags) {
    double sum = 0, total = 0;
    for (const boosting::LossSum& own : of_bags) {
        const double weight = own.weight.value();
        if (weight > 0) sum += own.mean() * weight;
        total += weight;
    }
    return total > 0 ? sum / total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::size_t steps_together(double learning_rate, std::size_t most) {
    return static_cast<std::size_t>(std::clamp(0.25 / learning_rate, 1.0, static_cast<double>(most)));
}

std::size_t terms_together(double learning_rate, std::size_t most) {
    const double step = learning_rate * static_cast<double>(steps_together(learning_rate, most));
    return static_cast<std::size_t>(std::clamp(1 / step, 1.0, 1e6));
}

Rounds::Rounds(const StoppingConfig& stopping, std::size_t together, double first_loss)
    : stopping_(stopping), together_(together), first_loss_(first_loss) {}

bool Rounds::look(const std::vector<boosting::LossSum>& of_bags) {
    losses_.push_back(mean_loss(of_bags));
    const double loss = losses_.back();
    if (losses_.size() == 1) {
        watched_ = !std::isnan(loss);
        best_ = loss;
        if (std::isnan(first_loss_)) first_loss_ = loss;
        return true;
    }
    // Not a share of the best loss: where classes can be told apart, that falls for ever, and no probability changes.
    if (!(loss < best_ - stopping_.tolerance * std::fabs(first_loss_))) return false;
    best_ = loss;
    best_at_ = done_;
    return true;
}

bool Rounds::is_unfinished() const {
    return done_ < stopping_.max_rounds && (!watched_ || done_ - best_at_ < stopping_.patience);
}

std::vector<std::size_t> Rounds::visits() {
    std::size_t left = std::min(stopping_.interval, stopping_.max_rounds - done_);
    done_ += left;
    std::vector<std::size_t> found;
    for (; left > 0; left -= found.back()) found.push_back(std::min(left, together_));
    return found;
}

}  // namespace vaglio::additive
