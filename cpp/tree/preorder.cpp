#include "tree/preorder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace vaglio::tree {

namespace {

constexpr std::size_t rows_between_checks = 1 << 14;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

void check_tests(const ThresholdTests& tree, std::size_t columns) {
    const std::size_t n = tree.size();
    bool sound = n > 0 && tree.feature.size() == n && tree.threshold.size() == n && tree.missing_branch.size() == n;
    for (std::size_t node = 0; sound && node < n; ++node) {
        const std::int32_t child = tree.first_child[node], feature = tree.feature[node];
        if (child < 0) continue;
        sound = index(child) > node && index(child) + 1 < n && feature >= 0 && index(feature) < columns;
    }
    if (!sound) throw std::invalid_argument("this is no tree of thresholds on these columns");
}

void number_nodes(const ThresholdTests& tree, Preorder& found) {
    struct Open {
        std::int32_t node;
        std::int64_t parent;  // whose right child it is; -1 for the root and for left children
        std::size_t depth;
    };
    std::vector<Open> open{{0, -1, 0}};
    while (!open.empty()) {
        const Open next = open.back();
        open.pop_back();
        if (found.order.size() == tree.size()) throw std::invalid_argument("two nodes of the tree have the same child");
        const auto place = static_cast<std::int64_t>(found.order.size());
        const std::int32_t child = tree.first_child[index(next.node)];
        if (next.parent >= 0) found.right[index(next.parent)] = place;
        found.order.push_back(next.node);
        found.left.push_back(child < 0 ? -1 : place + 1);
        found.right.push_back(-1);
        found.missing_left.push_back(child >= 0 && tree.missing_branch[index(next.node)] == 0);
        found.depth = std::max(found.depth, next.depth);
        if (child < 0) continue;
        open.push_back({child + 1, place, next.depth + 1});
        open.push_back({child, -1, next.depth + 1});
    }
}

// A node as rows meet it, four on a cache line; the left child stands right behind it.
struct Step {
    double threshold;
    std::int32_t feature;  // negative: a leaf
    std::int32_t right;
};

std::vector<Step> steps_of(const ThresholdTests& tree, const Preorder& nodes) {
    std::vector<Step> steps;
    steps.reserve(nodes.order.size());
    for (std::size_t at = 0; at < nodes.order.size(); ++at) {
        const std::size_t node = index(nodes.order[at]);
        const std::int32_t feature = nodes.left[at] < 0 ? -1 : tree.feature[node];
        steps.push_back({tree.threshold[node], feature, static_cast<std::int32_t>(nodes.right[at])});
    }
    return steps;
}

std::size_t leaf_of(const std::vector<Step>& steps, const Preorder& nodes, const SingleRows& rows, std::size_t row) {
    std::size_t at = 0;
    while (steps[at].feature >= 0) {
        const Step& step = steps[at];
        const double x = rows.at(row, index(step.feature));
        const bool left = std::isnan(x) ? nodes.missing_left[at] != 0 : x <= step.threshold;
        at = left ? at + 1 : index(step.right);
    }
    return at;
}

// Adds up what the leaves have: a parent stands before its children.
template <class Number>
void sum_up(const Preorder& nodes, Number* amounts) {
    for (std::size_t at = nodes.order.size(); at-- > 0;)
        if (nodes.left[at] >= 0) amounts[at] = amounts[index(nodes.left[at])] + amounts[index(nodes.right[at])];
}

void count_rows(const ThresholdTests& tree, const SingleRows& rows, const RowAmounts& amounts, Preorder& found,
                Control& control) {
    const std::size_t n = found.order.size();
    found.rows.assign(n, 0);
    if (amounts.outputs > 0) found.weight.assign(n, 0.0);
    found.sums.assign(n * amounts.outputs, 0.0);
    const std::vector<Step> steps = steps_of(tree, found);
    for (std::size_t row = 0; row < rows.rows; ++row) {
        if (row % rows_between_checks == 0) control.check();
        const std::size_t leaf = leaf_of(steps, found, rows, row);
        const double weight = amounts.weights.empty() ? 1.0 : amounts.weights[row];
        found.rows[leaf] += weight > 0;
        if (amounts.outputs > 0) found.weight[leaf] += weight;
        for (std::size_t k = 0; k < amounts.outputs; ++k)
            found.sums[k * n + leaf] += weight * amounts.targets[row * amounts.outputs + k];
    }
    sum_up(found, found.rows.data());
    if (amounts.outputs > 0) sum_up(found, found.weight.data());
    for (std::size_t k = 0; k < amounts.outputs; ++k) sum_up(found, found.sums.data() + k * n);
}

}  // namespace

Preorder lay_out(const ThresholdTests& tree, const SingleRows& rows, std::span<const std::uint8_t> complete,
                 const RowAmounts& amounts, Control& control) {
    check_tests(tree, std::min(rows.columns, complete.size()));
    Preorder found;
    for (auto* list : {&found.order, &found.left, &found.right}) list->reserve(tree.size());
    found.missing_left.reserve(tree.size());
    number_nodes(tree, found);
    count_rows(tree, rows, amounts, found, control);
    for (std::size_t at = 0; at < found.order.size(); ++at) {
        if (found.left[at] < 0 || !complete[index(tree.feature[index(found.order[at])])]) continue;
        found.missing_left[at] = found.rows[index(found.left[at])] > found.rows[index(found.right[at])];
    }
    return found;
}

}  // namespace vaglio::tree
