#include "additive/bag.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace vaglio::additive {
namespace {

using boosting::GradientSums;
using boosting::RowGradient;

// Steps taken together on the same gradients: as far as one Newton step if all features say the same.
std::size_t together(double learning_rate) { return static_cast<std::size_t>(std::clamp(1 / learning_rate, 1.0, 1e6)); }

std::size_t cells_of(const Coarse& coarse, const Pair& pair) {
    return std::size_t{coarse.sides[pair.first].slots} * coarse.sides[pair.second].slots;
}

// Calls use(row, cell) for all rows. The cells of a few rows are found together, several in one register.
template <class Use>
void for_cells(const Coarse& coarse, const Pair& pair, std::size_t rows, Use use) {
    constexpr std::size_t piece = 1024;
    const std::uint8_t *a = coarse.columns[pair.first].data(), *b = coarse.columns[pair.second].data();
    const auto width = static_cast<std::uint16_t>(coarse.sides[pair.second].slots);
    std::uint16_t cells[piece];
    for (std::size_t begin = 0; begin < rows; begin += piece) {
        const std::size_t count = std::min(piece, rows - begin);
        for (std::size_t i = 0; i < count; ++i) {
            cells[i] = static_cast<std::uint16_t>(a[begin + i] * width + b[begin + i]);
        }
        for (std::size_t i = 0; i < count; ++i) use(begin + i, cells[i]);
    }
}

}  // namespace

Bag::Bag(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
         const BagConfig& config)
    : table_(table),
      config_(config),
      target_(target),
      given_weight_(target.weight),
      weight_(target.rows),
      builder_(table, 1) {
    for (std::size_t i = 0; i < target.rows; ++i) {
        weight_[i] = held[i] ? 0.0 : target.weight ? target.weight[i] : 1.0;
        (held[i] ? held_ : training_).push_back(static_cast<std::uint32_t>(i));
    }
    target_.weight = weight_.data();
    baseline_ = boosting::baseline(target_, training_);
    for (const double value : baseline_) {
        if (!std::isfinite(value)) throw std::overflow_error("the start is no number");
        now_.raw.insert(now_.raw.end(), target_.rows, value);
        farthest_.push_back(std::fabs(value));
    }
    now_.features.assign(target_.outputs * table.slots(), 0.0);
    target_.raw = now_.raw.data();
    for (const auto& feature : table.features()) {
        guarded_ |= feature.nominal && static_cast<double>(feature.bins) > config.step.split.guarded_from;
    }
    histogram_.resize(table.slots());
    make_groups();
    remember();
}

void Bag::make_groups() {
    const std::size_t most = together(config_.learning_rate), octets = builder_.octets();
    const std::size_t span = std::max<std::size_t>(1, most / 8);
    for (std::size_t first = 0; first < octets; first += span) {
        const std::size_t last = std::min(octets, first + span);
        Group group{first, last, {}};
        for (std::size_t octet = first; octet < last; ++octet) {
            for (const std::uint32_t f : builder_.features_of(octet)) {
                if (!config_.boosted[f]) continue;
                if (group.features.size() == most) {
                    groups_.push_back(group);
                    group.features.clear();
                }
                group.features.push_back(f);
            }
        }
        if (!group.features.empty()) groups_.push_back(group);
    }
}

void Bag::compute_gradients() { gradients_.compute(target_, 1); }

double Bag::noise(std::size_t output) const {
    double squares = 0, hessians = 0;
    const RowGradient* own = gradients(output);
    for (const std::uint32_t row : training_) {
        const double g = own[row].gradient * gradients_.unit.gradient_unit;
        squares += g * g;
        hessians += own[row].hessian * gradients_.unit.hessian_unit;
    }
    return hessians > 0 ? squares / hessians : 1.0;
}

void Bag::round_of_features() {
    for (const Group& group : groups_) {
        compute_gradients();
        for (std::size_t k = 0; k < target_.outputs; ++k) step_of_group(group, k);
    }
}

