// Walks over the nodes use a stack of their own: a tree may be deeper than the stack of the machine allows.
#include "tree/tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace vaglio::tree {

std::int32_t Tree::append(std::size_t count) {
    const std::size_t first = size(), total = first + count;
    kind.resize(total, 0);
    feature.resize(total, -1);
    threshold.resize(total, 0);
    first_child.resize(total, -1);
    n_children.resize(total, 0);
    missing_branch.resize(total, -1);
    table_start.resize(total, -1);
    weight.resize(total, 0);
    impurity.resize(total, 0);
    gain.resize(total, 0);
    strict.resize(total, 0);
    linear_start.resize(total, -1);
    linear_terms.resize(total, 0);
    value.resize(total * width, 0);
    return static_cast<std::int32_t>(first);
}

void Tree::make_leaf(std::size_t node) {
    kind[node] = static_cast<std::uint8_t>(NodeKind::leaf);
    feature[node] = -1;
    threshold[node] = 0;
    first_child[node] = -1;
    n_children[node] = 0;
    missing_branch[node] = -1;
    linear_start[node] = -1;
    linear_terms[node] = 0;
    gain[node] = 0;
    strict[node] = 0;
}

void check_structure(const Tree& tree) {
    const auto n = static_cast<std::int64_t>(tree.size());
    const auto require = [](bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    };
    require(n > 0, "the tree has no node");
    for (std::int64_t i = 0; i < n; ++i) {
        const auto node = static_cast<std::size_t>(i);
        if (tree.is_leaf(node)) continue;
        const std::int64_t first = tree.first_child[node], children = tree.n_children[node];
        require(first > i && children >= 2 && first + children <= n, "a tree node has children outside the tree");
        require(tree.missing_branch[node] >= -1 && tree.missing_branch[node] < children,
                "a tree node sends missing values to no branch");
        require(tree.table_start[node] >= -1 && tree.table_start[node] <= static_cast<std::int64_t>(tree.tables.size()),
                "a tree node's table of categories is outside the tables");
    }
}

namespace {

// The tables lie end to end: a node's table reaches to the next start.
class TableEnds {
 public:
    explicit TableEnds(const Tree& tree) {
        const auto size = static_cast<std::int64_t>(tree.tables.size());
        // A leaf has no table, whatever its start says.
        for (const std::int64_t start : tree.table_start)
            if (start >= 0 && start < size) starts_.push_back(start);
        starts_.push_back(size);
        std::sort(starts_.begin(), starts_.end());
    }
    std::int64_t operator()(std::int64_t start) const {
        const auto next = std::upper_bound(starts_.begin(), starts_.end(), start);
        return next == starts_.end() ? start : *next;
    }

 private:
    std::vector<std::int64_t> starts_;
};

void copy_node(const Tree& from, std::size_t source, const TableEnds& ends, Tree& to, std::size_t target) {
    to.kind[target] = from.kind[source];
    to.feature[target] = from.feature[source];
    to.threshold[target] = from.threshold[source];
    to.n_children[target] = from.n_children[source];
    to.missing_branch[target] = from.missing_branch[source];
    to.weight[target] = from.weight[source];
    to.impurity[target] = from.impurity[source];
    to.gain[target] = from.gain[source];
    to.strict[target] = from.strict[source];
    std::copy_n(&from.value[source * from.width], from.width, &to.value[target * to.width]);
    if (const std::int64_t start = from.table_start[source]; start >= 0 && !from.is_leaf(source)) {
        to.table_start[target] = static_cast<std::int64_t>(to.tables.size());
        to.tables.insert(to.tables.end(), from.tables.begin() + start, from.tables.begin() + ends(start));
    }
    if (const std::int64_t start = from.linear_start[source]; start >= 0) {
        const std::int64_t end = start + from.linear_terms[source];
        to.linear_start[target] = static_cast<std::int64_t>(to.linear_feature.size());
        to.linear_terms[target] = from.linear_terms[source];
        to.linear_feature.insert(to.linear_feature.end(), from.linear_feature.begin() + start,
                                 from.linear_feature.begin() + end);
        to.linear_coef.insert(to.linear_coef.end(), from.linear_coef.begin() + start, from.linear_coef.begin() + end);
    }
}

}  // namespace

Tree compact(const Tree& tree) {
    Tree result;
    const TableEnds ends(tree);
    result.width = tree.width;
    if (tree.size() == 0) return result;
    result.append(1);
    struct Visit {
        std::int32_t source, target;
    };
    std::vector<Visit> stack{{0, 0}};
    while (!stack.empty()) {
        const auto [source, target] = stack.back();
        stack.pop_back();
        const auto s = static_cast<std::size_t>(source), t = static_cast<std::size_t>(target);
        copy_node(tree, s, ends, result, t);
        if (tree.is_leaf(s)) continue;
        const std::int32_t children = tree.n_children[s];
        const std::int32_t first = result.append(static_cast<std::size_t>(children));
        result.first_child[t] = first;
        for (std::int32_t b = children - 1; b >= 0; --b) stack.push_back({tree.first_child[s] + b, first + b});
    }
    return result;
}

void graft(const Tree& fragment, std::int32_t at, Tree& tree) {
    const auto node = static_cast<std::size_t>(at);
    const std::int32_t base = tree.append(fragment.size() - 1) - 1;
    const auto offset = static_cast<std::int64_t>(tree.tables.size());
    const auto terms = static_cast<std::int64_t>(tree.linear_feature.size());
    for (std::size_t i = 0; i < fragment.size(); ++i) {
        const std::size_t t = i == 0 ? node : static_cast<std::size_t>(base) + i;
        tree.kind[t] = fragment.kind[i];
        tree.feature[t] = fragment.feature[i];
        tree.threshold[t] = fragment.threshold[i];
        tree.first_child[t] = fragment.first_child[i] < 0 ? -1 : fragment.first_child[i] + base;
        tree.n_children[t] = fragment.n_children[i];
        tree.missing_branch[t] = fragment.missing_branch[i];
        tree.table_start[t] = fragment.table_start[i] < 0 ? -1 : fragment.table_start[i] + offset;
        tree.linear_start[t] = fragment.linear_start[i] < 0 ? -1 : fragment.linear_start[i] + terms;
        tree.linear_terms[t] = fragment.linear_terms[i];
        tree.weight[t] = fragment.weight[i];
        tree.impurity[t] = fragment.impurity[i];
        tree.gain[t] = fragment.gain[i];
        tree.strict[t] = fragment.strict[i];
        std::copy_n(&fragment.value[i * tree.width], tree.width, &tree.value[t * tree.width]);
    }
    tree.tables.insert(tree.tables.end(), fragment.tables.begin(), fragment.tables.end());
    tree.linear_feature.insert(tree.linear_feature.end(), fragment.linear_feature.begin(),
                               fragment.linear_feature.end());
    tree.linear_coef.insert(tree.linear_coef.end(), fragment.linear_coef.begin(), fragment.linear_coef.end());
}

}  // namespace vaglio::tree
