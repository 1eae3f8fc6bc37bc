#include "additive/trainer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"

namespace vaglio::additive {

using boosting::GradientSums;
using boosting::LossKind;

Trainer::Trainer(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
                 std::size_t bags, BagConfig config, int threads)
    : bags_(bags),
      threads_(threads),
      log_loss_(target.loss == LossKind::binomial || target.loss == LossKind::multinomial),
      raw_(bags * target.outputs * target.rows) {
    part_.target = target;
    part_.held = held;
    part_.raw = raw_.data();
    for (std::size_t f = 0; f < table.features().size(); ++f) {
        with_codes(table.column(f), [&](const auto* bins) {
            part_.columns.push_back({bins, sizeof *bins == 2, table.features()[f].slots()});
        });
    }
    std::vector<std::vector<double>> starts(bags);
    const double least = *std::min_element(target.y, target.y + target.rows);
    parallel_for(threads_, bags, [&](std::size_t b, int) { starts[b] = start_sums(part_, b, least).baseline(least); });
    booster_ = std::make_unique<Booster>(table.features(), std::move(config), target.rows, starts);
    part_.squares = booster_->guarded();
    booster_->open_features();
    count_rows();
    parallel_for(threads_, bags, [&](std::size_t b, int) { start_scores(part_, b, starts[b], {}); });
    for (std::size_t b = 0; log_loss_ && b < bags; ++b) units_.push_back(booster_->unit(bounds(part_, b)));
}

void Trainer::count_rows() {
    const std::size_t first = booster_->first_open();
    std::vector<std::uint32_t> terms(part_.columns.size() - first);
    std::iota(terms.begin(), terms.end(), static_cast<std::uint32_t>(first));
    parallel_for(threads_, bags_,
                 [&](std::size_t b, int) { booster_->bags()[b]->open(first, training_rows(part_, b, terms)); });
}

// Steps of all groups in turn; those of the last group are still to be added to the scores.
void Trainer::visit_groups(std::size_t bag, std::size_t steps, std::vector<TermStep>& pending) {
    TermSums sums;
    for (const auto& group : booster_->groups()) {
        if (!log_loss_) {
            add_steps(part_, bag, pending);
            pending.clear();
        }
        const boosting::FixedPoint unit = log_loss_ ? units_[bag] : booster_->unit(bounds(part_, bag));
        visit(part_, bag, pending, group, unit, sums);
        pending = booster_->bags()[bag]->take(group, sums, unit, steps);
    }
}

void Trainer::look() {
    std::vector<boosting::LossSum> losses(bags_);
    parallel_for(threads_, bags_, [&](std::size_t b, int) { losses[b] = held_loss(part_, b); });
    booster_->look(losses);
}

std::vector<double> Trainer::boost(const StoppingConfig& stopping, Control& control) {
    Rounds& rounds = booster_->begin(stopping);
    look();
    control.expect(stopping.max_rounds);
    while (rounds.is_unfinished()) {
        const std::vector<std::size_t> visits = rounds.visits();
        parallel_for(threads_, bags_, [&](std::size_t b, int) {
            std::vector<TermStep> pending;
            for (const std::size_t steps : visits) {
                control.check();
                visit_groups(b, steps, pending);
            }
            add_steps(part_, b, pending);
        });
        control.advance(std::accumulate(visits.begin(), visits.end(), std::size_t{0}));
        if (rounds.watched()) look();
    }
    booster_->end();
    parallel_for(threads_, bags_, [&](std::size_t b, int) {
        const Bag& bag = *booster_->bags()[b];
        start_scores(part_, b, bag.start(), bag.all_steps());
    });
    rounds_ = rounds.best();
    return rounds.losses();
}

void Trainer::set_coarse(const std::vector<std::vector<std::uint8_t>>& slots) {
    coarse_ = {};
    for (std::size_t f = 0; f < slots.size(); ++f) {
        coarse_.add(part_.columns[f], booster_->terms().features[f].nominal, slots[f], part_.target.rows);
    }
    booster_->set_sides(coarse_.sides);
}

std::vector<double> Trainer::screen(const std::vector<Pair>& pairs, const std::vector<std::uint32_t>& rows,
                                    Control& control) const {
    Screen screen(part_, bags_);
    const boosting::FixedPoint unit = booster_->unit(screen.bounds(threads_));
    screen.compute(unit, threads_);
    std::vector<double> gains(pairs.size());
    parallel_for(threads_, pairs.size(), [&](std::size_t p, int) {
        control.check();
        std::vector<GradientSums> sums(part_.target.outputs * coarse_.cells(pairs[p]));
        screen.add_rows(coarse_, pairs[p], rows, sums.data());
        gains[p] = screened_gain(booster_->config().step.split, unit, coarse_.sides, pairs[p], part_.target.outputs,
                                 sums.data());
        control.advance(1);
    });
    return gains;
}

void Trainer::open_pairs(std::vector<Pair> pairs) {
    booster_->open_pairs(std::move(pairs));
    const std::vector<Pair>& own = booster_->terms().pairs;
    cells_.resize(own.size());
    parallel_for(threads_, own.size(), [&](std::size_t p, int) { cells_[p] = coarse_.column(own[p]); });
    part_.columns.resize(booster_->first_open());
    for (std::size_t p = 0; p < own.size(); ++p) {
        part_.columns.push_back({cells_[p].data(), true, static_cast<std::uint32_t>(coarse_.cells(own[p]))});
    }
    count_rows();
}

}  // namespace vaglio::additive
