#pragma once
// How much each feature adds to a prediction: the Shapley values of the game in which a tree knows only some features,
// and where it does not know one, a row goes down all branches, shared out as the training rows were.
//
// Of a leaf's value, features S let the product over the features on its path reach the row: the row's share o where
// the feature is known, the training rows' share z where not. The Shapley value of feature j is then
//     value · (o_j - z_j) · ∫₀¹ ∏_{i ≠ j} (z_i + t (o_i - z_i)) dt,
// the integral of a polynomial, which few points of Gauss and Legendre give exactly. One walk over the tree keeps the
// products at all points, and divides a feature's factor out again.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/tree.hpp"

namespace vaglio::tree {

// A node as the walk needs it; its children come after it.
struct ShapleyNode {
    std::int32_t first_child = -1, n_children = 0;  // no children: a leaf
    std::int32_t feature = 0;
    double weight = 0;  // of the training rows
};

// The nodes of a tree; throws std::invalid_argument if one tests several features at once.
std::vector<ShapleyNode> shapley_nodes(const Tree& tree);

// What the walk needs of a tree, for any number of rows.
class ShapleyTree {
 public:
    // Shares below this are none: their inverse would not be finite.
    static constexpr double smallest = 1e-280;

    ShapleyTree(std::vector<ShapleyNode> nodes, std::size_t n_features);

    const std::vector<ShapleyNode>& nodes() const { return nodes_; }
    const std::vector<double>& share() const { return share_; }
    const std::vector<double>& points() const { return points_; }
    const std::vector<double>& weights() const { return weights_; }
    std::size_t depth() const { return depth_; }

 private:
    friend class ShapleyWalk;
    std::vector<ShapleyNode> nodes_;
    std::vector<double> share_;  // of the training rows of its parent that each node has
    std::size_t n_features_, depth_ = 0;
    std::vector<double> points_, weights_;
};

class ShapleyWalk {
 public:
    explicit ShapleyWalk(const ShapleyTree& tree);

    // Adds what each feature contributes to the prediction of a row to contributions[feature], and returns what is
    // predicted when nothing is known. branch(node) is the way of the row at an inner node, negative for all ways;
    // value(node) is what a leaf predicts.
    template <class Branch, class Value>
    double add(const Branch& branch, const Value& value, double* contributions) {
        nothing_known_ = 0;
        enter(0, 0, 1, 1);
        while (!path_.empty()) {
            Edge& edge = path_.back();
            const ShapleyNode& node = tree_.nodes_[static_cast<std::size_t>(edge.node)];
            if (node.n_children == 0) {
                meet_leaf(value(edge.node));
            } else if (edge.next < node.n_children) {
                if (edge.next == 0) edge.taken = branch(edge.node);
                visit_child(edge, node);
                continue;
            }
            leave(contributions);
        }
        return nothing_known_;
    }

 private:
    // An edge on the way from the root to the present node; the first leads to the root.
    struct Edge {
        std::int32_t node;      // where it leads
        std::int32_t next;      // the child to visit next
        std::int32_t taken;     // the branch that the row takes at the node
        std::size_t feature;    // tested above the node
        std::size_t before;     // the last edge above with the same feature; 0: none
        double known, unknown;  // products of the shares along all edges with the feature
        double reached;         // the training rows' share of the node
    };

    void enter(std::int32_t node, std::size_t feature, double known, double unknown);
    void visit_child(Edge& edge, const ShapleyNode& node);
    void meet_leaf(double value);
    void leave(double* contributions);

    const ShapleyTree& tree_;
    double nothing_known_ = 0;
    std::vector<std::size_t> last_;  // per feature: its last edge
    std::vector<Edge> path_;
    std::vector<double> inverse_;  // 1 / (1 - point)
    // Per edge and point: the product of all factors, the inverse of this feature's factor, its part in a contribution,
    // and the sum of what was found below.
    std::vector<double> product_, undo_, part_, below_;
};

}  // namespace vaglio::tree
