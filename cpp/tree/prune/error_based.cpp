// Error-based pruning with subtree raising, by errors as C4.5 estimates them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "tree/prune/prune.hpp"
#include "tree/prune/route.hpp"
#include "tree/split/score.hpp"

namespace vaglio::tree {

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

// The upper confidence limit of a leaf's binomial error.
class ErrorLimit {
 public:
    explicit ErrorLimit(double confidence);

    // Errors to be added to e observed among n to reach the limit (normal approximation, exact at e = 0, interpolated
    // below 1).
    double added(double n, double e) const;

    // Estimated errors of a leaf with these class weights.
    double estimate(const double* classes, std::size_t width, double weight) const;

 private:
    double z_, log_;
};

ErrorLimit::ErrorLimit(double confidence) : z_(normal_quantile(confidence)), log_(std::log(confidence)) {}

double ErrorLimit::added(double n, double e) const {
    if (e < 1) {
        const double none = -n * std::expm1(log_ / n);
        return e == 0 ? none : none + e * (added(n, 1) - none);
    }
    if (e + 0.5 >= n) return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n, zz = z_ * z_;
    const double limit = (f + zz / (2 * n) + z_ * std::sqrt(f / n - f * f / n + zz / (4 * n * n))) / (1 + zz / n);
    return limit * n - e;
}

double ErrorLimit::estimate(const double* classes, std::size_t width, double weight) const {
    if (weight <= 0) return 0;
    const double e = std::max(0.0, weight - *std::max_element(classes, classes + width));
    return e + added(weight, e);
}

// Children have higher numbers than their parent, so one backward pass sums the subtrees.
Tree collapse(Tree tree) {
    std::vector<double> below(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;) {
        below[i] = node_errors(tree, i);
        if (tree.is_leaf(i)) continue;
        double sum = 0;
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
            sum += below[static_cast<std::size_t>(tree.first_child[i] + c)];
        if (sum >= below[i] - 1e-3) {
            tree.make_leaf(i);
        } else {
            below[i] = sum;
        }
    }
    return tree;
}

// Memory one worker reuses from node to node.
struct PruneScratch {
    RowRouter::Scratch route;
    std::vector<WeightedRow> others;
    std::vector<std::uint32_t> place;  // of a row among the others
    std::vector<std::size_t>
        reached;  // leaves that rows of other branches reached, and the class weights of those rows
    std::vector<double> added, merged;
};

class ErrorBasedPruner {
 public:
    ErrorBasedPruner(const Tree& tree, const TreeData& data, Criterion criterion, double confidence, bool raising,
                     int threads, Control& control)
        : tree_(collapse(tree)),
          data_(data),
          scorer_(criterion, log_table(1)),
          limit_(confidence),
          raising_(raising),
          threads_(std::max(1, threads)),
          control_(control),
          estimate_(tree_.size(), 0.0),
          settled_(tree_.size(), 0) {}

    Tree run() {
        if (raising_) {
            router_ = std::make_unique<RowRouter>(tree_, data_);
            slot_.assign(tree_.size(), -1);
            route_all();
        }
        // Subtrees are pruned independently of each other, so the small ones by several threads at once.
        const std::vector<std::size_t> tasks = subtrees(tree_.weight[0] / (8 * threads_));
        std::vector<PruneScratch> scratch(static_cast<std::size_t>(threads_));
        parallel_for(threads_, tasks.size(), [&](std::size_t i, int worker) {
            prune(tasks[i], scratch[static_cast<std::size_t>(worker)]);
            settled_[tasks[i]] = 1;
        });
        prune(0, scratch[0]);
        if (raised_) recount();
        return compact(tree_);
    }

 private:
    // The rows of every leaf, ascending.
    void route_all() {
        rows_.resize(tree_.size());
        RowRouter::Scratch scratch;
        router_->route(0, all_rows(), scratch, [&](std::size_t node, std::span<const WeightedRow> rows) {
            if (tree_.is_leaf(node)) rows_[node].assign(rows.begin(), rows.end());
        });
    }

