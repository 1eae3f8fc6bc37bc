#include "boosting/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "boosting/growth/drawing.hpp"

namespace vaglio::boosting {
namespace {

// Trees of one round grow side by side where all threads find one, or where one tree is too small for several threads.
bool side_by_side(std::size_t outputs, std::size_t rows, int threads) {
    const auto workers = static_cast<std::size_t>(threads);
    return workers > 1 && outputs >= workers && (outputs % workers == 0 || outputs >= 4 * workers || rows < 131072);
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
    const std::size_t trees = config_.shared ? 1 : target_.outputs;
    const std::size_t lanes = side_by_side(trees, training_.size(), config_.threads) ? trees : 1;
    const int inner = lanes > 1 ? 1 : config_.threads;
    for (std::size_t i = 0; i < lanes; ++i) {
        lanes_.push_back(std::make_unique<Lane>(Lane{Grower(table_, config_.growth, inner), {}, {}, {}, {}}));
    }
    drawn_ = training_;
    others_ = validation_;
    if (!std::is_sorted(training_.begin(), training_.end())) {
        places_.resize(target_.rows);
        for (std::size_t i = 0; i < training_.size(); ++i) places_[training_[i]] = static_cast<std::uint32_t>(i);
    }
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
    const std::size_t outputs = target_.outputs;
    if (config_.shared) {
        grow(0, outputs, *lanes_[0], config_.threads, control);
        for (std::size_t k = 0; k < outputs; ++k) trees_.add(lanes_[0]->tree, k, lanes_[0]->weights, table_.features());
    } else if (lanes_.size() > 1) {
        parallel_for(config_.threads, outputs, [&](std::size_t k, int) { grow(k, 1, *lanes_[k], 1, control); });
        for (const auto& lane : lanes_) trees_.add(lane->tree, 0, lane->weights, table_.features());
    } else {
        for (std::size_t k = 0; k < outputs; ++k) {
            grow(k, 1, *lanes_[0], config_.threads, control);
            trees_.add(lanes_[0]->tree, 0, lanes_[0]->weights, table_.features());
        }
    }
    ++rounds_;
    track();
}

void Trainer::draw_rows() {
    const RoundDraw draw(config_.seed, first_round_ + rounds_, config_.subsample);
    if (draw.all()) return;
    others_.resize(validation_.size() + training_.size());
    std::copy(validation_.begin(), validation_.end(), others_.begin());
    drawn_.resize(training_.size());
    // Both lists get every row, and keep one that is theirs: no branch depends on the draw.
    std::size_t drawn = 0, others = validation_.size();
    for (const std::uint32_t row : training_) {
        const bool takes = draw.takes(row);
        drawn_[drawn] = others_[others] = row;
        drawn += takes;
        others += !takes;
    }
    drawn_.resize(drawn);
    others_.resize(others);
    if (drawn_.empty()) {
        drawn_ = training_;
        others_ = validation_;
    }
}

double Trainer::noise(std::size_t first, std::size_t outputs) const {
    SquareSum squares;
    std::uint64_t hessians = 0;
    const bool constant = gradients_.unit.shift == 0;
    for (std::size_t k = first; k < first + outputs; ++k) {
        const RowGradient* gradients = gradients_.rows.data() + k * target_.rows;
        for (const std::uint32_t row : drawn_) {
            squares.add(gradients[row].gradient);
            hessians += constant ? 1u : gradients[row].hessian;
        }
    }
    return squares.per_hessian(gradients_.unit, static_cast<double>(hessians) * gradients_.unit.hessian_unit);
}

void Trainer::grow(std::size_t first, std::size_t outputs, Lane& lane, int threads, Control& control) {
    const std::size_t round = first_round_ + rounds_;
    const std::uint64_t key = tree_draw_key(config_.seed, round, first);
    const double chance = nominal_ && std::isfinite(config_.growth.split.guarded_from) ? noise(first, outputs) : 1.0;
    const TreeGradients gradients{gradients_.rows.data() + first * target_.rows, target_.rows};
    const auto turn = static_cast<std::int32_t>(round % static_cast<std::size_t>(config_.turns));
    lane.tree = lane.grower.grow(gradients, {outputs, gradients_.unit, chance, key, turn}, drawn_, lane.rows, control);
    follow(lane, threads);
    if (config_.refit && !target_.leaf_quantiles()) refit(first, lane);
    if (target_.leaf_quantiles()) take_quantiles(lane, threads);
    for (GrownNode& node : lane.tree.nodes) {
        for (double& value : node.values) value *= config_.learning_rate;
    }
    for (std::size_t k = 0; k < outputs; ++k) {
        watch(first + k, k, lane.tree);
        add_to_raw(first + k, k, lane, threads);
    }
}

// In the order of the training rows, however many threads have divided them: sums of weights depend on it.
std::vector<std::uint32_t> Trainer::rows_of(const GrownNode& leaf, const Lane& lane) const {
    std::vector<std::uint32_t> rows;
    for (const RowRange& range : leaf.rows) {
        rows.insert(rows.end(), lane.rows.begin() + static_cast<std::ptrdiff_t>(range.begin),
                    lane.rows.begin() + static_cast<std::ptrdiff_t>(range.end));
    }
    const auto place = [&](std::uint32_t row) { return places_.empty() ? row : places_[row]; };
    if (leaf.rows.size() > 1) {
        std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
    }
    return rows;
}

// Finds the leaves of the rows that the tree was not grown on, and what the leaves weigh.
void Trainer::follow(Lane& lane, int threads) const {
    constexpr std::size_t piece = 1 << 14;  // rows whose places stay in the cache
    lane.leaves.resize(target_.rows);
    parallel_for(others_.size() < 20000 ? 1 : threads, (others_.size() + piece - 1) / piece, [&](std::size_t p, int) {
        const std::size_t first = p * piece, count = std::min(piece, others_.size() - first);
        LeafFinder(table_, lane.tree).find(std::span(others_).subspan(first, count), lane.leaves.data());
    });
    const auto weight = [&](std::uint32_t row) { return target_.weight ? target_.weight[row] : 1.0; };
    const std::vector<GrownNode>& nodes = lane.tree.nodes;
    lane.weights.assign(nodes.size(), 0.0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is_leaf()) continue;
        lane.weights[i] = static_cast<double>(nodes[i].row_count());
        if (!target_.weight) continue;
        lane.weights[i] = 0;
        for (const std::uint32_t row : rows_of(nodes[i], lane)) lane.weights[i] += weight(row);
    }
    if (!config_.refit) return;
    for (std::size_t i = validation_.size(); i < others_.size(); ++i) {
        lane.weights[lane.leaves[others_[i]]] += weight(others_[i]);
    }
}

void Trainer::watch(std::size_t output, std::size_t place, const GrownTree& tree) {
    farthest_[output] += tree.farthest_value(place);
    if (!std::isfinite(farthest_[output])) throw std::overflow_error("the trees add up to no number");
}

// The Newton step over all training rows of a leaf: those that were not drawn did not choose the tests above it.
void Trainer::refit(std::size_t first, Lane& lane) const {
    std::vector<GrownNode>& nodes = lane.tree.nodes;
    for (std::size_t i = validation_.size(); i < others_.size(); ++i) {
        GrownNode& leaf = nodes[lane.leaves[others_[i]]];
        for (std::size_t k = 0; k < leaf.sums.size(); ++k) {
            const RowGradient& own = gradients_.rows[(first + k) * target_.rows + others_[i]];
            leaf.sums[k] += {own.gradient, own.hessian + gradients_.unit.one_row()};
        }
    }
    lane.tree.take_steps(config_.growth.split, gradients_.unit);
}

void Trainer::take_quantiles(Lane& lane, int threads) const {
    const double share = target_.loss == LossKind::absolute ? 0.5 : target_.quantile;
    std::vector<std::vector<std::uint32_t>> more(lane.tree.nodes.size());
    for (std::size_t i = validation_.size(); config_.refit && i < others_.size(); ++i) {
        more[lane.leaves[others_[i]]].push_back(others_[i]);
    }
    parallel_for(threads, lane.tree.nodes.size(), [&](std::size_t i, int) {
        GrownNode& node = lane.tree.nodes[i];
        if (!node.is_leaf() || node.row_count() == 0) return;
        std::vector<std::uint32_t> rows = rows_of(node, lane);
        rows.insert(rows.end(), more[i].begin(), more[i].end());
        std::vector<double> residuals, weights;
        for (const std::uint32_t row : rows) {
            residuals.push_back(target_.y[row] - raw_[row]);
            if (target_.weight) weights.push_back(target_.weight[row]);
        }
        // Within the range of the node: monotonic constraints hold for the new values too.
        node.values[0] = std::clamp(weighted_quantile(residuals, weights, share), node.range.lower, node.range.upper);
    });
}

// The leaves of a stretch of the table one after the other: it stays in the cache. The rows of a leaf ascend if those
// that are learned from do; else a stretch is the whole table.
void Trainer::add_to_raw(std::size_t output, std::size_t place, const Lane& lane, int threads) {
    const std::size_t stretch = places_.empty() ? std::size_t{1} << 14 : target_.rows;
    double* raw = raw_.data() + output * target_.rows;
    const std::vector<GrownNode>& nodes = lane.tree.nodes;
    parallel_for(lane.rows.size() < 20000 ? 1 : threads, nodes[0].rows.size(), [&](std::size_t part, int) {
        std::vector<std::size_t> next(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) next[i] = nodes[i].rows[part].begin;
        for (std::size_t end = stretch; end < target_.rows + stretch; end += stretch) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (!nodes[i].is_leaf()) continue;
                const double value = nodes[i].values[place];
                std::size_t at = next[i];
                for (; at < nodes[i].rows[part].end && lane.rows[at] < end; ++at) raw[lane.rows[at]] += value;
                next[i] = at;
            }
        }
    });
    for (const std::uint32_t row : others_) raw[row] += nodes[lane.leaves[row]].values[place];
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
