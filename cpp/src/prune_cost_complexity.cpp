#include <algorithm>
#include <cmath>
#include <queue>

#include "vaglio/tree_prune.hpp"

namespace vaglio {
namespace {

class WeakestLinks {
 public:
    WeakestLinks(const Tree& tree, Risk risk)
        : tree_(tree),
          parent_(tree.size(), -1),
          own_(tree.size()),
          below_(tree.size()),
          leaves_(tree.size()),
          cut_(tree.size(), false) {
        const double total = tree.weight[0] > 0 ? tree.weight[0] : 1;
        for (std::size_t i = tree.size(); i-- > 0;) {
            own_[i] = (risk == Risk::error ? node_errors(tree, i) : tree.weight[i] * tree.impurity[i]) / total;
            below_[i] = own_[i];
            leaves_[i] = tree.weight[i] > 0;
            if (tree.is_leaf(i)) continue;
            below_[i] = 0;
            leaves_[i] = 0;
            for (std::int32_t c = 0; c < tree.n_children[i]; ++c) {
                const auto child = static_cast<std::size_t>(tree.first_child[i] + c);
                parent_[child] = static_cast<std::int32_t>(i);
                below_[i] += below_[child];
                leaves_[i] += leaves_[child];
            }
            push(i);
        }
    }

    double risk() const { return below_[0]; }
    std::int64_t leaves() const { return leaves_[0]; }

    // The weakest link, or -1 when only the root is left. Entries that an update below has made stale, or that lie
    // under a cut, are passed over.
    std::int32_t weakest(double& alpha) {
        while (!links_.empty()) {
            const Link link = links_.top();
            if (!cut_[link.node] && link.alpha == strength(link.node) && !under_cut(link.node)) {
                alpha = link.alpha;
                return static_cast<std::int32_t>(link.node);
            }
            links_.pop();
        }
        return -1;
    }

    void cut(std::size_t node) {
        links_.pop();
        cut_[node] = true;
        const double more_risk = own_[node] - below_[node];
        const std::int64_t fewer_leaves = leaves_[node] - 1;
        for (auto at = static_cast<std::int32_t>(node); at >= 0; at = parent_[static_cast<std::size_t>(at)]) {
            const auto i = static_cast<std::size_t>(at);
            below_[i] += more_risk;
            leaves_[i] -= fewer_leaves;
            if (i != node) push(i);
        }
        for_descendants(node);
    }

 private:
    struct Link {
        double alpha;
        std::size_t node;
        bool operator<(const Link& other) const {
            return alpha != other.alpha ? alpha > other.alpha : node > other.node;
        }
    };

    double strength(std::size_t node) const {
        return (own_[node] - below_[node]) / static_cast<double>(std::max<std::int64_t>(leaves_[node] - 1, 1));
    }
    void push(std::size_t node) { links_.push({strength(node), node}); }
    bool under_cut(std::size_t node) const { return gone_.size() > node && gone_[node]; }

    // Every node is marked once at most: what lies under an earlier cut is not entered again.
    void for_descendants(std::size_t node) {
        gone_.resize(tree_.size(), false);
        std::vector<std::size_t> stack{node};
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (tree_.is_leaf(at)) continue;
            for (std::int32_t c = 0; c < tree_.n_children[at]; ++c) {
                const auto child = static_cast<std::size_t>(tree_.first_child[at] + c);
                gone_[child] = true;
                if (!cut_[child]) stack.push_back(child);
            }
        }
    }

    const Tree& tree_;
    std::vector<std::int32_t> parent_;
    std::vector<double> own_, below_;
    std::vector<std::int64_t> leaves_;
    std::vector<bool> cut_, gone_;
    std::priority_queue<Link> links_;
};

}  // namespace

PruningPath cost_complexity_path(const Tree& tree, Risk risk, Control& control) {
    WeakestLinks links(tree, risk);
    PruningPath path{{0.0}, {links.risk()}, {links.leaves()}};
    double alpha = 0;
    for (std::int32_t node; (node = links.weakest(alpha)) >= 0;) {
        control.check();
        links.cut(static_cast<std::size_t>(node));
        // Links of equal strength break together; rounding may even order them the wrong way round.
        const double last = path.alphas.back();
        if (path.alphas.size() > 1 && alpha <= last + 1e-12 * std::abs(last)) {
            path.risks.back() = links.risk();
            path.leaves.back() = links.leaves();
            continue;
        }
        path.alphas.push_back(alpha);
        path.risks.push_back(links.risk());
        path.leaves.push_back(links.leaves());
    }
    return path;
}

Tree prune_cost_complexity(const Tree& tree, Risk risk, double alpha, Control& control) {
    Tree pruned = tree;
    WeakestLinks links(tree, risk);
    double weakest = 0;
    for (std::int32_t node; (node = links.weakest(weakest)) >= 0 && weakest <= alpha;) {
        control.check();
        links.cut(static_cast<std::size_t>(node));
        pruned.make_leaf(static_cast<std::size_t>(node));
    }
    return compact(pruned);
}

}  // namespace vaglio