    // Rows came into raised branches by the shares from before, which they changed. Counted anew, a row of unknown
    // value has in each leaf the share that the finished tree gives it.
    void recount() {
        const std::size_t width = tree_.width;
        const auto classes_of = [&](std::size_t node) {
            return std::span<double>(tree_.value).subspan(node * width, width);
        };
        std::vector<std::uint8_t> reached(tree_.size(), 0);
        RowRouter::Scratch scratch;
        RowRouter(tree_, data_, Shares::known)
            .route(0, all_rows(), scratch, [&](std::size_t node, std::span<const WeightedRow> rows) {
                const auto classes = classes_of(node);
                std::fill(classes.begin(), classes.end(), 0.0);
                for (const auto& [row, share] : rows) classes[static_cast<std::size_t>(data_.labels[row])] += share;
                tree_.weight[node] = std::accumulate(classes.begin(), classes.end(), 0.0);
                tree_.impurity[node] = scorer_.impurity({classes, tree_.weight[node]}, false);
                reached[node] = 1;
            });
        // A branch without rows says what its parent says.
        for (std::size_t node = 0; node < tree_.size(); ++node) {
            for (std::int32_t c = 0; c < tree_.n_children[node]; ++c) {
                const auto child = static_cast<std::size_t>(tree_.first_child[node] + c);
                if (reached[child]) continue;
                tree_.weight[child] = 0;
                tree_.impurity[child] = tree_.impurity[node];
                std::copy_n(classes_of(node).begin(), width, classes_of(child).begin());
            }
        }
    }

    std::vector<WeightedRow> all_rows() const {
        std::vector<WeightedRow> all;
        for (std::uint32_t row = 0; row < data_.rows; ++row)
            if (const double w = weight(row); w > 0) all.push_back({row, w});
        return all;
    }

    double weight(std::uint32_t row) const {
        const double w = data_.weights ? data_.weights[row] : 1.0;
        return data_.multiplicity ? w * data_.multiplicity[row] : w;
    }

    // The topmost nodes of at most this weight.
    std::vector<std::size_t> subtrees(double most) const {
        std::vector<std::size_t> found, stack{0};
        while (!stack.empty()) {
            const std::size_t node = stack.back();
            stack.pop_back();
            if (tree_.is_leaf(node)) continue;
            if (tree_.weight[node] <= most) {
                found.push_back(node);
                continue;
            }
            for (std::int32_t c = 0; c < tree_.n_children[node]; ++c)
                stack.push_back(static_cast<std::size_t>(tree_.first_child[node] + c));
        }
        return found;
    }

    double leaf_estimate(std::size_t node) const {
        return limit_.estimate(&tree_.value[node * tree_.width], tree_.width, tree_.weight[node]);
    }

    void prune(std::size_t root, PruneScratch& scratch) {
        struct Step {
            std::size_t node;
            bool children_done;
        };
        std::vector<Step> stack{{root, false}};
        while (!stack.empty()) {
            const auto [node, done] = stack.back();
            stack.pop_back();
            if (settled_[node]) {
                settled_[node] = 0;  // for once: raised with the branch it lies in, it will have other rows
                continue;
            }
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
            if (decide(node, scratch)) stack.push_back({node, false});
        }
    }

    // True when a branch was raised: the node is then looked at again.
    bool decide(std::size_t node, PruneScratch& scratch) {
        constexpr double tolerance = 0.1;  // errors; C4.5's own, which prefers the smaller tree
        const auto first = static_cast<std::size_t>(tree_.first_child[node]);
        const auto end = first + static_cast<std::size_t>(tree_.n_children[node]);
        const double as_leaf = leaf_estimate(node);
        double as_tree = 0;
        std::size_t largest = first;
        for (std::size_t c = first; c < end; ++c) {
            as_tree += estimate_[c];
            // Shares of rows add up to equal weights but for rounding: then the first is the largest.
            if (tree_.weight[c] > tree_.weight[largest] * (1.0 + 1e-10)) largest = c;
        }
        // Beyond this it does not matter how bad the branch is.
        const double enough = as_leaf <= as_tree + tolerance ? as_leaf - tolerance : as_tree + tolerance;
        double as_branch = INFINITY;
        if (raising_)
            as_branch = tree_.is_leaf(largest) ? as_leaf : branch_estimate(node, largest, enough + 1e-6, scratch);
        if (as_leaf <= as_tree + tolerance && as_leaf <= as_branch + tolerance) {
            if (raising_) rows_[node] = gather_rows(node);
            tree_.make_leaf(node);
            if (raising_) router_->update(node);
            estimate_[node] = as_leaf;
            return false;
        }
        if (as_branch <= as_tree + tolerance) {
            raise(node, largest, scratch);
            return true;
        }
        estimate_[node] = as_tree;
        return false;
    }

