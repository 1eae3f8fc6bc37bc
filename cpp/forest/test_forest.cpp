// Forests are the same for any number of threads; traversal, bags and similarity agree with plain loops.
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "boosting/predict.hpp"
#include "forest/ranked/ranked.hpp"
#include "forest/similarity.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

constexpr std::size_t rows = 400, numeric_columns = 3;

// Whole numbers as their own ranks, one nominal column, some values missing; the class depends on two columns.
struct Example {
    std::vector<std::uint32_t> ranks = std::vector<std::uint32_t>(rows * numeric_columns);
    std::vector<double> values;
    std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows);
    std::vector<std::int64_t> labels = std::vector<std::int64_t>(rows);
    std::vector<double> numeric = std::vector<double>(rows * numeric_columns);
    TreeData data;

    Example() {
        Random random(1);
        for (int v = 0; v < 50; ++v) values.push_back(v);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < numeric_columns; ++j) {
                const auto rank = static_cast<std::uint32_t>(random.below(50));
                const bool missing = random.below(20) == 0;
                ranks[j * rows + i] = missing ? missing_rank : rank;
                numeric[i * numeric_columns + j] = missing ? std::numeric_limits<double>::quiet_NaN() : rank;
            }
            codes[i] = static_cast<std::int32_t>(random.below(5)) - (random.below(20) == 0 ? 5 : 0);
            codes[i] = codes[i] < 0 ? -1 : codes[i];
            labels[i] = (ranks[i] > 20) != (codes[i] == 2) ? 1 : 0;
        }
        data.rows = rows;
        data.features = {{false, 0}, {true, 0}, {false, 1}, {false, 2}};
        data.ranks = ranks.data();
        data.values.assign(numeric_columns, std::span<const double>(values));
        data.codes = codes.data();
        data.categories = {5};
        data.classes = 2;
        data.labels = labels.data();
    }

    ForestRows forest_rows() const { return {rows, data.features, numeric.data(), numeric_columns, codes.data(), 1}; }
};

ForestConfig config_of(int threads) {
    ForestConfig config;
    config.n_trees = 9;
    config.draws = rows;
    config.seed = 42;
    config.threads = threads;
    config.tree.max_features = 2;
    return config;
}

bool same(const Forest& a, const Forest& b) {
    return a.starts == b.starts && a.tables == b.tables && a.leaves == b.leaves && a.importances == b.importances &&
           a.nodes.size() == b.nodes.size() &&
           std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(ForestNode)) == 0;
}

std::int32_t walk(const ForestView& view, std::size_t tree, const ForestRows& table, std::size_t row) {
    const ForestNode* nodes = view.tree(tree);
    std::int32_t at = 0;
    while (nodes[at].link >= 0) {
        const std::uint32_t feature = nodes[at].feature & ~missing_right;
        const Feature& tested = table.features[feature];
        bool right = (nodes[at].feature & missing_right) != 0;
        if (tested.nominal) {
            const std::int32_t code = table.codes[row * table.n_nominal + tested.column];
            const auto start = static_cast<std::size_t>(nodes[at].threshold);
            if (code >= 0) right = view.tables[start + static_cast<std::size_t>(code) / 32] >> (code % 32) & 1;
        } else {
            const double x = table.numeric[row * table.n_numeric + tested.column];
            if (!std::isnan(x)) right = x > nodes[at].threshold;
        }
        at = nodes[at].link + right;
    }
    return at;
}

void test_forest() {
    Control control;
    const Example example;
    const Forest forest = grow_forest(example.data, config_of(1), control);
    for (const int threads : {2, 7}) CHECK(same(forest, grow_forest(example.data, config_of(threads), control)));

    const std::vector<std::uint32_t> categories{0, 5, 0, 0};
    const ForestView view{forest.nodes, forest.starts, forest.tables, categories};
    const ForestRows table = example.forest_rows();
    const auto leaves = apply_forest(view, table, 3, control);
    bool agree = true;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t t = 0; t < view.n_trees(); ++t) {
            agree &= leaves[i * view.n_trees() + t] == forest.starts[t] + walk(view, t, table, i);
        }
    }
    CHECK(agree);

    const Bags bags = draw_bags(42, 9, rows, rows, 2);
    const auto all = predict_forest(view, table, forest.leaves, 2, {}, 2, control);
    const auto unseen = predict_forest(view, table, forest.leaves, 2, bags, 2, control);
    for (std::size_t t = 0; t < 9; ++t) {
        const auto bag = draw_bag(42, t, rows, rows);
        for (std::size_t i = 0; i < rows; ++i) CHECK(bags.drawn(t, i) == (bag[i] > 0));
    }
    for (std::size_t i = 0; i < rows; ++i) {
        std::uint32_t asked = 0;
        for (std::size_t t = 0; t < 9; ++t) asked += !bags.drawn(t, i);
        CHECK(all.trees[i] == 9 && unseen.trees[i] == asked);
    }
    const auto one = permutation_importance(view, table, forest.leaves, 2, example.labels, {}, bags, 42, 1, control);
    CHECK(one == permutation_importance(view, table, forest.leaves, 2, example.labels, {}, bags, 42, 3, control));
}

