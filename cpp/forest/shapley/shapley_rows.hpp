#pragma once
// Shapley values of several rows in one walk over a tree (tree/shapley.hpp explains the walk) in which every row takes
// one way at every node. What a step does depends on the training rows' shares, which all rows have in common, and on
// whether a row has met all tests of the feature, fails this one, or has failed one before: three lists of numbers per
// step, of which each row takes one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/shapley/shapley_alone.hpp"
#include "forest/shapley/shapley_loops.hpp"
#include "tree/shapley.hpp"

namespace vaglio::forest {

inline constexpr std::size_t shapley_rows = 32;  // in one walk

class ShapleyRows {
 public:
    // Room for sums of so many features.
    explicit ShapleyRows(std::size_t n_features) : n_features_(n_features), last_(n_features, 0) {}

    // Starts the sums of so many rows, at most shapley_rows, at nothing.
    void start(std::size_t rows);

    // Adds a tree. goes_right(row, node) is the way of a row at an inner node, value(row, node) what a leaf says.
    template <class GoesRight, class Value>
    void add(const tree::ShapleyTree& tree, const GoesRight& goes_right, const Value& value) {
        if (rows_ == 1) return add_alone(tree, goes_right, value);
        enter_root(tree);
        while (!path_.empty()) {
            Edge& edge = path_.back();
            if (edge.next == 2) {
                leave();
                continue;
            }
            const tree::ShapleyNode& node = tree.nodes()[static_cast<std::size_t>(edge.node)];
            if (edge.next == 0) {
                for (std::size_t row = 0; row < rows_; ++row) edge.taken[row] = goes_right(row, edge.node);
            }
            const std::int32_t number = edge.next++, child = node.first_child + number;
            if (!prepare(static_cast<std::size_t>(node.feature), number, static_cast<std::size_t>(child))) continue;
            if (tree.nodes()[static_cast<std::size_t>(child)].n_children > 0) {
                enter(child);
                continue;
            }
            for (std::size_t row = 0; row < rows_; ++row) values_[row] = value(row, child);
            meet_leaf();
        }
        if (tree.nodes().front().n_children == 0) {
            for (std::size_t row = 0; row < rows_; ++row) nothing_known_[row] += value(row, 0);
        }
    }

    double contribution(std::size_t row, std::size_t feature) const;
    double nothing_known(std::size_t row) const { return nothing_known_[row]; }

 private:
    using Ways = std::array<std::uint8_t, shapley_rows>;

    // An edge on the way from the root to the present node; the first leads to the root.
    struct Edge {
        std::int32_t node = 0;    // where it leads
        std::int32_t next = 0;    // the child to visit next
        std::size_t feature = 0;  // tested above the node
        std::size_t before = 0;   // the last edge above with the same feature; 0: none
        double unknown = 1;       // product of the training rows' shares along all edges with the feature
        double reached = 1;       // the training rows' share of the node
        Ways way{}, taken{};      // of each row, on this edge and from the node
    };

    template <class GoesRight, class Value>
    void add_alone(const tree::ShapleyTree& tree, const GoesRight& goes_right, const Value& value) {
        alone_.resize(tree.nodes().size());
        for (std::size_t i = 0; i < alone_.size(); ++i) {
            const tree::ShapleyNode& node = tree.nodes()[i];
            const auto number = static_cast<std::int32_t>(i);
            const bool leaf = node.n_children == 0;
            alone_[i] = {leaf ? -1 : node.first_child, static_cast<std::uint32_t>(node.feature), tree.share()[i],
                         leaf ? value(0, number) : 0.0, !leaf && goes_right(0, number)};
        }
        walk_alone(tree);
    }

    void set_points(const tree::ShapleyTree& tree);
    void walk_alone(const tree::ShapleyTree& tree);
    void enter_root(const tree::ShapleyTree& tree);
    bool prepare(std::size_t feature, std::int32_t number, std::size_t child);
    void enter(std::int32_t node);
    void meet_leaf();
    void leave();
    ShapleyStep step_at(std::size_t depth) const;

    std::size_t n_features_, rows_ = 0, points_ = 0;
    const tree::ShapleyTree* tree_ = nullptr;
    std::vector<std::size_t> last_;  // per feature: its last edge
    std::vector<Edge> path_;
    Edge coming_;                                   // that `prepare` has made ready
    std::vector<double> point_, weight_, inverse_;  // of the tree's integral, in whole vectors; 1 / (1 - point)
    // Per edge: the lists of a step, and for a row that meets all tests the inverse of the feature's factor and its
    // part.
    std::vector<double> ratio_, part_, undo_, met_;
    std::vector<double> product_, below_;  // per edge, row and point
    std::array<double, shapley_rows> values_{}, nothing_known_{};
    std::vector<double> sums_;      // per row and feature: lanes that add up to its contribution
    std::vector<NodeAlone> alone_;  // for a row alone
    std::vector<EdgeAlone> path_alone_;
    std::vector<std::uint32_t> last_alone_;
};

}  // namespace vaglio::forest
