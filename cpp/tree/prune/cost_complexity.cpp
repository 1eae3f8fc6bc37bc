// Breiman's nested sequence in one pass from the leaves up, instead of one pass per cut.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/prune/prune.hpp"

namespace vaglio::tree {
namespace {

// What a subtree loses when one of its nodes becomes a leaf, and the price of a leaf at which it does.
struct Cut {
    double alpha;
    double risk;          // more of it
    std::int64_t leaves;  // fewer of them
    bool operator<(const Cut& other) const { return alpha < other.alpha; }
};

// The price at which each inner node is cut. The cost of a subtree, pruned as well as can be, is a concave function of
// the price: that of its branches together until it meets that of the node as a leaf, which is where the node is cut.
// So one pass from the leaves up does it, with the cuts of each subtree in a heap: those beyond the meeting point never
// happen and are dropped for good, and the smaller heaps move into the largest.
class WeakestLinks {
 public:
    WeakestLinks(const Tree& tree, Risk risk, Control& control)
        : alpha_(tree.size(), std::numeric_limits<double>::infinity()) {
        const double total = tree.weight[0] > 0 ? tree.weight[0] : 1;
        std::vector<Subtree> open(tree.size());
        for (std::size_t i = tree.size(); i-- > 0;) {
            if (i % 4096 == 0) control.check();
            const double own = (risk == Risk::error ? node_errors(tree, i) : tree.weight[i] * tree.impurity[i]) / total;
            if (tree.is_leaf(i)) {
                open[i] = {own, tree.weight[i] > 0, own, tree.weight[i] > 0, {}};
                continue;
            }
            for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
                join(open[i], std::move(open[static_cast<std::size_t>(tree.first_child[i] + c)]));
            alpha_[i] = cut(open[i], own);
        }
        risk_ = open[0].risk;
        leaves_ = open[0].leaves;
        cuts_ = std::move(open[0].cuts);
        std::sort(cuts_.begin(), cuts_.end());
    }

    double alpha(std::size_t node) const { return alpha_[node]; }
    double risk() const { return risk_; }
    std::int64_t leaves() const { return leaves_; }
    const std::vector<Cut>& cuts() const { return cuts_; }  // of the whole tree, the weakest first

 private:
    struct Subtree {
        double risk = 0;  // uncut
        std::int64_t leaves = 0;
        double last_risk = 0;  // after all cuts
        std::int64_t last_leaves = 0;
        std::vector<Cut> cuts;  // a heap, the strongest on top
    };

    static void join(Subtree& into, Subtree part) {
        into.risk += part.risk;
        into.leaves += part.leaves;
        into.last_risk += part.last_risk;
        into.last_leaves += part.last_leaves;
        if (into.cuts.size() < part.cuts.size()) into.cuts.swap(part.cuts);
        for (const Cut& one : part.cuts) {
            into.cuts.push_back(one);
            std::push_heap(into.cuts.begin(), into.cuts.end());
        }
    }

    // Makes the node the last cut of its subtree.
    static double cut(Subtree& subtree, double own) {
        for (;;) {
            const auto saved = static_cast<double>(std::max<std::int64_t>(subtree.last_leaves - 1, 1));
            // Branches have no more risk than their node, but for rounding.
            const double alpha = std::max(0.0, (own - subtree.last_risk) / saved);
            if (subtree.cuts.empty() || subtree.cuts.front().alpha < alpha) {
                subtree.cuts.push_back({alpha, own - subtree.last_risk, subtree.last_leaves - 1});
                std::push_heap(subtree.cuts.begin(), subtree.cuts.end());
                subtree.last_risk = own;
                subtree.last_leaves = 1;
                return alpha;
            }
            subtree.last_risk -= subtree.cuts.front().risk;
            subtree.last_leaves += subtree.cuts.front().leaves;
            std::pop_heap(subtree.cuts.begin(), subtree.cuts.end());
            subtree.cuts.pop_back();
        }
    }

    std::vector<double> alpha_;
    double risk_ = 0;
    std::int64_t leaves_ = 0;
    std::vector<Cut> cuts_;
};

// Links of equal strength break together, whatever rounding makes of them.
bool as_weak(double alpha, double as) { return alpha <= as + 1e-12 * std::abs(as); }

}  // namespace

PruningPath cost_complexity_path(const Tree& tree, Risk risk, Control& control) {
    const WeakestLinks links(tree, risk, control);
    PruningPath path{{0.0}, {links.risk()}, {links.leaves()}};
    for (const Cut& cut : links.cuts()) {
        const double last = path.alphas.back(), more = path.risks.back() + cut.risk;
        const std::int64_t fewer = path.leaves.back() - cut.leaves;
        if (path.alphas.size() > 1 && as_weak(cut.alpha, last)) {
            path.risks.back() = more;
            path.leaves.back() = fewer;
            continue;
        }
        path.alphas.push_back(cut.alpha);
        path.risks.push_back(more);
        path.leaves.push_back(fewer);
    }
    return path;
}

Tree prune_cost_complexity(const Tree& tree, Risk risk, double alpha, Control& control) {
    Tree pruned = tree;
    const WeakestLinks links(tree, risk, control);
    for (std::size_t i = 0; i < tree.size(); ++i)
        if (!tree.is_leaf(i) && as_weak(links.alpha(i), alpha)) pruned.make_leaf(i);
    return compact(pruned);
}

std::vector<std::int32_t> standing_nodes(const Tree& tree, Risk risk, std::span<const std::int32_t> nodes,
                                         std::span<const double> alphas, Control& control) {
    const WeakestLinks links(tree, risk, control);
    std::vector<std::int32_t> parent(tree.size(), -1);
    // The least price at which a node or one above it is cut, which never rises on a path down.
    std::vector<double> falls(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const double above =
            i == 0 ? std::numeric_limits<double>::infinity() : falls[static_cast<std::size_t>(parent[i])];
        falls[i] = std::min(above, links.alpha(i));
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
            parent[static_cast<std::size_t>(tree.first_child[i] + c)] = static_cast<std::int32_t>(i);
    }
    std::vector<std::int32_t> standing(nodes.size() * alphas.size());
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (j % 4096 == 0) control.check();
        std::int32_t node = nodes[j];
        for (std::size_t a = 0; a < alphas.size(); ++a) {
            for (std::int32_t above = parent[static_cast<std::size_t>(node)];
                 above >= 0 && as_weak(falls[static_cast<std::size_t>(above)], alphas[a]);
                 above = parent[static_cast<std::size_t>(node)])
                node = above;
            standing[a * nodes.size() + j] = node;
        }
    }
    return standing;
}

}  // namespace vaglio::tree
