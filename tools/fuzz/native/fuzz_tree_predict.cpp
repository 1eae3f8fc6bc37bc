// A tree of arbitrary arrays is refused, or every row finds a leaf of it.
#include <stdexcept>

#include "input.hpp"
#include "tree/predict.hpp"
#include "tree/prune/prune.hpp"

using namespace vaglio;
using namespace vaglio::tree;

static Tree any_tree(vaglio_fuzz::Input& input) {
    Tree tree;
    const std::size_t n = 1 + input.below(24), words = input.below(8), terms = input.below(8);
    tree.width = 1 + input.below(3);
    // Half of the trees have sound links, so that the other arrays are looked at, too.
    const bool sound = input.flag();
    std::int32_t next = 1;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t kind = input.below(5);
        const std::int32_t count = kind == 3 ? 2 + static_cast<std::int32_t>(input.below(3)) : 2;
        const bool inner = kind > 0 && next + count <= static_cast<std::int32_t>(n);
        tree.kind.push_back(sound ? static_cast<std::uint8_t>(inner ? kind : 0)
                                  : static_cast<std::uint8_t>(input.index<int>()));
        tree.first_child.push_back(!sound ? input.index<std::int32_t>() : inner ? next : -1);
        tree.n_children.push_back(!sound ? input.index<std::int32_t>() : inner ? count : 0);
        if (inner) next += count;
    }
    tree.feature = input.list(n, [&] { return input.index<std::int32_t>(); });
    tree.threshold = input.list(n, [&] { return input.number(); });
    tree.missing_branch = input.list(n, [&] { return input.index<std::int32_t>(); });
    tree.table_start = input.list(n, [&] { return input.index<std::int64_t>(); });
    tree.weight = input.list(n, [&] { return input.number(); });
    tree.impurity = input.list(n, [&] { return input.number(); });
    tree.gain = input.list(n, [&] { return input.number(); });
    tree.strict = input.list(n, [&] { return static_cast<std::uint8_t>(input.flag()); });
    tree.value = input.list(n * tree.width, [&] { return input.number(); });
    tree.tables = input.list(words, [&] { return input.index<std::uint32_t>(); });
    tree.linear_start.assign(n, -1);
    tree.linear_terms.assign(n, 0);
    tree.linear_feature = input.list(terms, [&] { return input.index<std::int32_t>(); });
    tree.linear_coef = input.list(terms, [&] { return input.number(); });
    // The binding makes these from ascending offsets.
    for (std::size_t i = 0, at = 0; i < n && at < terms; ++i) {
        const std::size_t count = input.below(terms - at + 1);
        if (count == 0) continue;
        tree.linear_start[i] = static_cast<std::int64_t>(at);
        tree.linear_terms[i] = static_cast<std::int32_t>(count);
        at += count;
    }
    return tree;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    vaglio_fuzz::Input input(data, size);
    const std::size_t n_numeric = input.below(4), n_nominal = input.below(3), rows = input.below(6);
    const auto categories = input.list(n_nominal, [&] { return static_cast<std::uint32_t>(input.below(70)); });
    std::vector<Feature> features;
    for (std::uint32_t j = 0; j < n_numeric; ++j) features.push_back({false, j});
    for (std::uint32_t j = 0; j < n_nominal; ++j) features.push_back({true, j});
    const Tree tree = any_tree(input);
    Control control;
    try {
        check_structure(tree);
        const PruningPath path = cost_complexity_path(tree, input.flag() ? Risk::impurity : Risk::error, control);
        PROMISE(path.alphas.size() == path.leaves.size());
        prune_cost_complexity(tree, Risk::impurity, input.number(), control);
    } catch (const std::invalid_argument&) {
    }
    try {
        const TreePredictor predictor(tree, features, categories);
        PROMISE(predictor.numeric_columns() <= n_numeric && predictor.code_columns() <= n_nominal);
        const auto numbers = input.list(rows * n_numeric, [&] { return input.number(); });
        const auto codes = input.list(rows * n_nominal, [&] { return input.index<std::int32_t>(); });
        const PredictRows asked{rows, numbers.data(), n_numeric, codes.data(), n_nominal};
        for (const std::int32_t leaf : predictor.apply(asked, 1, control))
            PROMISE(leaf >= 0 && static_cast<std::size_t>(leaf) < tree.size() &&
                    tree.is_leaf(static_cast<std::size_t>(leaf)));
        const auto sums = predictor.predict(asked, tree.value, tree.width, 1, control);
        PROMISE(sums.size() == rows * tree.width);
        for (std::size_t i = 0; i < rows; ++i) {
            std::vector<std::int32_t> own;
            for (std::size_t j = 0; j < n_nominal; ++j) own.push_back(codes[j * rows + i]);
            std::vector<double> one(tree.width);
            predictor.predict_row(numbers.data() + i * n_numeric, own.data(), tree.value.data(), tree.width,
                                  one.data());
            for (std::size_t c = 0; c < tree.width; ++c)
                PROMISE(one[c] == sums[i * tree.width + c] ||
                        (one[c] != one[c] && sums[i * tree.width + c] != sums[i * tree.width + c]));
        }
        const auto paths = predictor.decision_path(asked, 1, control);
        PROMISE(paths.offsets.size() == rows + 1);
        for (const std::int32_t node : paths.nodes) PROMISE(node >= 0 && static_cast<std::size_t>(node) < tree.size());
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