// Ranks lead every row where its numbers lead it: with and without categories and missing values.
void test_ranked() {
    Control control;
    Example example;
    for (const bool plain : {false, true}) {
        if (plain) {
            example.data.features = {{false, 0}, {false, 1}, {false, 2}};
            for (auto& rank : example.ranks) rank = rank == missing_rank ? 7 : rank;
            for (auto& x : example.numeric) x = std::isnan(x) ? 7 : x;
        }
        const Forest forest = grow_forest(example.data, config_of(1), control);
        const auto categories = plain ? std::vector<std::uint32_t>{0, 0, 0} : std::vector<std::uint32_t>{0, 5, 0, 0};
        const ForestView view{forest.nodes, forest.starts, forest.tables, categories};
        ForestRows table = example.forest_rows();
        if (plain) table.n_nominal = 0;
        const auto expected = predict_forest(view, table, forest.leaves, 2, {}, 1, control);
        for (const int threads : {1, 3}) {
            forest::RankedForestOnce once;
            const auto* ranked = once.get(view, 1000, threads, control);
            CHECK(ranked != nullptr);
            const auto found = predict_forest(view, table, forest.leaves, 2, {}, threads, control, ranked);
            CHECK(found.sums == expected.sums && found.trees == expected.trees);
        }
    }
}

// One row at a time: the bits of many rows at once, as sums of contents and as sums per output.
void test_single_rows() {
    Control control;
    const Example example;
    const Forest forest = grow_forest(example.data, config_of(1), control);
    const std::vector<std::uint32_t> categories{0, 5, 0, 0};
    const ForestView view{forest.nodes, forest.starts, forest.tables, categories};
    const ForestRows table = example.forest_rows();
    const auto expected = predict_forest(view, table, forest.leaves, 2, {}, 1, control);
    std::vector<double> first;  // of every leaf
    for (std::size_t leaf = 0; leaf < forest.leaves.size(); leaf += 2) first.push_back(forest.leaves[leaf]);
    const std::vector<double> start{0.5, -1, 3};
    const auto raw = boosting::predict_raw(view, table, first, start, 0, 9, 1, control);
    for (std::size_t i = 0; i < rows; ++i) {
        const double missing = std::numeric_limits<double>::quiet_NaN();
        const double* numbers = example.numeric.data() + i * numeric_columns;
        const double x[] = {numbers[0], example.codes[i] < 0 ? missing : example.codes[i], numbers[1], numbers[2]};
        double sums[2] = {};
        predict_forest_row(view, x, forest.leaves.data(), 2, sums);
        CHECK(sums[0] == expected.sums[2 * i] && sums[1] == expected.sums[2 * i + 1]);
        std::vector<double> outputs = start;
        predict_outputs_row(view, x, first.data(), 3, outputs.data());
        for (std::size_t k = 0; k < 3; ++k) CHECK(outputs[k] == raw[3 * i + k]);
    }
}

// Two trees that together have more thresholds than two bytes can number are ranked one by one.
void test_ranks_of_many_thresholds() {
    Control control;
    constexpr std::int32_t tests = 40000;
    std::vector<ForestNode> nodes;
    for (int tree = 0; tree < 2; ++tree) {  // a chain: test, leaf, test, leaf, …; the smaller numbers leave it first
        nodes.push_back({tree * 0.5, 1, 0});
        for (std::int32_t i = 1; i <= tests; ++i) {
            nodes.push_back({0.0, ~(i % 3), 0});
            nodes.push_back({i + tree * 0.5, i < tests ? 2 * i + 1 : ~3, 0});
        }
    }
    const std::vector<std::int64_t> starts{0, 2 * tests + 1, 4 * tests + 2};
    const std::vector<std::uint32_t> categories{0};
    const ForestView view{nodes, starts, {}, categories};
    const std::vector<Feature> features{{false, 0}};
    const std::vector<double> x{-1, 0, 0.25, 17.5, 39999, 39999.5, 1e9}, values{1, 10, 100, 1000};
    const ForestRows table{x.size(), features, x.data(), 1, nullptr, 0};
    const auto expected = predict_forest(view, table, values, 1, {}, 1, control);
    forest::RankedForestOnce once;
    const auto* ranked = once.get(view, 1000000, 2, control);
    CHECK(ranked != nullptr);
    CHECK(predict_forest(view, table, values, 1, {}, 1, control, ranked).sums == expected.sums);
}

void test_similarity() {
    Control control;
    const std::size_t n = 300, trees = 7, kinds = 11;
    Random random(3);
    std::vector<std::int32_t> leaves(n * trees);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        leaves[i] = static_cast<std::int32_t>(random.below(kinds) + kinds * (i % trees));
    }
    const LeafRows table{leaves.data(), n};
    const std::vector<double> weights{1, 2, 0.5, 1, 1, 3, 0.25};
    for (const bool weighted : {false, true}) {
        SimilarityConfig config{trees, kinds * trees, {}, 0, 3};
        if (weighted) config.tree_weights = weights;
        const SimilarRows found = leaf_similarity(table, table, config, control);
        const auto squares = squared_similarity(table, table, {}, {}, config, control);
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
                double shared = 0, total = 0;
                for (std::size_t t = 0; t < trees; ++t) {
                    const double w = weighted ? weights[t] : 1;
                    total += w;
                    shared += leaves[i * trees + t] == leaves[j * trees + t] ? w : 0;
                }
                if (shared == 0) continue;
                CHECK(found.columns[at] == static_cast<std::int32_t>(j));
                CHECK(std::abs(found.values[at++] - shared / total) < 1e-12);
                sum += shared / total * (shared / total);
            }
            CHECK(at == static_cast<std::size_t>(found.offsets[i + 1]));
            CHECK(std::abs(squares[i] - sum) < 1e-9);
        }
    }
}

}  // namespace

int main() {
    test_forest();
    test_ranked();
    test_single_rows();
    test_ranks_of_many_thresholds();
    test_similarity();
    return check_result();
}
