// Error-based pruning with subtree raising.
#include <algorithm>
#include <cmath>
#include <vector>

#include "vaglio/tree_prune.hpp"
#include "vaglio/tree_route.hpp"
#include "vaglio/tree_score.hpp"

namespace vaglio {

double node_errors(const Tree& tree, std::size_t node) {
    if (tree.weight[node] <= 0) return 0;
    const auto first = tree.value.begin() + static_cast<std::ptrdiff_t>(node * tree.width);
    return std::max(0.0, tree.weight[node] - *std::max_element(first, first + static_cast<std::ptrdiff_t>(tree.width)));
}

namespace {

// z with P(Z > z) = confidence for a standard normal Z, by Newton's method from 0: the tail is convex for z > 0,
// so the steps approach from one side.
double normal_quantile(double confidence) {
    double z = 0;
    for (int i = 0; i < 100; ++i) {
        const double tail = 0.5 * std::erfc(z / std::sqrt(2.0));
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
        const double step = (tail - confidence) / density;
        z += step;
        if (std::abs(step) < 1e-15) break;
    }
    return z;
}

class UpperLimit {
 public:
    explicit UpperLimit(double confidence) : z_(normal_quantile(confidence)), log_(std::log(confidence)) {}

    double added(double n, double e) const {
        if (e < 1) {
            const double none = -n * std::expm1(log_ / n);
            return e == 0 ? none : none + e * (added(n, 1) - none);
        }
        if (e + 0.5 >= n) return std::max(n - e, 0.0);
        const double f = (e + 0.5) / n, zz = z_ * z_;
        const double limit = (f + zz / (2 * n) + z_ * std::sqrt(f / n - f * f / n + zz / (4 * n * n))) / (1 + zz / n);
        return limit * n - e;
    }

    // Estimated errors of a leaf with these class weights.
    double estimate(const double* classes, std::size_t width, double weight) const {
        if (weight <= 0) return 0;
        const double e = std::max(0.0, weight - *std::max_element(classes, classes + width));
        return e + added(weight, e);
    }

 private:
    double z_, log_;
};

class ErrorBasedPruner {
 public:
    ErrorBasedPruner(const Tree& tree, const TreeData& data, Criterion criterion, double confidence, bool raising,
                     Control& control)
        : tree_(tree),
          data_(data),
          scorer_(criterion, log_table(1)),
          limit_(confidence),
          raising_(raising),
          control_(control),
          router_(tree_, data_) {}

    Tree run() {
        collapse();
        estimate_.assign(tree_.size(), 0.0);
        if (raising_) {
            rows_.resize(tree_.size());
            slot_.assign(tree_.size(), -1);
            for (std::uint32_t row = 0; row < data_.rows; ++row)
                if (const double w = weight(row); w > 0)
                    router_.descend(0, {row, w}, [&](std::size_t node, double share) {
                        if (tree_.is_leaf(node)) rows_[node].push_back({row, share});
                    });
        }
        prune();
        return compact(tree_);
    }

 private:
    double weight(std::uint32_t row) const {
        const double w = data_.weights ? data_.weights[row] : 1.0;
        return data_.multiplicity ? w * data_.multiplicity[row] : w;
    }

    // Children have higher numbers than their parent, so one backward pass sums the subtrees.
    void collapse() {
        std::vector<double> below(tree_.size());
        for (std::size_t i = tree_.size(); i-- > 0;) {
            below[i] = node_errors(tree_, i);
            if (tree_.is_leaf(i)) continue;
            double sum = 0;
            for (std::int32_t c = 0; c < tree_.n_children[i]; ++c)
                sum += below[static_cast<std::size_t>(tree_.first_child[i] + c)];
            if (sum >= below[i] - 1e-3) {
                tree_.make_leaf(i);
            } else {
                below[i] = sum;
            }
        }
    }

    double leaf_estimate(std::size_t node) const {
        return limit_.estimate(&tree_.value[node * tree_.width], tree_.width, tree_.weight[node]);
    }

    void prune() {
        struct Step {
            std::size_t node;
            bool children_done;
        };
        std::vector<Step> stack{{0, false}};
        while (!stack.empty()) {
            const auto [node, done] = stack.back();
            stack.pop_back();
            if (tree_.is_leaf(node)) {
                estimate_[node] = leaf_estimate(node);
                continue;
            }
            if (!done) {
                stack.push_back({node, true});
                for (std::int32_t c = 0; c < tree_.n_children[node]; ++c)
                    stack.push_back({static_cast<std::size_t>(tree_.first_child[node] + c), false});
                continue;
            }
            control_.check();
            if (decide(node)) stack.push_back({node, false});
        }
    }

    // True when a branch was raised: the node is then looked at again.
    bool decide(std::size_t node) {
        constexpr double tolerance = 0.1;
        const auto first = static_cast<std::size_t>(tree_.first_child[node]);
        const auto end = first + static_cast<std::size_t>(tree_.n_children[node]);
        const double as_leaf = leaf_estimate(node);
        double as_tree = 0;
        std::size_t largest = first;
        for (std::size_t c = first; c < end; ++c) {
            as_tree += estimate_[c];
            if (tree_.weight[c] > tree_.weight[largest]) largest = c;
        }
        const double as_branch = raising_ ? branch_estimate(node, largest) : INFINITY;
        if (as_leaf <= as_tree + tolerance && as_leaf <= as_branch + tolerance) {
            if (raising_) gather_rows(node, rows_[node]);
            tree_.make_leaf(node);
            estimate_[node] = as_leaf;
            return false;
        }
        if (as_branch <= as_tree + tolerance) {
            raise(node, largest);
            return true;
        }
        estimate_[node] = as_tree;
        return false;
    }

