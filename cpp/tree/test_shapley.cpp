// Shapley values of deep trees: no recursion, and the shares add up to the prediction.
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "tree/shapley.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

// A chain of tests of three features in turn: every left child is a leaf, of weight 1.
Tree chain(std::int32_t length) {
    Tree tree;
    tree.append(1);
    tree.weight[0] = length + 1;
    for (std::int32_t i = 0; i < length; ++i) {
        const auto node = static_cast<std::size_t>(2 * i);
        const std::int32_t child = tree.append(2);
        tree.kind[node] = static_cast<std::uint8_t>(NodeKind::threshold);
        tree.feature[node] = i % 3;
        tree.first_child[node] = child;
        tree.n_children[node] = 2;
        tree.weight[static_cast<std::size_t>(child)] = 1;
        tree.weight[static_cast<std::size_t>(child) + 1] = length - i;
    }
    return tree;
}

void test_a_deep_chain() {
    const std::int32_t length = 20000;
    const Tree tree = chain(length);
    const ShapleyTree shapley(shapley_nodes(tree), 4);
    ShapleyWalk walk(shapley);
    for (const std::int32_t last : {0, 1, 77, length - 1}) {
        // The row stays on the chain up to a node, and leaves it there.
        const auto branch = [&](std::int32_t node) { return node < 2 * last ? 1 : 0; };
        const auto value = [](std::int32_t node) { return static_cast<double>(node); };
        double found[4] = {};
        const double nothing_known = walk.add(branch, value, found);
        const double total = std::accumulate(found, found + 4, nothing_known);
        CHECK(std::abs(total - (2 * last + 1)) < 1e-7 * length);
        CHECK(found[3] == 0);
    }
}

// Without rows to share out by, the first branch stands for all, as in a prediction.
void test_a_node_without_training_rows() {
    Tree tree = chain(1);
    for (auto& weight : tree.weight) weight = 0;
    const ShapleyTree shapley(shapley_nodes(tree), 3);
    ShapleyWalk walk(shapley);
    double found[3] = {};
    const double nothing_known =
        walk.add([](std::int32_t) { return 1; }, [](std::int32_t node) { return node * 10.0; }, found);
    CHECK(nothing_known == 10);
    CHECK(std::abs(found[0] - 10) < 1e-12);
}

}  // namespace

int main() {
    test_a_deep_chain();
    test_a_node_without_training_rows();
    return check_result();
}
