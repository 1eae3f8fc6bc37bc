#include "boosting/passes/pass_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vaglio::boosting {

void PassGrower::start(const TreeTask& task) {
    begin(task);
    planted_ = false;
    asked_.clear();
}

bool PassGrower::wants_sums(std::size_t place) const {
    const Candidate& candidate = candidates_[place];
    if (!candidate.ahead.empty()) return false;
    const Below to_do = below(tree_.nodes[open_[place]], candidate.sides);
    return to_do.left || to_do.right;
}

std::size_t PassGrower::ask(FlatTrees& to, std::size_t most, std::size_t first_slot) {
    asked_.clear();
    if (!planted_) {
        to.add_node(tree_.nodes[0], static_cast<std::int32_t>(first_slot));
        return 1;
    }
    std::vector<GrownNode> nodes = tree_.nodes;
    std::vector<std::int32_t> slots(nodes.size(), -1);
    // The split that is made next comes first, then those that gain most.
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (wants_sums(i)) places.push_back(i);
    }
    const std::size_t first = next();
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        if ((a == first) != (b == first)) return a == first;
        return config_.level_wise ? open_[a] < open_[b] : candidates_[a].split.gain > candidates_[b].split.gain;
    });
    if (config_.max_leaves != 0) most = std::min(most, config_.max_leaves - leaves_);
    places.resize(std::min(places.size(), std::max<std::size_t>(1, most)));
    for (const std::size_t place : places) {
        const std::size_t node = open_[place];
        const Candidate& candidate = candidates_[place];
        nodes[node].take_test(candidate.split);
        nodes[node].first_child = static_cast<std::int32_t>(nodes.size());
        nodes.resize(nodes.size() + 2);
        slots.resize(nodes.size(), -1);
        const bool left = below(tree_.nodes[node], candidate.sides).left_smaller;
        slots[nodes.size() - (left ? 2 : 1)] = static_cast<std::int32_t>(first_slot + asked_.size());
        asked_.push_back(node);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) to.add_node(nodes[i], slots[i]);
    return asked_.size();
}

TreeGrower::Histograms PassGrower::copied(const GradientSums* sums) {
    Histograms found = spare();
    for (std::size_t k = 0; k < task_.outputs; ++k) {
        const GradientSums* own = sums + k * table_.slots();
        found[k].assign(own, own + table_.slots());
    }
    return found;
}

bool PassGrower::take(const GradientSums* sums, const SquareSum& squares, bool guarded) {
    if (planted_) {
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            const auto place = std::find(open_.begin(), open_.end(), asked_[i]) - open_.begin();
            candidates_[static_cast<std::size_t>(place)].ahead = copied(sums + i * task_.outputs * table_.slots());
        }
        go_on();
        return true;
    }
    Histograms root = copied(sums);
    const BinnedFeature& first = table_.features()[0];
    double hessian = 0;
    std::uint64_t rows = 0;
    for (const Histogram& histogram : root) {
        GradientSums total;
        for (std::uint32_t slot = 0; slot < first.slots(); ++slot) total += histogram[first.offset + slot];
        hessian += task_.unit.hessian(total);
        rows += task_.unit.rows(total);
    }
    if (rows == 0) return false;
    if (guarded) task_.noise = squares.per_hessian(task_.unit, hessian);
    planted_ = true;
    plant(std::move(root));
    go_on();
    return true;
}

// Splits nodes until the sums of one are wanted that were not told yet.
void PassGrower::go_on() {
    while (growing()) {
        const std::size_t place = next();
        if (wants_sums(place)) return;
        divide(place);
    }
}

PassTrainer::PassTrainer(std::vector<BinnedFeature> features, const Target& target, bool weighted, std::size_t rows,
                         TrainerConfig config)
    : layout_(std::move(features), 0, {}),
      config_(std::move(config)),
      weighted_(weighted),
      constant_hessian_(!weighted && target.constant_hessian()),
      outputs_(target.outputs),
      per_tree_(config_.shared ? target.outputs : 1),
      rows_(rows) {
    const std::vector<BinnedFeature>& own = layout_.features();
    const bool nominal = std::any_of(own.begin(), own.end(), [](const auto& f) { return f.nominal; });
    guarded_ = nominal && std::isfinite(config_.growth.split.guarded_from);
    for (std::size_t k = 0; k < outputs_; k += per_tree_)
        growers_.emplace_back(layout_, config_.growth, config_.threads);
    leaf_weights_.resize(growers_.size());
}

