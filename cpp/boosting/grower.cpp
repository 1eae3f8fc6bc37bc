#include "boosting/grower.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t piece = 8192;           // rows that a thread moves at a time
constexpr std::size_t least_slots = 1 << 13;  // of a histogram that several threads search

// Moves rows to one of two lists, in their order: no branch depends on the side.
template <class Bin, class Right>
std::size_t separate(const Bin* bins, const std::uint32_t* rows, std::size_t count, std::uint32_t* left,
                     std::uint32_t* right, Right goes_right) {
    std::size_t l = 0, r = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = rows[i];
        const bool to_right = goes_right(bins[row]);
        left[l] = row;
        right[r] = row;
        l += !to_right;
        r += to_right;
    }
    return l;
}

}  // namespace

std::size_t GrownTree::leaf(const BinnedTable& table, std::size_t row) const {
    std::size_t at = 0;
    while (!nodes[at].is_leaf()) {
        const GrownNode& node = nodes[at];
        const auto f = static_cast<std::size_t>(node.feature);
        const bool right = goes_right(table.features()[f], table.bin(f, row), node.bin, node.missing_right, node.right);
        at = static_cast<std::size_t>(node.first_child) + (right ? 1 : 0);
    }
    return at;
}

// The histograms of the rows of a node, in memory that another node needs no more.
Grower::Histograms Grower::count(const GrownNode& node) {
    Histograms found(gradients_.outputs);
    if (!spares_.empty()) {
        found = std::move(spares_.back());
        spares_.pop_back();
    }
    for (std::size_t k = 0; k < gradients_.outputs; ++k) {
        histograms_.build(gradients_.rows + k * gradients_.stride, unit_,
                          {rows_->data() + node.begin, node.end - node.begin}, found[k]);
    }
    return found;
}

bool Grower::may_split(const GrownNode& node) const {
    double hessian = 0;
    for (const GradientSums& sums : node.sums) hessian += unit_.hessian(sums);
    return (config_.max_depth == 0 || node.depth < config_.max_depth) &&
           unit_.rows(node.sums[0]) >= 2 * std::max<std::uint64_t>(1, config_.split.min_samples_leaf) &&
           hessian >= config_.split.min_hessian;
}

std::vector<std::uint32_t> Grower::features_of(std::size_t node, const std::vector<std::uint32_t>& groups) const {
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
        std::erase_if(features, [&](std::uint32_t f) { return config_.turns[f] >= 0 && config_.turns[f] != turn_; });
    }
    if (config_.max_features >= 1.0 || features.empty()) return features;
    const auto wanted =
        std::max<std::size_t>(1, static_cast<std::size_t>(config_.max_features * static_cast<double>(features.size())));
    Random random(key_of(key_, node));
    for (std::size_t i = 0; i < wanted; ++i) {
        std::swap(features[i], features[i + random.below(features.size() - i)]);
    }
    features.resize(wanted);
    std::sort(features.begin(), features.end());
    return features;
}

void Grower::find(std::size_t node, const std::vector<std::uint32_t>& groups, Histograms&& histograms) {
    const GrownNode& own = tree_.nodes[node];
    const std::vector<std::uint32_t> features = features_of(node, groups);
    const SplitTask task{config_.split, unit_, histograms, own.sums, own.values, noise_, own.range};
    std::vector<Split> splits(features.size());
    const auto search = [&](std::size_t i, int) {
        splits[i] = best_split(task, table_.features()[features[i]], features[i]);
    };
    parallel_for(table_.slots() * gradients_.outputs < least_slots ? 1 : threads_, features.size(), search);
    Candidate candidate;
    for (Split& split : splits) {
        if (split.found() && split.gain > candidate.split.gain) candidate.split = std::move(split);
    }
    if (!candidate.split.found()) {
        spares_.push_back(std::move(histograms));
        return;
    }
    candidate.sides = task.sides(table_.features()[static_cast<std::size_t>(candidate.split.feature)], candidate.split);
    candidate.histograms = std::move(histograms);
    candidate.groups = groups;
    open_.push_back(node);
    candidates_.push_back(std::move(candidate));
}

// The place in `open_` of the node to split next: of the largest gain, or the oldest.
std::size_t Grower::next() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < open_.size(); ++i) {
        if (config_.level_wise ? open_[i] < open_[best] : candidates_[i].split.gain > candidates_[best].split.gain) {
            best = i;
        }
    }
    return best;
}

std::size_t Grower::partition(const GrownNode& node) {
    const std::size_t count = node.end - node.begin, pieces = (count + piece - 1) / piece;
    std::uint32_t* rows = rows_->data() + node.begin;
    std::uint32_t* moved = moved_.data() + node.begin;
    const auto f = static_cast<std::size_t>(node.feature);
    const BinnedFeature& feature = table_.features()[f];
    std::vector<std::size_t> left(pieces + 1, 0);
    const int threads = count < 4 * piece ? 1 : threads_;
    // Every piece leaves its left rows at the beginning of its place and its right rows, reversed by no one, in a list
    // of its own; then all move to where the pieces before them end.
    std::vector<std::vector<std::uint32_t>> right(pieces);
    parallel_for(threads, pieces, [&](std::size_t p, int) {
        const std::size_t first = p * piece, size = std::min(piece, count - first);
        right[p].resize(size + 1);
        table_.with_column(f, [&](const auto* bins) {
            const std::uint32_t last = node.bin, absent = feature.bins;
            const bool missing_right = node.missing_right;
            if (feature.nominal) {
                left[p + 1] = separate(
                    bins, rows + first, size, moved + first, right[p].data(),
                    [&](std::uint32_t bin) { return goes_right(feature, bin, last, missing_right, node.right); });
            } else if (missing_right || !feature.missing) {
                left[p + 1] = separate(bins, rows + first, size, moved + first, right[p].data(),
                                       [=](std::uint32_t bin) { return bin > last; });
            } else {
                left[p + 1] = separate(bins, rows + first, size, moved + first, right[p].data(),
                                       [=](std::uint32_t bin) { return (bin > last) & (bin != absent); });
            }
        });
    });
    for (std::size_t p = 0; p < pieces; ++p) left[p + 1] += left[p];
    const std::size_t all_left = left[pieces];
    parallel_for(threads, pieces, [&](std::size_t p, int) {
        const std::size_t first = p * piece, size = std::min(piece, count - first), own = left[p + 1] - left[p];
        std::copy_n(moved + first, own, rows + left[p]);
        std::copy_n(right[p].data(), size - own, rows + all_left + (first - left[p]));
    });
    return node.begin + all_left;
}