    // The rows of all branches but one.
    void gather_others(std::size_t node, std::size_t largest, std::vector<WeightedRow>& others) const {
        others.clear();
        const auto first = static_cast<std::size_t>(tree_.first_child[node]);
        for (std::size_t c = first; c < first + static_cast<std::size_t>(tree_.n_children[node]); ++c)
            if (c != largest)
                for (const std::size_t leaf : leaves(c))
                    others.insert(others.end(), rows_[leaf].begin(), rows_[leaf].end());
    }

    // Where rows were spread, one may be in many leaves with a small share in each: together they are routed once.
    void join_shares(PruneScratch& scratch) const {
        double total = 0;
        for (const WeightedRow& row : scratch.others) total += row.weight;
        if (static_cast<double>(scratch.others.size()) < 1.5 * total) return;
        constexpr std::uint32_t nowhere = UINT32_MAX;
        scratch.place.resize(data_.rows, nowhere);
        std::size_t joined = 0;
        for (const WeightedRow row : scratch.others) {
            std::uint32_t& at = scratch.place[row.row];
            if (at == nowhere) {
                at = static_cast<std::uint32_t>(joined);
                scratch.others[joined++] = row;
            } else {
                scratch.others[at].weight += row.weight;
            }
        }
        scratch.others.resize(joined);
        for (const WeightedRow& row : scratch.others) scratch.place[row.row] = nowhere;
    }

    std::vector<std::size_t> leaves(std::size_t node) const {
        std::vector<std::size_t> found, stack{node};
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (tree_.is_leaf(at)) {
                found.push_back(at);
                continue;
            }
            for (std::int32_t c = 0; c < tree_.n_children[at]; ++c)
                stack.push_back(static_cast<std::size_t>(tree_.first_child[at] + c));
        }
        return found;
    }

    std::vector<WeightedRow> gather_rows(std::size_t node) {
        std::vector<WeightedRow> all;
        for (const std::size_t leaf : leaves(node)) {
            all.insert(all.end(), rows_[leaf].begin(), rows_[leaf].end());
            rows_[leaf] = {};
        }
        return all;
    }

    // Estimated errors of the largest branch, were it to receive the rows of the others. Only the leaves those rows
    // reach differ from what is known. More rows never lower an estimate: what exceeds `enough` with a part of the rows
    // is returned as it is.
    double branch_estimate(std::size_t node, std::size_t largest, double enough, PruneScratch& scratch) {
        double sum = estimate_[largest];
        scratch.reached.clear();
        scratch.added.clear();
        if (sum <= enough) {
            gather_others(node, largest, scratch.others);
            join_shares(scratch);
        }
        const std::span<const WeightedRow> others(scratch.others);
        std::size_t piece = 64;
        for (std::size_t routed = 0; sum <= enough && routed < others.size(); routed += piece) {
            piece = std::min(std::max<std::size_t>(64, routed / 2), others.size() - routed);
            add_rows(largest, others.subspan(routed, piece), scratch);
            sum = estimate_with_added(largest, scratch);
        }
        for (const std::size_t leaf : scratch.reached) slot_[leaf] = -1;
        return sum;
    }

    void add_rows(std::size_t branch, std::span<const WeightedRow> rows, PruneScratch& scratch) {
        const std::size_t width = tree_.width;
        router_->route(branch, rows, scratch.route, [&](std::size_t at, std::span<const WeightedRow> arrived) {
            if (!tree_.is_leaf(at)) return;
            if (slot_[at] < 0) {
                slot_[at] = static_cast<std::int64_t>(scratch.reached.size());
                scratch.reached.push_back(at);
                scratch.added.resize(scratch.added.size() + width, 0.0);
            }
            double* classes = &scratch.added[static_cast<std::size_t>(slot_[at]) * width];
            for (const auto& [row, share] : arrived) classes[data_.labels[row]] += share;
        });
    }