void PassTrainer::begin_round(const std::vector<double>& start, const Derivatives& bounds) {
    if (farthest_.empty()) {
        for (const double value : start) farthest_.push_back(std::fabs(value));
    }
    unit_ = units_of(rows_, bounds, constant_hessian_);
    share_ = config_.subsample;
    const auto turn = static_cast<std::int32_t>(rounds_ % static_cast<std::size_t>(config_.turns));
    for (std::size_t g = 0; g < growers_.size(); ++g) {
        growers_[g].start({per_tree_, unit_, 1.0, tree_draw_key(config_.seed, rounds_, g * per_tree_), turn});
    }
}

bool PassTrainer::growing() const {
    return std::any_of(growers_.begin(), growers_.end(), [](const PassGrower& grower) { return !grower.done(); });
}

FlatTrees PassTrainer::ask(std::size_t most_sums) {
    FlatTrees trees;
    trees.outputs = per_tree_;
    asked_.clear();
    first_slot_.clear();
    const std::size_t most = std::max<std::size_t>(1, most_sums / (per_tree_ * layout_.slots()));
    std::size_t used = 0;
    for (std::size_t g = 0; g < growers_.size() && used < most; ++g) {
        if (growers_[g].done()) continue;
        trees.add_tree(g * per_tree_);
        asked_.push_back(g);
        first_slot_.push_back(used);
        used += growers_[g].ask(trees, most - used, used);
    }
    first_slot_.push_back(used);
    return trees;
}

bool PassTrainer::fits(std::size_t sums, std::size_t squares) const {
    return !first_slot_.empty() && sums == first_slot_.back() * per_tree_ * layout_.slots() && squares == asked_.size();
}

bool PassTrainer::fits_leaves(std::size_t sums, std::size_t weights) const {
    std::size_t nodes = 0;
    for (const PassGrower& grower : growers_) nodes += grower.tree().nodes.size();
    return sums == nodes * per_tree_ && weights == nodes;
}

void PassTrainer::take(const std::vector<GradientSums>& sums, const std::vector<SquareSum>& squares) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        const GradientSums* own = sums.data() + first_slot_[i] * per_tree_ * layout_.slots();
        // A round that draws no row takes all of them.
        if (!growers_[asked_[i]].take(own, squares[i], guarded_)) share_ = 1.0;
    }
}

FlatTrees PassTrainer::grown() {
    FlatTrees trees;
    trees.outputs = per_tree_;
    for (std::size_t g = 0; g < growers_.size(); ++g) {
        trees.add_tree(g * per_tree_);
        for (const GrownNode& node : growers_[g].tree().nodes) trees.add_node(node, -1);
    }
    return trees;
}

void PassTrainer::take_leaves(const LeafSums& found) {
    std::size_t at = 0;
    for (std::size_t g = 0; g < growers_.size(); ++g) {
        GrownTree& tree = growers_[g].tree();
        leaf_weights_[g].clear();
        for (GrownNode& node : tree.nodes) {
            leaf_weights_[g].push_back(found.weights[at]);
            for (std::size_t k = 0; config_.refit && node.is_leaf() && k < per_tree_; ++k) {
                node.sums[k] = found.sums[at * per_tree_ + k];
            }
            ++at;
        }
        if (config_.refit) tree.take_steps(config_.growth.split, unit_);
    }
}

FlatTrees PassTrainer::finish_round() {
    for (std::size_t g = 0; g < growers_.size(); ++g) {
        GrownTree& tree = growers_[g].tree();
        if (!wants_leaves()) leaf_weights_[g].clear();
        for (GrownNode& node : tree.nodes) {
            if (!wants_leaves()) leaf_weights_[g].push_back(static_cast<double>(unit_.rows(node.sums[0])));
            for (double& value : node.values) value *= config_.learning_rate;
        }
        for (std::size_t k = 0; k < per_tree_; ++k) {
            double& farthest = farthest_[g * per_tree_ + k];
            farthest += tree.farthest_value(k);
            if (!std::isfinite(farthest)) throw std::overflow_error("the trees add up to no number");
            trees_.add(tree, k, leaf_weights_[g], layout_.features());
        }
    }
    ++rounds_;
    FlatTrees trees = grown();
    for (PassGrower& grower : growers_) {
        for (const GrownNode& node : grower.tree().nodes) {
            trees.values.insert(trees.values.end(), node.values.begin(), node.values.end());
        }
    }
    return trees;
}

}  // namespace vaglio::boosting
