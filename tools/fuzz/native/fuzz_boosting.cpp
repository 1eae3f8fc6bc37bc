// Boosted trees of any small table under any options end with a refusal, or say of the training rows what the trainer
// says.
#include <cmath>
#include <stdexcept>

#include "boosting/predict.hpp"
#include "boosting/trainer.hpp"
#include "boosting_input.hpp"

using namespace vaglio;
using namespace vaglio::boosting;
using vaglio_fuzz::Input;

static TrainerConfig any_config(Input& input, std::size_t features, bool directed) {
    TrainerConfig config;
    GrowthConfig& growth = config.growth;
    SplitConfig& split = growth.split;
    config.learning_rate = input.flag() ? 0.1 : input.weight();
    config.subsample = input.flag() ? 1.0 : 0.5;
    config.seed = input.byte();
    config.track_loss = input.flag();
    config.refit = input.flag();
    growth.max_leaves = input.below(9) == 1 ? 0 : 2 + input.below(9);
    growth.max_depth = static_cast<std::uint32_t>(input.below(5));
    growth.level_wise = input.flag();
    growth.max_features = input.flag() ? 1.0 : 0.3;
    if (input.flag())
        for (std::size_t groups = input.below(3); groups-- > 0;)
            growth.interactions.push_back(input.list(
                1 + input.below(features), [&] { return static_cast<std::uint32_t>(input.below(features)); }));
    split.min_samples_leaf = 1 + input.below(5);
    split.min_hessian = input.flag() ? 1e-3 : 0;
    split.min_gain = input.flag() ? 0 : input.weight();
    split.l2 = input.flag() ? 1 : input.weight();
    split.nominal_smoothing = input.flag() ? 10 : input.weight();
    split.nominal_l2 = input.flag() ? 0 : input.weight();
    if (input.flag()) split.guarded_from = static_cast<double>(input.below(6));
    split.middle_of_gaps = input.flag();
    if (directed && input.flag()) split.monotonic = vaglio_fuzz::any_directions(input, features);
    return config;
}

static void check_predictions(const vaglio_fuzz::Table& table, const RawTable& raw, const Trainer& trainer,
                              Control& control) {
    const BoostedTrees& trees = trainer.trees();
    std::vector<std::uint32_t> categories;
    for (const Feature& feature : raw.features)
        categories.push_back(feature.nominal ? raw.categories[feature.column] : 0);
    std::vector<std::int32_t> codes(table.codes.size());
    for (std::size_t i = 0; i < table.rows; ++i)
        for (std::size_t j = 0; j < table.n_nominal; ++j)
            codes[i * table.n_nominal + j] = table.codes[j * table.rows + i];
    std::vector<double> values;
    for (std::size_t i = 0; i < trees.leaves.size(); i += 2) values.push_back(trees.leaves[i]);
    const ForestView view{trees.nodes, trees.starts, trees.tables, categories};
    const ForestRows rows{table.rows,      raw.features, table.numbers.data(),
                          table.n_numeric, codes.data(), table.n_nominal};
    const std::size_t outputs = trainer.target().outputs;
    const auto found = predict_raw(view, rows, values, trainer.baseline(), 0, view.n_trees(), 1, control);
    for (std::size_t i = 0; i < table.rows; ++i)
        for (std::size_t k = 0; k < outputs; ++k) {
            const double one = found[i * outputs + k], other = trainer.raw()[k * table.rows + i];
            PROMISE(one == other);
        }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const vaglio_fuzz::Table table(input);
    const RawTable raw = vaglio_fuzz::raw_table(table);
    if (raw.features.empty()) return 0;
    const BinnedTable binned(raw, static_cast<std::uint32_t>(2 + input.below(20)), input.byte(), 1);
    Target target;
    target.loss = static_cast<LossKind>(input.below(7));
    target.quantile = static_cast<double>(input.below(11)) / 10;
    target.rows = table.rows;
    target.outputs = target.loss == LossKind::multinomial ? table.classes : 1;
    const std::vector<double> y = vaglio_fuzz::any_targets(table, target.loss);
    target.y = y.data();
    if (input.flag()) target.weight = table.weights.data();
    // Rows that are not learned from are watched; the first one has a weight.
    std::vector<std::uint32_t> training{0}, validation;
    for (std::uint32_t i = 1; i < table.rows; ++i) (input.below(4) == 3 ? validation : training).push_back(i);
    const TrainerConfig config = any_config(input, raw.features.size(), target.outputs == 1);
    Control control;
    try {
        Trainer trainer(binned, target, training, validation, config);
        trainer.advance(1 + input.below(4), control);
        for (const double value : trainer.raw()) PROMISE(std::isfinite(value));
        check_predictions(table, raw, trainer, control);
    } catch (const std::overflow_error&) {
    }
    return 0;
}
