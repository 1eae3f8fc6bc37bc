#pragma once
// Rows in boxes within boxes, so that a search looks at few of them: the nearest rows are found exactly, ties included.
//
// Every box is split at medians into eight (fewer above the leaves). Boxes are tight around the numbers of their rows.
// A box is skipped when its nearest corner is farther than the worst neighbour held. That corner's distance is summed
// by the same operations in the same order as a row's; as rounding is monotone, it never exceeds the computed distance
// of a row inside. Categories can only add to it.
#include <vector>

#include "knn/best.hpp"
#include "knn/measure.hpp"
#include "knn/neighbors.hpp"
#include "knn/tree/shortlist.hpp"

namespace vaglio::knn {

class KdTree {
 public:
    // Rows without infinite numbers, and a metric of which has_boxes() is true.
    KdTree(const Points& train, const NeighborConfig& config, Control& control);

    static bool has_boxes(Metric metric) {
        return metric == Metric::manhattan || metric == Metric::euclidean || metric == Metric::chebyshev;
    }

    // Offers all rows that may belong to the nearest to `best`, except the row `self`. Returns how many were measured.
    std::size_t search(const Distance& by, const Query& x, std::size_t self, std::size_t query, Best& best) const;

    // Whether `list` can find the k nearest of a query.
    bool can_list(const double* x, std::size_t k) const;

    // The k nearest rows, except `self`, of a query that can be listed; `leaf` is what leaf_of() gives.
    void list(const Distance& by, const double* x, std::uint32_t leaf, std::size_t self, Shortlist& found) const;

    // The row at a place of a list.
    std::uint32_t row_at(std::uint32_t place) const { return order_[place]; }

    // The node of the leaf that a query lies in or near to: queries of one leaf look at the same rows.
    std::uint32_t leaf_of(const Distance& by, const double* x) const;

    TreeView view() const { return {nodes_.data(), boxes_.data(), numeric_.data(), order_.data()}; }
    std::size_t rows() const { return order_.size(); }
    std::size_t nodes() const { return nodes_.size(); }
    std::size_t columns() const { return n_numeric_; }

 private:
    using Key = std::pair<double, std::uint32_t>;  // a number and its row

    using Node = TreeNode;

    void lay_out();
    void arrange(const Points& train, const Node& node);
    void halve(const Points& train, std::size_t begin, std::size_t end, std::size_t parts, Key* keys);
    std::size_t widest_column(const Points& train, std::size_t begin, std::size_t end) const;
    void fill_panels(const Points& train, const Node& leaf);
    void enclose(const Points& train, const Node& node, double missing);
    // One search: the query, what it found, and how many rows were measured.
    struct Walk {
        const Distance& by;
        const Query& x;
        bool complete;  // neither the query nor any row has a missing number
        std::size_t self, query;
        Best& best;
        std::size_t measured = 0;
    };
    void visit(const Node& node, Walk& walk) const;
    void scan(const Node& leaf, Walk& walk) const;

    std::size_t n_numeric_, n_nominal_;
    bool complete_ = true;
    std::vector<Node> nodes_;
    std::vector<std::size_t> levels_;  // where the nodes of each depth begin, and the end
    std::vector<std::uint32_t> order_;
    std::vector<BoxColumn> boxes_;  // of the children of each inner node, column by column
    std::vector<double> numeric_;   // panels of the leaves, in their order
    std::vector<std::int32_t> codes_;
};

}  // namespace vaglio::knn
