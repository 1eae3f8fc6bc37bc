#include "boosting/growth/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t least_slots = 1 << 11;  // of a histogram that several threads search

}  // namespace

TreeGrower::TreeGrower(const BinnedTable& table, const GrowthConfig& config, int threads)
    : table_(table), config_(config), threads_(threads) {
    const std::size_t features = table.features().size(), groups = table.groups().size();
    const auto wanted = static_cast<std::size_t>(table.slots() < least_slots ? 1 : threads);
    shares_.resize(std::clamp<std::size_t>(wanted, 1, features));
    for (std::size_t s = 0; s < shares_.size(); ++s) {
        if (groups >= shares_.size()) {
            for (std::size_t g = first_group(s); g < first_group(s + 1); ++g) {
                const auto own = table.features_of(table.groups()[g]);
                shares_[s].insert(shares_[s].end(), own.begin(), own.end());
            }
        } else {
            for (std::size_t f = s; f < features; f += shares_.size()) {
                shares_[s].push_back(static_cast<std::uint32_t>(f));
            }
        }
    }
}

void GrownNode::take_test(const Split& split) {
    feature = split.feature;
    bin = split.bin;
    missing_right = split.missing_right;
    right = split.right;
    gain = split.gain;
}

std::size_t GrownNode::row_count() const {
    std::size_t total = 0;
    for (const RowRange& part : rows) total += part.size();
    return total;
}

void GrownTree::take_steps(const SplitConfig& config, const FixedPoint& unit) {
    for (GrownNode& node : nodes) {
        if (!node.is_leaf()) continue;
        const SplitTask task{config, unit, {}, node.sums, node.values, 1.0, node.range};
        for (std::size_t k = 0; k < node.sums.size(); ++k) node.values[k] = task.value_of(node.sums[k]);
    }
}

double GrownTree::farthest_value(std::size_t output) const {
    double most = 0;
    for (const GrownNode& node : nodes) {
        if (!std::isfinite(node.values[output])) throw std::overflow_error("the value of a leaf is no number");
        if (node.is_leaf()) most = std::max(most, std::fabs(node.values[output]));
    }
    return most;
}

bool TreeGrower::may_split(std::uint32_t depth, const std::vector<GradientSums>& sums) const {
    double hessian = 0;
    for (const GradientSums& own : sums) hessian += task_.unit.hessian(own);
    return (config_.max_depth == 0 || depth < config_.max_depth) &&
           task_.unit.rows(sums[0]) >= 2 * std::max<std::uint64_t>(1, config_.split.min_samples_leaf) &&
           hessian >= config_.split.min_hessian;
}

TreeGrower::Histograms TreeGrower::spare() {
    if (spares_.empty()) return Histograms(task_.outputs);
    Histograms found = std::move(spares_.back());
    spares_.pop_back();
    found.resize(task_.outputs);
    return found;
}

std::vector<std::uint32_t> TreeGrower::features_of(std::size_t node, const std::vector<std::uint32_t>& groups) const {
    std::vector<std::uint32_t> features;
    if (config_.interactions.empty()) {
        features.resize(table_.features().size());
        std::iota(features.begin(), features.end(), 0u);
    } else {
        for (const std::uint32_t g : groups) {
            features.insert(features.end(), config_.interactions[g].begin(), config_.interactions[g].end());
        }
        std::sort(features.begin(), features.end());
        features.erase(std::unique(features.begin(), features.end()), features.end());
    }
    if (!config_.turns.empty()) {
        std::erase_if(features,
                      [&](std::uint32_t f) { return config_.turns[f] >= 0 && config_.turns[f] != task_.turn; });
    }
    if (config_.max_features >= 1.0 || features.empty()) return features;
    const auto wanted =
        std::max<std::size_t>(1, static_cast<std::size_t>(config_.max_features * static_cast<double>(features.size())));
    Random random(key_of(task_.key, node));
    for (std::size_t i = 0; i < wanted; ++i) {
        std::swap(features[i], features[i + random.below(features.size() - i)]);
    }
    features.resize(wanted);
    std::sort(features.begin(), features.end());
    return features;
}

TreeGrower::Search TreeGrower::begin_search(std::size_t node, const std::vector<std::uint32_t>& groups,
                                            Histograms&& histograms) const {
    return {node, std::move(histograms), features_of(node, groups), std::vector<Split>(table_.features().size())};
}

SplitTask TreeGrower::task_of(const Search& search) const {
    const GrownNode& own = tree_.nodes[search.node];
    return {config_.split, task_.unit, search.histograms, own.sums, own.values, task_.noise, own.range};
}

void TreeGrower::search(Search& own, std::size_t feature) const {
    if (!std::binary_search(own.features.begin(), own.features.end(), static_cast<std::uint32_t>(feature))) return;
    own.splits[feature] = best_split(task_of(own), table_.features()[feature], feature);
}

void TreeGrower::end_search(Search& own, const std::vector<std::uint32_t>& groups) {
    Candidate candidate;
    for (Split& split : own.splits) {
        if (split.found() && split.gain > candidate.split.gain) candidate.split = std::move(split);
    }
    if (!candidate.split.found()) {
        spares_.push_back(std::move(own.histograms));
        return;
    }
    const BinnedFeature& feature = table_.features()[static_cast<std::size_t>(candidate.split.feature)];
    candidate.sides = task_of(own).sides(feature, candidate.split);
    candidate.histograms = std::move(own.histograms);
    candidate.groups = groups;
    open_.push_back(own.node);
    candidates_.push_back(std::move(candidate));
}

// The place in `open_` of the node to split next: of the largest gain, or the oldest.
std::size_t TreeGrower::next() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < open_.size(); ++i) {
        if (config_.level_wise ? open_[i] < open_[best] : candidates_[i].split.gain > candidates_[best].split.gain) {
            best = i;
        }
    }
    return best;
}

