#include "forest/shapley/shapley_rows.hpp"

#include <algorithm>
#include <numeric>

namespace vaglio::forest {
namespace {

// Ways of a row along an edge: it has met all tests of the feature, it fails this one, it failed one before.
constexpr std::uint8_t meets = 0, fails = 1, failed = 2, ways = 3;

}  // namespace

void ShapleyRows::start(std::size_t rows) {
    rows_ = rows;
    nothing_known_.fill(0);
    sums_.assign(rows * n_features_ * shapley_lanes, 0.0);
}

double ShapleyRows::contribution(std::size_t row, std::size_t feature) const {
    const double* lanes = &sums_[(row * n_features_ + feature) * shapley_lanes];
    return std::accumulate(lanes, lanes + shapley_lanes, 0.0);
}

void ShapleyRows::set_points(const tree::ShapleyTree& tree) {
    const std::size_t n = tree.points().size();
    points_ = (n + shapley_lanes - 1) / shapley_lanes * shapley_lanes;
    // The points that fill the last vector weigh nothing.
    point_.assign(points_, 0.5);
    weight_.assign(points_, 0.0);
    inverse_.resize(points_);
    std::copy(tree.points().begin(), tree.points().end(), point_.begin());
    std::copy(tree.weights().begin(), tree.weights().end(), weight_.begin());
    for (std::size_t q = 0; q < points_; ++q) inverse_[q] = 1 / (1 - point_[q]);
}

void ShapleyRows::walk_alone(const tree::ShapleyTree& tree) {
    if (tree.nodes().front().n_children == 0) {
        nothing_known_[0] += alone_.front().value;
        return;
    }
    set_points(tree);
    const std::size_t edges = tree.depth() + 2;
    for (auto* numbers : {&product_, &below_, &part_, &undo_, &met_}) numbers->resize(edges * points_);
    path_alone_.resize(edges);
    last_alone_.assign(n_features_, 0);
    static const auto walk = VAGLIO_LEVELS(shapley_alone).best();
    walk({alone_.data(), tree::ShapleyTree::smallest, points_, point_.data(), weight_.data(), inverse_.data(),
          path_alone_.data(), last_alone_.data(), product_.data(), below_.data(), part_.data(), undo_.data(),
          met_.data(), sums_.data(), nothing_known_.data()});
}

void ShapleyRows::enter_root(const tree::ShapleyTree& tree) {
    tree_ = &tree;
    set_points(tree);
    const std::size_t edges = tree.depth() + 2;
    for (auto* lists : {&ratio_, &part_}) lists->assign(edges * ways * points_, 0.0);
    for (auto* lists : {&undo_, &met_}) lists->resize(edges * points_);
    for (auto* numbers : {&product_, &below_}) numbers->resize(edges * rows_ * points_);
    // Before the first edge of a feature its factor is 1, and it has no part.
    std::fill_n(undo_.begin(), points_, 1.0);
    std::fill_n(met_.begin(), points_, 0.0);
    std::fill_n(product_.begin(), rows_ * points_, 1.0);
    std::fill_n(below_.begin(), rows_ * points_, 0.0);
    path_.reserve(edges);
    if (tree.nodes().front().n_children > 0) path_.push_back(Edge{});
}

ShapleyStep ShapleyRows::step_at(std::size_t depth) const {
    const Edge& edge = depth < path_.size() ? path_[depth] : coming_;
    return {rows_, points_, edge.way.data(), &ratio_[depth * ways * points_], &part_[depth * ways * points_]};
}

// Makes those lists of the step to a child that a row takes. Returns false if neither a row nor any training row comes
// there.
bool ShapleyRows::prepare(std::size_t feature, std::int32_t number, std::size_t child) {
    const Edge& parent = path_.back();
    const std::size_t depth = path_.size(), before = last_[feature];
    const double share = tree_->share()[child], above = before ? path_[before].unknown : 1;
    coming_.next = 0;
    coming_.feature = feature;
    coming_.before = before;
    coming_.unknown = share * above;
    coming_.reached = parent.reached * share;
    bool has[ways] = {};
    for (std::size_t row = 0; row < rows_; ++row) {
        const bool out = before && path_[before].way[row] != meets;
        coming_.way[row] = out ? failed : parent.taken[row] == number ? meets : fails;
        has[coming_.way[row]] = true;
    }
    const double unknown = coming_.unknown;
    const bool shared = unknown >= tree::ShapleyTree::smallest;
    if (!has[meets] && !shared) return false;
    double *ratio = &ratio_[depth * ways * points_], *part = &part_[depth * ways * points_];
    const double *undo_before = &undo_[before * points_], *met_before = &met_[before * points_];
    // Where no training row comes, a row that fails a test finds nothing below.
    const double left = shared ? unknown : 0, scale = shared ? share : 0;
    for (std::size_t q = 0; has[fails] && q < points_; ++q) {
        ratio[fails * points_ + q] = left * (1 - point_[q]) * undo_before[q];
        part[fails * points_ + q] = weight_[q] * (-inverse_[q] - met_before[q]);
    }
    if (has[failed]) std::fill_n(ratio + failed * points_, points_, scale);
    if (!has[meets]) return true;
    double *undo = &undo_[depth * points_], *part_met = &met_[depth * points_];
    for (std::size_t q = 0; q < points_; ++q) {
        const double factor = unknown + point_[q] * (1 - unknown);
        undo[q] = 1 / factor;
        part_met[q] = (1 - unknown) * undo[q];
        ratio[meets * points_ + q] = factor * undo_before[q];
        part[meets * points_ + q] = weight_[q] * (part_met[q] - met_before[q]);
    }
    return true;
}

void ShapleyRows::enter(std::int32_t node) {
    const std::size_t depth = path_.size(), width = rows_ * points_;
    static const auto loop = VAGLIO_LEVELS(shapley_enter).best();
    loop(step_at(depth), &product_[(depth - 1) * width], &product_[depth * width], &below_[depth * width]);
    coming_.node = node;
    path_.push_back(coming_);
    last_[coming_.feature] = depth;
}

void ShapleyRows::meet_leaf() {
    const std::size_t depth = path_.size(), width = rows_ * points_;
    static const auto loop = VAGLIO_LEVELS(shapley_leaf).best();
    loop(step_at(depth), &product_[(depth - 1) * width], values_.data(), &below_[(depth - 1) * width],
         &sums_[coming_.feature * shapley_lanes], n_features_ * shapley_lanes);
    for (std::size_t row = 0; row < rows_; ++row) nothing_known_[row] += coming_.reached * values_[row];
}

void ShapleyRows::leave() {
    const std::size_t depth = path_.size() - 1, width = rows_ * points_;
    static const auto loop = VAGLIO_LEVELS(shapley_leave).best();
    if (depth > 0) {
        const Edge& edge = path_.back();
        loop(step_at(depth), &below_[depth * width], &below_[(depth - 1) * width], &sums_[edge.feature * shapley_lanes],
             n_features_ * shapley_lanes);
        last_[edge.feature] = edge.before;
    }
    path_.pop_back();
}

}  // namespace vaglio::forest
