// Forests with sound links and any other numbers, as a file may hold them: all ways to predict agree with a slow walk.
#include "boosting/predict.hpp"
#include "forest/forest.hpp"
#include "forest/similarity.hpp"
#include "input.hpp"

using namespace vaglio;
using vaglio_fuzz::Input;

struct AnyForest {
    std::size_t n_numeric, n_nominal, contents;
    std::vector<Feature> features;
    std::vector<std::uint32_t> categories, tables;
    std::vector<ForestNode> nodes;
    std::vector<std::int64_t> starts{0};

    explicit AnyForest(Input& input)
        : n_numeric(input.below(4)), n_nominal(input.below(3)), contents(1 + input.below(5)) {
        for (std::uint32_t j = 0; j < n_numeric; ++j) features.push_back({false, j});
        for (std::uint32_t j = 0; j < n_nominal; ++j) features.push_back({true, j});
        for (const Feature& feature : features)
            categories.push_back(feature.nominal ? static_cast<std::uint32_t>(1 + input.below(70)) : 0);
        tables = input.list(3 + input.below(6), [&] { return input.raw<std::uint32_t>(); });
        for (std::size_t trees = 1 + input.below(20); trees-- > 0;) add_tree(input);
    }

    ForestView view() const { return {nodes, starts, tables, categories}; }

 private:
    void add_tree(Input& input) {
        const std::size_t count = 1 + 2 * input.below(8);
        std::int32_t next = 1;
        for (std::size_t i = 0; i < count; ++i) {
            // A node whose children have their places behind it; as many inner nodes as leaves can follow.
            const bool inner = !features.empty() && static_cast<std::size_t>(next) < count &&
                               (static_cast<std::size_t>(next) == i + 1 || input.flag());
            nodes.push_back(inner ? test(input, next) : leaf(input));
            if (inner) next += 2;
        }
        starts.push_back(static_cast<std::int64_t>(nodes.size()));
    }
    ForestNode leaf(Input& input) const {
        return {input.number(), ~static_cast<std::int32_t>(input.below(contents)), input.raw<std::uint32_t>()};
    }
    ForestNode test(Input& input, std::int32_t child) const {
        const std::size_t feature = input.below(features.size());
        const std::size_t words = (categories[feature] + 31) / 32;
        const double threshold = input.number();
        const double place = static_cast<double>(input.below(tables.size() - words + 1));
        const std::uint32_t side = input.flag() ? missing_right : 0;
        return {features[feature].nominal ? place : threshold, child, static_cast<std::uint32_t>(feature) | side};
    }
};

// One row down one tree, step by step.
static std::size_t walk(const AnyForest& forest, std::size_t tree, const double* x) {
    std::int64_t at = forest.starts[tree];
    while (forest.nodes[static_cast<std::size_t>(at)].link >= 0) {
        const ForestNode& node = forest.nodes[static_cast<std::size_t>(at)];
        const std::size_t feature = node.feature & ~missing_right;
        const double value = x[feature];
        const bool known =
            forest.features[feature].nominal ? value >= 0 && value < forest.categories[feature] : value == value;
        bool right = (node.feature & missing_right) != 0;
        if (known && forest.features[feature].nominal) {
            const auto code = static_cast<std::size_t>(value);
            right = forest.tables[static_cast<std::size_t>(node.threshold) + code / 32] >> (code % 32) & 1;
        } else if (known) {
            right = value > node.threshold;
        }
        at = forest.starts[tree] + node.link + right;
    }
    return static_cast<std::size_t>(at);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const AnyForest forest(input);
    const std::size_t n = 1 + input.below(40), width = 1 + input.below(3), trees = forest.starts.size() - 1;
    const auto numbers = input.list(n * forest.n_numeric, [&] { return input.number(); });
    const auto codes = input.list(n * forest.n_nominal, [&] { return input.index<std::int32_t>(); });
    const auto values = input.list(forest.contents * width, [&] { return static_cast<double>(input.below(9)); });
    const ForestView view = forest.view();
    const ForestRows rows{n, forest.features, numbers.data(), forest.n_numeric, codes.data(), forest.n_nominal};
    Control control;
    const auto leaves = apply_forest(view, rows, 1, control);
    const auto sums = predict_forest(view, rows, values, width, {}, 1, control).sums;
    const std::vector<double> start(width, 0.0);
    const auto raw = boosting::predict_raw(view, rows, values, start, 0, trees, 1, control);
    PROMISE(leaves.size() == n * trees && sums.size() == n * width && raw.size() == n * width);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> x(numbers.data() + i * forest.n_numeric, numbers.data() + (i + 1) * forest.n_numeric);
        for (std::size_t j = 0; j < forest.n_nominal; ++j) {
            const std::int32_t code = codes[i * forest.n_nominal + j];
            x.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN() : code);
        }
        std::vector<double> told(width), one(width), added(width);
        for (std::size_t t = 0; t < trees; ++t) {
            const std::size_t leaf = walk(forest, t, x.data());
            PROMISE(leaves[i * trees + t] == static_cast<std::int32_t>(leaf));
            const auto content = static_cast<std::size_t>(~forest.nodes[leaf].link);
            for (std::size_t c = 0; c < width; ++c) told[c] += values[content * width + c];
            added[t % width] += values[content];
        }
        predict_forest_row(view, x.data(), values.data(), width, one.data());
        for (std::size_t c = 0; c < width; ++c) {
            PROMISE(sums[i * width + c] == told[c] && one[c] == told[c]);
            PROMISE(raw[i * width + c] == added[c]);
        }
    }
    SimilarityConfig config{trees, forest.nodes.size(), {}, input.below(4), 1};
    const SimilarRows alike = leaf_similarity({leaves.data(), n}, {leaves.data(), n}, config, control);
    PROMISE(alike.offsets.size() == n + 1 && alike.values.size() == alike.columns.size());
    for (std::size_t i = 0; i < n; ++i) PROMISE(alike.offsets[i] < alike.offsets[i + 1]);  // a row is like itself
    return 0;
}
