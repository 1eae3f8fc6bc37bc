#include "additive/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"

namespace vaglio::additive {

using boosting::GradientSums;

Trainer::Trainer(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
                 std::size_t bags, BagConfig config, int threads)
    : table_(table), config_(std::move(config)), target_(target), threads_(threads), bags_(bags) {
    parallel_for(threads_, bags, [&](std::size_t b, int) {
        bags_[b] = std::make_unique<Bag>(table_, target_, held + b * target.rows, config_);
    });
}

double Trainer::mean_loss() const {
    double sum = 0, total = 0;
    std::vector<double> losses(bags_.size());
    parallel_for(threads_, bags_.size(), [&](std::size_t b, int) { losses[b] = bags_[b]->held_out_loss(); });
    for (std::size_t b = 0; b < bags_.size(); ++b) {
        const double weight = bags_[b]->held_out_weight();
        if (weight > 0) sum += losses[b] * weight;
        total += weight;
    }
    return total > 0 ? sum / total : std::numeric_limits<double>::quiet_NaN();
}

template <class Round>
std::vector<double> Trainer::boost(const StoppingConfig& stopping, Control& control, Round round) {
    std::vector<double> losses{mean_loss()};
    const bool watched = !std::isnan(losses[0]);
    double best = losses[0];
    // Not a share of the best loss: where classes can be told apart, that falls for ever, and no probability changes.
    if (std::isnan(start_loss_)) start_loss_ = losses[0];
    const double counts = stopping.tolerance * std::fabs(start_loss_);
    std::size_t done = 0, best_at = 0;
    control.expect(stopping.max_rounds);
    while (done < stopping.max_rounds && (!watched || done - best_at < stopping.patience)) {
        const std::size_t steps = std::min(stopping.interval, stopping.max_rounds - done);
        parallel_for(threads_, bags_.size(), [&](std::size_t b, int) {
            for (std::size_t i = 0; i < steps; ++i) {
                control.check();
                round(*bags_[b]);
            }
        });
        control.advance(steps);
        done += steps;
        if (!watched) continue;
        losses.push_back(mean_loss());
        if (losses.back() < best - counts) {
            best = losses.back();
            best_at = done;
            for (const auto& bag : bags_) bag->remember();
        }
    }
    rounds_ = watched ? best_at : done;
    for (const auto& bag : bags_) {
        if (watched) {
            bag->come_back();
        } else {
            bag->remember();
        }
    }
    return losses;
}

std::vector<double> Trainer::boost_features(const StoppingConfig& stopping, Control& control) {
    return boost(stopping, control, [](Bag& bag) { bag.round_of_features(); });
}

std::vector<double> Trainer::boost_pairs(const StoppingConfig& stopping, Control& control) {
    return boost(stopping, control, [this](Bag& bag) { bag.round_of_pairs(coarse_, pairs_); });
}

std::vector<double> Trainer::screen(const std::vector<Pair>& pairs, const std::vector<std::uint32_t>& rows,
                                    Control& control) const {
    std::vector<double> raw(target_.outputs * target_.rows, 0.0);
    for (const auto& bag : bags_) {
        const double* own = bag->target().raw;
        for (std::size_t i = 0; i < raw.size(); ++i) raw[i] += own[i] / static_cast<double>(bags_.size());
    }
    // With weights of one instead of none, the Hessian is kept per row whatever the loss.
    const std::vector<double> ones(target_.weight ? 0 : target_.rows, 1.0);
    boosting::Target target = target_;
    if (!target.weight) target.weight = ones.data();
    target.raw = raw.data();
    boosting::Gradients gradients;
    gradients.compute(target, threads_);
    const std::uint64_t one = gradients.unit.one_row();
    std::vector<double> gains(pairs.size());
    parallel_for(threads_, pairs.size(), [&](std::size_t p, int) {
        control.check();
        const Side &first = coarse_.sides[pairs[p].first], &second = coarse_.sides[pairs[p].second];
        const std::uint8_t* a = coarse_.columns[pairs[p].first].data();
        const std::uint8_t* b = coarse_.columns[pairs[p].second].data();
        std::vector<GradientSums> cells;
        for (std::size_t k = 0; k < target.outputs; ++k) {
            cells.assign(std::size_t{first.slots} * second.slots, {});
            const boosting::RowGradient* own = gradients.rows.data() + k * target.rows;
            for (const std::uint32_t row : rows) {
                cells[std::size_t{a[row]} * second.slots + b[row]] += {own[row].gradient, own[row].hessian + one};
            }
            gains[p] += Grid(config_.step.split, gradients.unit, first, second, cells.data()).interaction_gain();
        }
        control.advance(1);
    });
    return gains;
}

void Trainer::open_pairs(std::vector<Pair> pairs) {
    pairs_ = std::move(pairs);
    cells_ = 0;
    for (Pair& pair : pairs_) {
        pair.offset = cells_;
        cells_ += std::size_t{coarse_.sides[pair.first].slots} * coarse_.sides[pair.second].slots;
    }
    parallel_for(threads_, bags_.size(), [&](std::size_t b, int) { bags_[b]->open_pairs(coarse_, pairs_, cells_); });
}

}  // namespace vaglio::additive