void Grower::make_children(std::size_t node, const Split& split, Sides& sides) {
    const std::size_t first = tree_.nodes.size();
    tree_.nodes.resize(first + 2);
    GrownNode& parent = tree_.nodes[node];
    parent.feature = split.feature;
    parent.bin = split.bin;
    parent.missing_right = split.missing_right;
    parent.right = split.right;
    parent.gain = split.gain;
    const std::size_t middle = partition(parent);
    parent.first_child = static_cast<std::int32_t>(first);
    GrownNode &left = tree_.nodes[first], &right = tree_.nodes[first + 1];
    left.depth = right.depth = parent.depth + 1;
    left.begin = parent.begin;
    left.end = right.begin = middle;
    right.end = parent.end;
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

void Grower::divide(std::size_t place) {
    const std::size_t node = open_[place];
    Candidate own = std::move(candidates_[place]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(place));
    make_children(node, own.split, own.sides);
    ++leaves_;
    const auto first = static_cast<std::size_t>(tree_.nodes[node].first_child);
    const bool full = config_.max_leaves != 0 && leaves_ >= config_.max_leaves;
    const bool go_left = !full && may_split(tree_.nodes[first]);
    const bool go_right = !full && may_split(tree_.nodes[first + 1]);
    if (!go_left && !go_right) {
        spares_.push_back(std::move(own.histograms));
        return;
    }
    std::vector<std::uint32_t> groups;
    for (const std::uint32_t g : own.groups) {
        const auto& members = config_.interactions[g];
        if (std::find(members.begin(), members.end(), static_cast<std::uint32_t>(own.split.feature)) != members.end()) {
            groups.push_back(g);
        }
    }
    const bool left_smaller =
        tree_.nodes[first].end - tree_.nodes[first].begin <= tree_.nodes[first + 1].end - tree_.nodes[first + 1].begin;
    const std::size_t small = first + (left_smaller ? 0 : 1), large = first + (left_smaller ? 1 : 0);
    const bool go_small = left_smaller ? go_left : go_right, go_large = left_smaller ? go_right : go_left;
    Histograms histograms = count(tree_.nodes[small]);
    for (std::size_t k = 0; go_large && k < histograms.size(); ++k) {
        histograms_.subtract(own.histograms[k], histograms[k]);
    }
    // In the order of the nodes, so that ties between them do not depend on their sizes.
    const auto look = [&](std::size_t child) {
        if (child == small) {
            if (go_small) find(small, groups, std::move(histograms));
        } else if (go_large) {
            find(large, groups, std::move(own.histograms));
        }
    };
    look(first);
    look(first + 1);
}

void Grower::make_root() {
    tree_.nodes.assign(1, {});
    GrownNode& root = tree_.nodes[0];
    root.end = rows_->size();
    Histograms histograms = count(root);
    // The bins of any feature add up to all rows.
    const BinnedFeature& first = table_.features()[0];
    for (const Histogram& histogram : histograms) {
        GradientSums sums;
        for (std::uint32_t slot = 0; slot < first.slots(); ++slot) sums += histogram[first.offset + slot];
        root.sums.push_back(sums);
    }
    root.values.assign(gradients_.outputs, 0.0);
    // scikit-learn leaves a tree without a split at zero; elsewhere it takes its Newton step.
    if (!config_.split.like_scikit_learn) {
        const SplitTask task{config_.split, unit_, histograms, root.sums, root.values};
        for (std::size_t k = 0; k < root.sums.size(); ++k) root.values[k] = task.value_of(root.sums[k]);
    }
    std::vector<std::uint32_t> groups(config_.interactions.size());
    std::iota(groups.begin(), groups.end(), 0u);
    if (may_split(root) && config_.max_leaves != 1) find(0, groups, std::move(histograms));
}

GrownTree Grower::grow(const TreeGradients& gradients, const FixedPoint& unit, double noise,
                       std::vector<std::uint32_t>& rows, std::uint64_t key, std::int32_t turn, Control& control) {
    gradients_ = gradients;
    unit_ = unit;
    noise_ = noise;
    key_ = key;
    turn_ = turn;
    rows_ = &rows;
    moved_.resize(rows.size() + 1);
    for (Candidate& candidate : candidates_) spares_.push_back(std::move(candidate.histograms));
    open_.clear();
    candidates_.clear();
    leaves_ = 1;
    make_root();
    while (!open_.empty() && (config_.max_leaves == 0 || leaves_ < config_.max_leaves)) {
        control.check();
        divide(next());
    }
    return std::move(tree_);
}

}  // namespace vaglio::boosting
