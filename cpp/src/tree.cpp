#include "vaglio/tree.hpp"

#include <algorithm>

namespace vaglio {

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
    table_start[node] = -1;
    linear_start[node] = -1;
    gain[node] = 0;
    strict[node] = 0;
}

std::size_t table_words(const Tree& tree, std::size_t node, std::uint32_t categories) {
    switch (static_cast<NodeKind>(tree.kind[node])) {
        case NodeKind::subset:
            return (categories + 31) / 32;
        case NodeKind::multiway:
            return categories;
        default:
            return 0;
    }
}

namespace {

// A linear test in the making keeps its number of terms in front of them: see TreeBuilder.
void copy_node(const Tree& from, std::size_t source, Tree& to, std::size_t target,
               const std::vector<std::uint32_t>& categories) {
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
    if (from.table_start[source] >= 0) {
        const auto words = table_words(from, source, categories[static_cast<std::size_t>(from.feature[source])]);
        const auto start = from.tables.begin() + from.table_start[source];
        to.table_start[target] = static_cast<std::int64_t>(to.tables.size());
        to.tables.insert(to.tables.end(), start, start + static_cast<std::ptrdiff_t>(words));
    }
}

}  // namespace

Tree compact(const Tree& tree, const std::vector<std::uint32_t>& categories) {
    Tree result;
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
        copy_node(tree, s, result, t, categories);
        if (tree.is_leaf(s)) continue;
        const std::int32_t children = tree.n_children[s];
        const std::int32_t first = result.append(static_cast<std::size_t>(children));
        result.first_child[t] = first;
        for (std::int32_t b = children - 1; b >= 0; --b) stack.push_back({tree.first_child[s] + b, first + b});
    }
    return result;
}

}  // namespace vaglio