    template <class Use>
    void for_other_rows(std::size_t node, std::size_t largest, Use use) {
        const auto first = static_cast<std::size_t>(tree_.first_child[node]);
        for (std::size_t c = first; c < first + static_cast<std::size_t>(tree_.n_children[node]); ++c)
            if (c != largest)
                for_leaves(c, [&](std::size_t leaf) {
                    for (const WeightedRow& row : rows_[leaf]) use(row);
                });
    }

    template <class Use>
    void for_leaves(std::size_t node, Use use) {
        std::vector<std::size_t> stack{node};
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (tree_.is_leaf(at)) {
                use(at);
                continue;
            }
            for (std::int32_t c = 0; c < tree_.n_children[at]; ++c)
                stack.push_back(static_cast<std::size_t>(tree_.first_child[at] + c));
        }
    }

    void gather_rows(std::size_t node, std::vector<WeightedRow>& into) {
        std::vector<WeightedRow> all;
        for_leaves(node, [&](std::size_t leaf) {
            all.insert(all.end(), rows_[leaf].begin(), rows_[leaf].end());
            rows_[leaf] = {};
        });
        into = std::move(all);
    }

    // Estimated errors of the largest branch, were it to receive the rows of the others. Only the leaves those rows
    // reach differ from what is known.
    double branch_estimate(std::size_t node, std::size_t largest) {
        const std::size_t width = tree_.width;
        reached_.clear();
        added_.clear();
        for_other_rows(node, largest, [&](const WeightedRow& row) {
            router_.descend(largest, row, [&](std::size_t at, double share) {
                if (!tree_.is_leaf(at)) return;
                if (slot_[at] < 0) {
                    slot_[at] = static_cast<std::int64_t>(reached_.size());
                    reached_.push_back(at);
                    added_.resize(added_.size() + width, 0.0);
                }
                added_[static_cast<std::size_t>(slot_[at]) * width + static_cast<std::size_t>(data_.labels[row.row])] +=
                    share;
            });
        });
        double sum = estimate_[largest];
        for (std::size_t r = 0; r < reached_.size(); ++r) {
            const std::size_t leaf = reached_[r];
            double* classes = &added_[r * width];
            double total = 0;
            const bool empty = tree_.weight[leaf] <= 0;  // its values are its parent's
            for (std::size_t c = 0; c < width; ++c) {
                if (!empty) classes[c] += tree_.value[leaf * width + c];
                total += classes[c];
            }
            sum += limit_.estimate(classes, width, total) - estimate_[leaf];
            slot_[leaf] = -1;
        }
        return sum;
    }

    // The largest branch takes the node's place and the rows of the other branches.
    void raise(std::size_t node, std::size_t largest) {
        const std::size_t width = tree_.width;
        std::vector<WeightedRow> others;
        for_other_rows(node, largest, [&](const WeightedRow& row) { others.push_back(row); });
        for (const WeightedRow& row : others)
            router_.descend(largest, row, [&](std::size_t at, double share) {
                pending_.push_back({at, static_cast<std::size_t>(data_.labels[row.row]), share});
                if (tree_.is_leaf(at)) rows_[at].push_back({row.row, share});
            });
        for (const auto& [at, label, share] : pending_) {
            if (tree_.weight[at] <= 0) std::fill_n(&tree_.value[at * width], width, 0.0);
            tree_.weight[at] += share;
            tree_.value[at * width + label] += share;
        }
        for (const Addition& addition : pending_)
            tree_.impurity[addition.node] =
                scorer_.impurity({{&tree_.value[addition.node * width], width}, tree_.weight[addition.node]}, false);
        pending_.clear();
        tree_.kind[node] = tree_.kind[largest];
        tree_.feature[node] = tree_.feature[largest];
        tree_.threshold[node] = tree_.threshold[largest];
        tree_.first_child[node] = tree_.first_child[largest];
        tree_.n_children[node] = tree_.n_children[largest];
        tree_.missing_branch[node] = tree_.missing_branch[largest];
        tree_.table_start[node] = tree_.table_start[largest];
        tree_.linear_start[node] = tree_.linear_start[largest];
        tree_.linear_terms[node] = tree_.linear_terms[largest];
        tree_.gain[node] = tree_.gain[largest];
        tree_.strict[node] = tree_.strict[largest];
        if (tree_.is_leaf(node)) rows_[node] = std::move(rows_[largest]);
    }

    struct Addition {
        std::size_t node, label;
        double share;
    };

    Tree tree_;
    const TreeData& data_;
    Scorer scorer_;
    UpperLimit limit_;
    bool raising_;
    Control& control_;
    RowRouter router_;
    std::vector<double> estimate_;
    std::vector<std::vector<WeightedRow>> rows_;  // of each leaf
    std::vector<std::int64_t> slot_;
    std::vector<std::size_t> reached_;
    std::vector<double> added_;
    std::vector<Addition> pending_;
};

}  // namespace

double added_errors(double n, double e, double confidence) { return UpperLimit(confidence).added(n, e); }

Tree prune_error_based(const Tree& tree, const TreeData& data, Criterion criterion, double confidence, bool raising,
                       Control& control) {
    return ErrorBasedPruner(tree, data, criterion, confidence, raising, control).run();
}

}  // namespace vaglio
