#include "tree/shapley.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace vaglio::tree {
namespace {

// Nodes and weights on [0, 1] that integrate polynomials of degree 2n - 1 exactly.
void gauss_legendre(std::size_t n, std::vector<double>& points, std::vector<double>& weights) {
    points.resize(n);
    weights.resize(n);
    const auto count = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (count + 0.5)), slope = 1;
        for (int step = 0; step < 100; ++step) {
            double now = 1, before = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const auto degree = static_cast<double>(k);
                const double next = ((2 * degree + 1) * x * now - degree * before) / (degree + 1);
                before = now;
                now = next;
            }
            slope = count * (x * now - before) / (x * x - 1);
            const double moved = now / slope;
            x -= moved;
            if (std::abs(moved) < 1e-16) break;
        }
        points[i] = (1 + x) / 2;
        weights[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

}  // namespace

std::vector<ShapleyNode> shapley_nodes(const Tree& tree) {
    std::vector<ShapleyNode> nodes(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
        nodes[i].weight = tree.weight[i];
        if (tree.is_leaf(i)) continue;
        if (tree.kind[i] == static_cast<std::uint8_t>(NodeKind::linear)) {
            throw std::invalid_argument("a test of several features at once has no share for each");
        }
        nodes[i] = {tree.first_child[i], tree.n_children[i], tree.feature[i], tree.weight[i]};
    }
    return nodes;
}

ShapleyTree::ShapleyTree(std::vector<ShapleyNode> nodes, std::size_t n_features)
    : nodes_(std::move(nodes)), share_(nodes_.size(), 1.0), n_features_(n_features) {
    std::vector<std::size_t> depth(nodes_.size(), 0);
    std::vector<bool> used(n_features, false);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const ShapleyNode& node = nodes_[i];
        if (node.n_children == 0) continue;
        used[static_cast<std::size_t>(node.feature)] = true;
        depth_ = std::max(depth_, depth[i] + 1);
        const auto first = static_cast<std::size_t>(node.first_child);
        const auto end = first + static_cast<std::size_t>(node.n_children);
        double total = 0;
        for (std::size_t child = first; child < end; ++child) total += nodes_[child].weight;
        for (std::size_t child = first; child < end; ++child) {
            depth[child] = depth[i] + 1;
            // As in a prediction: where no branch has a share, the first one is taken.
            const bool shared = total > 0 && std::isfinite(total);
            share_[child] = shared ? nodes_[child].weight / total : child == first ? 1.0 : 0.0;
        }
    }
    const auto features = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    gauss_legendre(std::max<std::size_t>(1, (std::min(depth_, features) + 1) / 2), points_, weights_);
}

ShapleyWalk::ShapleyWalk(const ShapleyTree& tree) : tree_(tree), last_(tree.n_features_, 0) {
    for (const double point : tree.points_) inverse_.push_back(1 / (1 - point));
    for (auto* numbers : {&product_, &undo_, &part_, &below_}) numbers->resize((tree.depth_ + 1) * inverse_.size());
    path_.reserve(tree.depth_ + 1);
}

void ShapleyWalk::enter(std::int32_t node, std::size_t feature, double known, double unknown) {
    const std::size_t m = inverse_.size(), depth = path_.size();
    if (depth == 0) {
        std::fill_n(product_.begin(), m, 1.0);
        std::fill_n(below_.begin(), m, 0.0);
        path_.push_back({node, 0, 0, 0, 0, 1, 1, 1});
        return;
    }
    const std::size_t before = last_[feature];
    const double *points = tree_.points_.data(), *above = &product_[(depth - 1) * m];
    double *product = &product_[depth * m], *undo = &undo_[depth * m], *part = &part_[depth * m];
    if (known == 0) {
        // The factor is unknown · (1 - point): most edges, and without a division per point.
        const double scale = 1 / unknown;
        for (std::size_t q = 0; q < m; ++q) {
            undo[q] = scale * inverse_[q];
            part[q] = -inverse_[q];
            product[q] = above[q] * (unknown * (1 - points[q]));
        }
    } else {
        for (std::size_t q = 0; q < m; ++q) {
            const double factor = unknown + points[q] * (known - unknown);
            undo[q] = 1 / factor;
            part[q] = (known - unknown) * undo[q];
            product[q] = above[q] * factor;
        }
    }
    if (before > 0) {
        for (std::size_t q = 0; q < m; ++q) product[q] *= undo_[before * m + q];
    }
    std::fill_n(&below_[depth * m], m, 0.0);
    const double reached = path_.back().reached * tree_.share_[static_cast<std::size_t>(node)];
    path_.push_back({node, 0, 0, feature, before, known, unknown, reached});
    last_[feature] = depth;
}

void ShapleyWalk::visit_child(Edge& edge, const ShapleyNode& node) {
    const std::int32_t number = edge.next++, child = node.first_child + number;
    const auto feature = static_cast<std::size_t>(node.feature);
    const double share = tree_.share_[static_cast<std::size_t>(child)];
    const std::size_t before = last_[feature];
    const double known = (edge.taken < 0         ? share
                          : edge.taken == number ? 1.0
                                                 : 0.0) *
                         (before ? path_[before].known : 1);
    const double unknown = share * (before ? path_[before].unknown : 1);
    // Where neither the row nor any training row comes, whatever is known, nothing is found.
    if (known >= ShapleyTree::smallest || unknown >= ShapleyTree::smallest) enter(child, feature, known, unknown);
}

void ShapleyWalk::meet_leaf(double value) {
    const std::size_t m = inverse_.size(), at = (path_.size() - 1) * m;
    for (std::size_t q = 0; q < m; ++q) below_[at + q] = product_[at + q] * value;
    nothing_known_ += path_.back().reached * value;
}

void ShapleyWalk::leave(double* contributions) {
    const Edge edge = path_.back();
    path_.pop_back();
    if (path_.empty()) return;
    const std::size_t m = inverse_.size(), at = path_.size() * m;
    double sum = 0;
    if (edge.before > 0) {
        for (std::size_t q = 0; q < m; ++q) {
            sum += tree_.weights_[q] * below_[at + q] * (part_[at + q] - part_[edge.before * m + q]);
        }
    } else {
        for (std::size_t q = 0; q < m; ++q) sum += tree_.weights_[q] * below_[at + q] * part_[at + q];
    }
    for (std::size_t q = 0; q < m; ++q) below_[at - m + q] += below_[at + q];
    contributions[edge.feature] += sum;
    last_[edge.feature] = edge.before;
}

}  // namespace vaglio::tree