void TreeGrower::make_children(std::size_t node, const Split& split, Sides& sides) {
    const std::size_t first = tree_.nodes.size();
    tree_.nodes.resize(first + 2);
    GrownNode& parent = tree_.nodes[node];
    parent.take_test(split);
    GrownNode &left = tree_.nodes[first], &right = tree_.nodes[first + 1];
    parent.first_child = static_cast<std::int32_t>(first);
    left.depth = right.depth = parent.depth + 1;
    left.sums = std::move(sides.left_sums);
    right.sums = std::move(sides.right_sums);
    left.values = std::move(sides.left_values);
    right.values = std::move(sides.right_values);
    left.range = right.range = parent.range;
    const auto f = static_cast<std::size_t>(split.feature);
    if (const int direction = config_.split.monotonic.empty() ? 0 : config_.split.monotonic[f]; direction != 0) {
        // Everything below one side stays on that side of the middle.
        const double bound = (left.values[0] + right.values[0]) / 2;
        (direction > 0 ? left : right).range.upper = bound;
        (direction > 0 ? right : left).range.lower = bound;
    }
}

// Of the interaction constraints, those that the path leaves open once it has tested the feature of the split.
std::vector<std::uint32_t> TreeGrower::groups_with(const Candidate& parent) const {
    std::vector<std::uint32_t> groups;
    for (const std::uint32_t g : parent.groups) {
        const auto& members = config_.interactions[g];
        const auto tested = static_cast<std::uint32_t>(parent.split.feature);
        if (std::find(members.begin(), members.end(), tested) != members.end()) groups.push_back(g);
    }
    return groups;
}

TreeGrower::Below TreeGrower::below(const GrownNode& node, const Sides& sides) const {
    const bool full = config_.max_leaves != 0 && leaves_ + 1 >= config_.max_leaves;
    return {!full && may_split(node.depth + 1, sides.left_sums), !full && may_split(node.depth + 1, sides.right_sums),
            task_.unit.rows(sides.left_sums[0]) <= task_.unit.rows(sides.right_sums[0])};
}

void TreeGrower::divide(std::size_t place) {
    const std::size_t node = open_[place];
    Candidate own = std::move(candidates_[place]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(place));
    const Below to_do = below(tree_.nodes[node], own.sides);
    make_children(node, own.split, own.sides);
    ++leaves_;
    Histograms counted = send_rows(node, to_do, own);
    if (!to_do.left && !to_do.right) {
        spares_.push_back(std::move(own.histograms));
        return;
    }
    const auto first = static_cast<std::size_t>(tree_.nodes[node].first_child);
    const std::vector<std::uint32_t> groups = groups_with(own);
    const bool go_small = to_do.left_smaller ? to_do.left : to_do.right;
    const bool go_large = to_do.left_smaller ? to_do.right : to_do.left;
    Search small = begin_search(first + (to_do.left_smaller ? 0 : 1), groups, std::move(counted));
    Search large = begin_search(first + (to_do.left_smaller ? 1 : 0), groups, std::move(own.histograms));
    parallel_for(threads_, shares_.size(), [&](std::size_t share, int) {
        finish(share, small.histograms);
        for (const std::uint32_t f : shares_[share]) {
            for (std::size_t k = 0; go_large && k < large.histograms.size(); ++k) {
                subtract(large.histograms[k], small.histograms[k], table_.features()[f]);
            }
            if (go_small) search(small, f);
            if (go_large) search(large, f);
        }
    });
    // In the order of the nodes, so that ties between them do not depend on their sizes.
    for (const bool left : {true, false}) {
        Search& own_side = left == to_do.left_smaller ? small : large;
        if (left ? to_do.left : to_do.right) {
            end_search(own_side, groups);
        } else {
            spares_.push_back(std::move(own_side.histograms));
        }
    }
}

void TreeGrower::begin(const TreeTask& task) {
    task_ = task;
    for (Candidate& candidate : candidates_) spares_.push_back(std::move(candidate.histograms));
    open_.clear();
    candidates_.clear();
    leaves_ = 1;
    tree_.nodes.assign(1, {});
}

// The root, from the histograms of all rows.
void TreeGrower::plant(Histograms&& histograms) {
    GrownNode& root = tree_.nodes[0];
    parallel_for(threads_, shares_.size(), [&](std::size_t share, int) { finish(share, histograms); });
    // The bins of any feature add up to all rows.
    const BinnedFeature& first = table_.features()[0];
    for (const Histogram& histogram : histograms) {
        GradientSums sums;
        for (std::uint32_t slot = 0; slot < first.slots(); ++slot) sums += histogram[first.offset + slot];
        root.sums.push_back(sums);
    }
    root.values.assign(task_.outputs, 0.0);
    // scikit-learn leaves a tree without a split at zero; elsewhere it takes its Newton step.
    if (!config_.split.like_scikit_learn) {
        const SplitTask task{config_.split, task_.unit, histograms, root.sums, root.values};
        for (std::size_t k = 0; k < root.sums.size(); ++k) root.values[k] = task.value_of(root.sums[k]);
    }
    std::vector<std::uint32_t> groups(config_.interactions.size());
    std::iota(groups.begin(), groups.end(), 0u);
    if (!may_split(0, root.sums) || config_.max_leaves == 1) return;
    Search own = begin_search(0, groups, std::move(histograms));
    parallel_for(threads_, shares_.size(), [&](std::size_t share, int) {
        for (const std::uint32_t f : shares_[share]) search(own, f);
    });
    end_search(own, groups);
}

}  // namespace vaglio::boosting