void Bag::step_of_group(const Group& group, std::size_t output) {
    std::fill(histogram_.begin(), histogram_.end(), GradientSums{});
    builder_.add_rows(gradients(output), gradients_.unit, training_, group.first_octet, group.last_octet,
                      histogram_.data());
    const double chance = guarded_ ? noise(output) : 1.0;
    double* table = now_.features.data() + output * table_.slots();
    std::size_t taken = 0;
    for (const std::uint32_t f : group.features) {
        const boosting::BinnedFeature& feature = table_.features()[f];
        const StepTask task{config_.step, feature, f, gradients_.unit, chance, histogram_.data() + feature.offset};
        if (steps_.size() == taken) steps_.emplace_back();
        FeatureStep& step = steps_[taken];
        if (!take_step(task, step.values)) continue;
        step.feature = f;
        add_step(output, step.values, table + feature.offset);
        ++taken;
    }
    add_to_rows(table_, steps_, taken, now_.raw.data() + output * target_.rows);
}

// Adds a step to the table of its term, and sees to it that no sum over the terms overflows.
void Bag::add_step(std::size_t output, std::vector<double>& values, double* table) {
    double most = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] *= config_.learning_rate;
        if (!std::isfinite(values[i])) throw std::overflow_error("a step is no number");
        table[i] += values[i];
        most = std::max(most, std::fabs(values[i]));
    }
    farthest_[output] += most;
    if (!std::isfinite(farthest_[output])) throw std::overflow_error("the steps add up to no number");
}

void Bag::round_of_pairs(const Coarse& coarse, const std::vector<Pair>& pairs) {
    const std::size_t most = together(config_.learning_rate);
    for (std::size_t begin = 0; begin < pairs.size(); begin += most) {
        compute_gradients();
        for (std::size_t p = begin; p < std::min(pairs.size(), begin + most); ++p) {
            for (std::size_t k = 0; k < target_.outputs; ++k) step_of_pair(coarse, pairs[p], k);
        }
    }
}

void Bag::step_of_pair(const Coarse& coarse, const Pair& pair, std::size_t output) {
    const std::size_t cells = cells_of(coarse, pair);
    const RowGradient* own = gradients(output);
    cell_sums_.assign(cells, {});
    GradientSums* sums = cell_sums_.data();
    // Rows that are kept out weigh nothing: all rows can be added in their order, and the number of rows is known.
    for_cells(coarse, pair, target_.rows,
              [=](std::size_t row, std::size_t cell) { sums[cell] += {own[row].gradient, own[row].hessian}; });
    for (std::size_t cell = 0; cell < cells; ++cell) {
        sums[cell].packed += pair_rows_[pair.offset + cell] * gradients_.unit.one_row();
    }
    values_.assign(cells, 0.0);
    const Grid grid(config_.step.split, gradients_.unit, coarse.sides[pair.first], coarse.sides[pair.second], sums);
    if (!grid.take_step(values_)) return;
    double* table = now_.pairs.data() + output * (now_.pairs.size() / target_.outputs) + pair.offset;
    add_step(output, values_, table);
    double* raw = now_.raw.data() + output * target_.rows;
    const double* values = values_.data();
    for_cells(coarse, pair, target_.rows, [=](std::size_t row, std::size_t cell) { raw[row] += values[cell]; });
}

double Bag::held_out_loss() const { return boosting::mean_loss(target_, held_, given_weight_, 1); }

double Bag::held_out_weight() const {
    if (!given_weight_) return static_cast<double>(held_.size());
    double total = 0;
    for (const std::uint32_t row : held_) total += given_weight_[row];
    return total;
}

void Bag::remember() { best_ = now_; }

void Bag::come_back() {
    now_ = best_;
    target_.raw = now_.raw.data();
}

void Bag::open_pairs(const Coarse& coarse, const std::vector<Pair>& pairs, std::size_t cells) {
    now_.pairs.assign(target_.outputs * cells, 0.0);
    pair_rows_.assign(cells, 0);
    for (const Pair& pair : pairs) {
        const std::size_t width = coarse.sides[pair.second].slots;
        const std::uint8_t *a = coarse.columns[pair.first].data(), *b = coarse.columns[pair.second].data();
        for (const std::uint32_t row : training_) ++pair_rows_[pair.offset + a[row] * width + b[row]];
    }
    remember();
}

}  // namespace vaglio::additive
