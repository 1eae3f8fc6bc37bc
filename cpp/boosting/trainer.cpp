#include "boosting/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace vaglio::boosting {
namespace {

// Trees of one round grow side by side where all threads find one, or where one tree is too small for several threads.
bool side_by_side(std::size_t outputs, std::size_t rows, int threads) {
    const auto workers = static_cast<std::size_t>(threads);
    return workers > 1 && outputs >= workers && (outputs % workers == 0 || outputs >= 4 * workers || rows < 20000);
}

}  // namespace

Trainer::Trainer(const BinnedTable& table, const Target& target, std::vector<std::uint32_t> training,
                 std::vector<std::uint32_t> validation, TrainerConfig config, std::vector<double> start,
                 std::size_t first_round)
    : table_(table),
      target_(target),
      config_(std::move(config)),
      training_(std::move(training)),
      validation_(std::move(validation)),
      first_round_(first_round),
      raw_(std::move(start)) {
    nominal_ = std::any_of(table.features().begin(), table.features().end(), [](const auto& f) { return f.nominal; });
    baseline_ = boosting::baseline(target_, training_);
    if (raw_.empty()) {
        for (const double value : baseline_) raw_.insert(raw_.end(), target_.rows, value);
    }
    target_.raw = raw_.data();
    for (std::size_t k = 0; k < target_.outputs; ++k) {
        const auto first = raw_.begin() + static_cast<std::ptrdiff_t>(k * target_.rows);
        const auto [least, most] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(target_.rows));
        farthest_.push_back(std::max(std::fabs(*least), std::fabs(*most)));
    }
    const std::size_t lanes = side_by_side(target_.outputs, training_.size(), config_.threads) ? target_.outputs : 1;
    const int inner = lanes > 1 ? 1 : config_.threads;
    for (std::size_t i = 0; i < lanes; ++i) {
        lanes_.push_back(std::make_unique<Lane>(Lane{Grower(table_, config_.growth, inner), {}, {}}));
    }
    drawn_ = training_;
    others_ = validation_;
    track();
}

void Trainer::advance(std::size_t rounds, Control& control) {
    for (std::size_t i = 0; i < rounds; ++i) {
        control.check();
        round(control);
        control.advance(1);
    }
}

void Trainer::round(Control& control) {
    draw_rows();
    gradients_.compute(target_, config_.threads);
    if (lanes_.size() > 1) {
        parallel_for(config_.threads, lanes_.size(), [&](std::size_t k, int) { grow(k, *lanes_[k], 1, control); });
        for (const auto& lane : lanes_) keep(lane->tree, lane->rows);
    } else {
        for (std::size_t k = 0; k < target_.outputs; ++k) {
            grow(k, *lanes_[0], config_.threads, control);
            keep(lanes_[0]->tree, lanes_[0]->rows);
        }
    }
    ++rounds_;
    track();
}

void Trainer::draw_rows() {
    if (config_.subsample >= 1.0) return;
    drawn_.clear();
    others_ = validation_;
    const std::uint64_t key = key_of(key_of(config_.seed, 0x5a), first_round_ + rounds_);
    for (const std::uint32_t row : training_) {
        const bool in = static_cast<double>(mix(key ^ mix(row)) >> 11) * 0x1.0p-53 < config_.subsample;
        (in ? drawn_ : others_).push_back(row);
    }
    if (drawn_.empty()) {
        drawn_ = training_;
        others_ = validation_;
    }
}

double Trainer::noise(std::size_t output) const {
    double squares = 0, hessians = 0;
    const RowGradient* gradients = gradients_.rows.data() + output * target_.rows;
    for (const std::uint32_t row : drawn_) {
        const double g = gradients[row].gradient * gradients_.unit.gradient_unit;
        squares += g * g;
        hessians += gradients_.unit.shift == 0 ? gradients_.unit.hessian_unit
                                               : gradients[row].hessian * gradients_.unit.hessian_unit;
    }
    return hessians > 0 ? squares / hessians : 1.0;
}

void Trainer::grow(std::size_t output, Lane& lane, int threads, Control& control) {
    lane.rows = drawn_;
    const std::uint64_t key = key_of(key_of(config_.seed, first_round_ + rounds_), output);
    const double chance = nominal_ && std::isfinite(config_.growth.split.guarded_from) ? noise(output) : 1.0;
    lane.tree = lane.grower.grow(gradients_.rows.data() + output * target_.rows, gradients_.unit, chance, lane.rows,
                                 key, control);
    if (target_.leaf_quantiles()) refit_leaves(lane, threads);
    for (GrownNode& node : lane.tree.nodes) node.value *= config_.learning_rate;
    watch(output, lane.tree);
    add_to_raw(output, lane, threads);
}

