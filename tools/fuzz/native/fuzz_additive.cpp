// Additive models of any small table under any options end with a refusal, or say of the rows what their tables add up
// to; the tables of bound columns rise or fall.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "additive/trainer.hpp"
#include "boosting_input.hpp"

using namespace vaglio;
using namespace vaglio::additive;
using boosting::BinnedTable;
using boosting::LossKind;
using boosting::Target;
using vaglio_fuzz::Input;

static BagConfig any_config(Input& input, std::size_t features, bool directed) {
    BagConfig config;
    boosting::SplitConfig& split = config.step.split;
    config.learning_rate = input.flag() ? 0.05 : static_cast<double>(1 + input.below(20)) / 20;
    config.step.max_leaves = static_cast<std::uint32_t>(2 + input.below(6));
    config.boosted = input.list(features, [&] { return static_cast<std::uint8_t>(input.below(4) != 3); });
    split.middle_of_gaps = true;
    split.min_samples_leaf = 1 + input.below(5);
    split.min_hessian = input.flag() ? 1e-4 : 0;
    split.l2 = input.flag() ? 1 : input.weight();
    split.nominal_smoothing = input.flag() ? 10 : input.weight();
    if (input.flag()) split.guarded_from = static_cast<double>(input.below(6));
    if (directed && input.flag()) split.monotonic = vaglio_fuzz::any_directions(input, features);
    return config;
}

// Neighbouring bins, two or three at a time; missing values are last.
static Coarse any_coarse(Input& input, const BinnedTable& table) {
    Coarse coarse;
    for (std::size_t f = 0; f < table.features().size(); ++f) {
        const boosting::BinnedFeature& feature = table.features()[f];
        const auto width = static_cast<std::uint32_t>(1 + input.below(3));
        const std::uint32_t last = (feature.bins + width - 1) / width;
        coarse.sides.push_back({feature.nominal, last + 1});
        std::vector<std::uint8_t> column(table.rows());
        for (std::size_t i = 0; i < column.size(); ++i) {
            const std::uint32_t bin = table.bin(f, i);
            column[i] = static_cast<std::uint8_t>(bin == feature.bins ? last : bin / width);
        }
        coarse.columns.push_back(std::move(column));
    }
    return coarse;
}

static void check_sums(const BinnedTable& table, const Coarse& coarse, std::vector<Pair> pairs, const Bag& bag) {
    const Target& target = bag.target();
    const std::size_t cells = bag.pairs().size() / target.outputs;
    std::size_t offset = 0;
    for (Pair& pair : pairs) {
        pair.offset = offset;
        offset += std::size_t{coarse.sides[pair.first].slots} * coarse.sides[pair.second].slots;
    }
    for (std::size_t k = 0; k < target.outputs; ++k)
        for (std::size_t i = 0; i < target.rows; ++i) {
            double sum = bag.baseline()[k], size = std::abs(sum);
            const auto add = [&](double value) {
                sum += value;
                size += std::abs(value);
            };
            for (std::size_t f = 0; f < table.features().size(); ++f)
                add(bag.features()[k * table.slots() + table.features()[f].offset + table.bin(f, i)]);
            for (const Pair& pair : pairs) {
                const std::size_t cell = coarse.columns[pair.first][i] * std::size_t{coarse.sides[pair.second].slots} +
                                         coarse.columns[pair.second][i];
                add(bag.pairs()[k * cells + pair.offset + cell]);
            }
            const double raw = target.raw[k * target.rows + i];
            PROMISE(std::isfinite(raw));
            // Steps back and forth may be larger than what they leave.
            PROMISE(std::abs(raw - sum) <= 1e-6 * (size + 1));
        }
}

static void check_directions(const BinnedTable& table, const BagConfig& config, const Bag& bag) {
    const auto& directions = config.step.split.monotonic;
    for (std::size_t f = 0; f < directions.size(); ++f) {
        const boosting::BinnedFeature& feature = table.features()[f];
        if (feature.nominal || directions[f] == 0) continue;
        const double* values = bag.features().data() + feature.offset;
        for (std::uint32_t b = 1; b < feature.bins; ++b) {
            const double slack = 1e-9 * (std::abs(values[b]) + std::abs(values[b - 1]));
            PROMISE(directions[f] * (values[b] - values[b - 1]) >= -slack);
        }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const vaglio_fuzz::Table table(input);
    const boosting::RawTable raw = vaglio_fuzz::raw_table(table);
    const std::size_t features = raw.features.size();
    if (features == 0) return 0;
    const BinnedTable binned(raw, static_cast<std::uint32_t>(2 + input.below(20)), input.byte(), 1);
    constexpr LossKind losses[] = {LossKind::binomial, LossKind::multinomial, LossKind::squared, LossKind::poisson,
                                   LossKind::gamma};
    Target target;
    target.loss = losses[input.below(5)];
    target.rows = table.rows;
    target.outputs = target.loss == LossKind::multinomial ? table.classes : 1;
    const std::vector<double> y = vaglio_fuzz::any_targets(table, target.loss);
    target.y = y.data();
    if (input.flag()) target.weight = table.weights.data();
    const BagConfig config = any_config(input, features, target.outputs == 1);
    const std::size_t bags = 1 + input.below(3);
    // The first row has a weight, and every bag learns from it.
    std::vector<std::uint8_t> held = input.list(bags * table.rows, [&] { return std::uint8_t{input.below(4) == 3}; });
    for (std::size_t b = 0; b < bags; ++b) held[b * table.rows] = 0;
    const StoppingConfig stopping{1 + input.below(12), 1 + input.below(5), input.flag() ? 0.0 : 1e-4,
                                  1 + input.below(4)};
    const Coarse coarse = any_coarse(input, binned);
    std::vector<Pair> all, chosen;
    for (std::uint32_t a = 0; a < features; ++a)
        for (std::uint32_t b = a + 1; b < features; ++b) {
            all.push_back({a, b, 0});
            if (input.flag()) chosen.push_back({a, b, 0});
        }
    Control control;
    try {
        Trainer trainer(binned, target, held.data(), bags, config, 1);
        trainer.boost_features(stopping, control);
        for (const auto& bag : trainer.bags()) check_directions(binned, config, *bag);
        trainer.set_coarse(coarse);
        std::vector<std::uint32_t> rows(table.rows);
        for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
        for (const double gain : trainer.screen(all, rows, control)) PROMISE(gain >= 0);
        trainer.open_pairs(chosen);
        trainer.boost_pairs(stopping, control);
        for (const auto& bag : trainer.bags()) check_sums(binned, coarse, chosen, *bag);
    } catch (const std::overflow_error&) {
    }
    return 0;
}
