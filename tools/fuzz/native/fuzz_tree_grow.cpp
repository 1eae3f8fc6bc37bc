// A tree and a forest of any small table under any options: whole, and applicable to rows of any kind.
#include "forest/forest.hpp"
#include "input.hpp"
#include "tree/grow.hpp"
#include "tree/predict.hpp"

using namespace vaglio;
using namespace vaglio::tree;
using vaglio_fuzz::Input;

static TreeConfig any_config(Input& input, bool regression, std::size_t features) {
    TreeConfig config;
    config.criterion = regression ? Criterion::squared_error : static_cast<Criterion>(input.below(4));
    config.nominal_split = static_cast<NominalSplit>(input.below(2));
    config.missing = static_cast<MissingPolicy>(input.below(3));
    config.average_gain_condition = input.flag();
    config.reuse_nominal = input.flag();
    config.require_positive_gain = input.flag();
    config.strict = input.flag();
    config.mdl_correction = input.flag();
    config.c45_numeric_minimum = input.flag();
    config.oblique = !regression && input.flag();
    if (input.flag()) config.guarded_from = static_cast<double>(input.below(6));
    config.random_thresholds = input.flag();
    config.min_gain = input.flag() ? 0 : 0.01;
    if (input.flag()) config.max_depth = static_cast<std::uint32_t>(input.below(6));
    config.min_rows_split = static_cast<double>(2 + input.below(4));
    config.min_rows_leaf = static_cast<double>(1 + input.below(4));
    config.min_weight_fraction = input.flag() ? 0 : 0.1;
    if (input.flag()) config.max_leaf_nodes = static_cast<std::uint32_t>(2 + input.below(6));
    if (input.flag()) config.chi2_alpha = 0.05;
    if (features > 0 && input.flag()) config.max_features = static_cast<std::uint32_t>(1 + input.below(features));
    if (input.flag()) config.max_bins = static_cast<std::uint32_t>(2 + input.below(6));
    if (!regression) config.pruning = static_cast<Pruning>(input.below(3));
    config.seed = input.byte();
    config.subtree_raising = input.flag();
    return config;
}

static void check_forest(Input& input, const vaglio_fuzz::Table& table, const TreeData& data, TreeConfig config,
                         Control& control) {
    config.missing = MissingPolicy::learned;
    config.nominal_split = NominalSplit::subset;
    config.strict = config.oblique = false;
    config.pruning = Pruning::none;
    const ForestConfig chosen{config, 1 + input.below(3), input.flag() ? data.rows : 0, 0, input.byte(), 1};
    const Forest forest = grow_forest(data, chosen, control);
    std::vector<std::uint32_t> categories;
    for (const Feature& feature : data.features)
        categories.push_back(feature.nominal ? data.categories[feature.column] : 0);
    const ForestView view{forest.nodes, forest.starts, forest.tables, categories};
    std::vector<std::int32_t> codes(table.codes.size());  // row after row, and some that no training row had
    for (std::size_t i = 0; i < table.rows; ++i)
        for (std::size_t j = 0; j < table.n_nominal; ++j)
            codes[i * table.n_nominal + j] =
                input.flag() ? input.index<std::int32_t>() : table.codes[j * table.rows + i];
    const ForestRows rows{table.rows,      data.features, table.numbers.data(),
                          table.n_numeric, codes.data(),  table.n_nominal};
    for (const std::int32_t leaf : apply_forest(view, rows, 1, control))
        PROMISE(leaf >= 0 && static_cast<std::size_t>(leaf) < forest.nodes.size());
    PROMISE(predict_forest(view, rows, forest.leaves, forest.leaf_width, {}, 1, control).sums.size() ==
            table.rows * forest.leaf_width);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const bool regression = input.byte() % 4 == 0, weighted = input.flag(), drawn = input.flag();
    const vaglio_fuzz::Table table(input);
    const TreeData rows = table.data(regression, weighted, drawn);
    const TreeConfig config = any_config(input, regression, rows.features.size());
    Control control;
    const Tree tree = learn_tree(rows, config, 1, control);
    check_structure(tree);
    for (const double value : tree.value) PROMISE(value - value == 0);
    const TreePredictor predictor(tree, rows.features, rows.categories);
    const PredictRows asked{table.rows, table.numbers.data(), table.n_numeric, table.codes.data(), table.n_nominal};
    for (const std::int32_t leaf : predictor.apply(asked, 1, control))
        PROMISE(tree.is_leaf(static_cast<std::size_t>(leaf)));
    if (!drawn) check_forest(input, table, rows, config, control);
    return 0;
}