void Trainer::watch(std::size_t output, const GrownTree& tree) {
    double most = 0;
    for (const GrownNode& node : tree.nodes) {
        if (!std::isfinite(node.value)) throw std::overflow_error("the value of a leaf is no number");
        if (node.is_leaf()) most = std::max(most, std::fabs(node.value));
    }
    farthest_[output] += most;
    if (!std::isfinite(farthest_[output])) throw std::overflow_error("the trees add up to no number");
}

void Trainer::refit_leaves(Lane& lane, int threads) const {
    const double share = target_.loss == LossKind::absolute ? 0.5 : target_.quantile;
    parallel_for(threads, lane.tree.nodes.size(), [&](std::size_t i, int) {
        GrownNode& node = lane.tree.nodes[i];
        if (!node.is_leaf() || node.begin == node.end) return;
        std::vector<double> residuals, weights;
        for (std::size_t at = node.begin; at < node.end; ++at) {
            const std::uint32_t row = lane.rows[at];
            residuals.push_back(target_.y[row] - raw_[row]);
            if (target_.weight) weights.push_back(target_.weight[row]);
        }
        // Within the range of the node: monotonic constraints hold for the new values too.
        node.value = std::clamp(weighted_quantile(residuals, weights, share), node.range.lower, node.range.upper);
    });
}

void Trainer::add_to_raw(std::size_t output, const Lane& lane, int threads) {
    double* raw = raw_.data() + output * target_.rows;
    const std::vector<GrownNode>& nodes = lane.tree.nodes;
    const int used = lane.rows.size() < 20000 ? 1 : threads;
    parallel_for(used, nodes.size(), [&](std::size_t i, int) {
        if (!nodes[i].is_leaf()) return;
        for (std::size_t at = nodes[i].begin; at < nodes[i].end; ++at) raw[lane.rows[at]] += nodes[i].value;
    });
    constexpr std::size_t piece = 4096;
    parallel_for(used, (others_.size() + piece - 1) / piece, [&](std::size_t p, int) {
        for (std::size_t i = p * piece; i < std::min(others_.size(), (p + 1) * piece); ++i) {
            raw[others_[i]] += nodes[lane.tree.leaf(table_, others_[i])].value;
        }
    });
}

void Trainer::keep(const GrownTree& tree, const std::vector<std::uint32_t>& rows) {
    for (const GrownNode& node : tree.nodes) {
        ForestNode to{0.0, 0, 0};
        if (node.is_leaf()) {
            to.link = ~static_cast<std::int32_t>(trees_.leaves.size() / 2);
            double weight = static_cast<double>(node.end - node.begin);
            if (target_.weight) {
                weight = 0;
                for (std::size_t at = node.begin; at < node.end; ++at) weight += target_.weight[rows[at]];
            }
            trees_.leaves.insert(trees_.leaves.end(), {node.value, weight});
        } else {
            const auto f = static_cast<std::size_t>(node.feature);
            const BinnedFeature& feature = table_.features()[f];
            to.link = node.first_child;
            to.feature = static_cast<std::uint32_t>(f) | (node.missing_right ? missing_right : 0u);
            if (feature.nominal) {
                to.threshold = static_cast<double>(trees_.tables.size());
                trees_.tables.insert(trees_.tables.end(), node.right.begin(), node.right.end());
            } else {
                // The last bin on the left: all values that are there, against missing ones.
                to.threshold =
                    node.bin + 1 < feature.bins ? feature.thresholds[node.bin] : std::numeric_limits<double>::max();
            }
        }
        trees_.nodes.push_back(to);
        trees_.gains.push_back(node.is_leaf() ? 0.0 : node.gain);
    }
    trees_.starts.push_back(static_cast<std::int64_t>(trees_.nodes.size()));
}

void Trainer::track() {
    if (config_.track_loss) {
        training_losses_.push_back(mean_loss(target_, training_, target_.weight, config_.threads));
    }
    if (!validation_.empty()) {
        validation_losses_.push_back(mean_loss(target_, validation_, target_.weight, config_.threads));
    }
}

}  // namespace vaglio::boosting