    double estimate_with_added(std::size_t branch, PruneScratch& scratch) const {
        const std::size_t width = tree_.width;
        double sum = estimate_[branch];
        scratch.merged.resize(width);
        for (std::size_t r = 0; r < scratch.reached.size(); ++r) {
            const std::size_t leaf = scratch.reached[r];
            double total = 0;
            const bool empty = tree_.weight[leaf] <= 0;  // its values are its parent's
            for (std::size_t c = 0; c < width; ++c) {
                scratch.merged[c] = scratch.added[r * width + c] + (empty ? 0.0 : tree_.value[leaf * width + c]);
                total += scratch.merged[c];
            }
            sum += limit_.estimate(scratch.merged.data(), width, total) - estimate_[leaf];
        }
        return sum;
    }

    // The largest branch takes the node's place and the rows of the other branches.
    void raise(std::size_t node, std::size_t largest, PruneScratch& scratch) {
        const std::size_t width = tree_.width;
        gather_others(node, largest, scratch.others);
        // Shares go by the weights from before: what arrives is added when all have arrived.
        struct Arrival {
            std::size_t node;
            std::vector<WeightedRow> rows;
        };
        std::vector<Arrival> arrivals;
        router_->route(largest, scratch.others, scratch.route, [&](std::size_t at, std::span<const WeightedRow> rows) {
            arrivals.push_back({at, {rows.begin(), rows.end()}});
        });
        for (const auto& [at, rows] : arrivals) {
            if (tree_.is_leaf(at)) rows_[at].insert(rows_[at].end(), rows.begin(), rows.end());
            double* classes = &tree_.value[at * width];
            if (tree_.weight[at] <= 0) std::fill_n(classes, width, 0.0);
            for (const auto& [row, share] : rows) {
                tree_.weight[at] += share;
                classes[data_.labels[row]] += share;
            }
            tree_.impurity[at] = scorer_.impurity({{classes, width}, tree_.weight[at]}, false);
        }
        raised_ = true;
        take_place(node, largest);
    }

    void take_place(std::size_t node, std::size_t branch) {
        tree_.kind[node] = tree_.kind[branch];
        tree_.feature[node] = tree_.feature[branch];
        tree_.threshold[node] = tree_.threshold[branch];
        tree_.first_child[node] = tree_.first_child[branch];
        tree_.n_children[node] = tree_.n_children[branch];
        tree_.missing_branch[node] = tree_.missing_branch[branch];
        tree_.table_start[node] = tree_.table_start[branch];
        tree_.linear_start[node] = tree_.linear_start[branch];
        tree_.linear_terms[node] = tree_.linear_terms[branch];
        tree_.gain[node] = tree_.gain[branch];
        tree_.strict[node] = tree_.strict[branch];
        router_->update(node);
        if (tree_.is_leaf(node)) rows_[node] = std::move(rows_[branch]);
    }

    Tree tree_;
    const TreeData& data_;
    Scorer scorer_;
    ErrorLimit limit_;
    bool raising_;
    int threads_;
    Control& control_;
    std::unique_ptr<RowRouter> router_;  // where branches may be raised
    std::atomic<bool> raised_ = false;   // whether one was
    std::vector<double> estimate_;
    std::vector<std::uint8_t> settled_;           // pruned before its parent's turn
    std::vector<std::vector<WeightedRow>> rows_;  // of each leaf
    std::vector<std::int64_t> slot_;              // of a leaf among those reached, -1 for the others
};

}  // namespace

double added_errors(double n, double e, double confidence) { return ErrorLimit(confidence).added(n, e); }

Tree prune_error_based(const Tree& tree, const TreeData& data, Criterion criterion, double confidence, bool raising,
                       int threads, Control& control) {
    return ErrorBasedPruner(tree, data, criterion, confidence, raising, threads, control).run();
}

}  // namespace vaglio::tree
