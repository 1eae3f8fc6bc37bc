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
static std::vector<std::vector<std::uint8_t>> any_slots(Input& input, const BinnedTable& table) {
    std::vector<std::vector<std::uint8_t>> slots;
    for (const boosting::BinnedFeature& feature : table.features()) {
        const auto width = static_cast<std::uint32_t>(1 + input.below(3));
        std::vector<std::uint8_t>& own = slots.emplace_back();
        for (std::uint32_t bin = 0; bin < feature.bins; ++bin) own.push_back(static_cast<std::uint8_t>(bin / width));
        own.push_back(static_cast<std::uint8_t>((feature.bins + width - 1) / width));
    }
    return slots;
}

static void check_sums(const Trainer& trainer, std::size_t number) {
    const PartOfRows& part = trainer.part();
    const Bag& bag = *trainer.booster().bags()[number];
    const Target& target = part.target;
    const auto steps = bag.all_steps();
    for (std::size_t k = 0; k < target.outputs; ++k)
        for (std::size_t i = 0; i < target.rows; ++i) {
            double sum = bag.start()[k], size = std::abs(sum);
            for (const TermStep& step : steps) {
                if (step.output != k) continue;
                const SlotColumn& column = part.columns[step.term];
                const std::size_t slot = column.wide ? static_cast<const std::uint16_t*>(column.data)[i]
                                                     : static_cast<const std::uint8_t*>(column.data)[i];
                PROMISE(slot < step.values.size());
                sum += step.values[slot];
                size += std::abs(step.values[slot]);
            }
            const double raw = part.scores(number)[k * target.rows + i];
            PROMISE(std::isfinite(raw));
            PROMISE(std::abs(raw - sum) <= 1e-6 * (size + 1));
        }
}

static void check_directions(const BinnedTable& table, const BagConfig& config, const Bag& bag) {
    const auto& directions = config.step.split.monotonic;
    for (std::size_t f = 0; f < directions.size(); ++f) {
        const boosting::BinnedFeature& feature = table.features()[f];
        if (feature.nominal || directions[f] == 0) continue;
        const std::vector<double> tables = bag.features();
        const double* values = tables.data() + feature.offset;
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
    const auto slots = any_slots(input, binned);
    std::vector<Pair> all, chosen;
    for (std::uint32_t a = 0; a < features; ++a)
        for (std::uint32_t b = a + 1; b < features; ++b) {
            all.push_back({a, b});
            if (input.flag()) chosen.push_back({a, b});
        }
    Control control;
    try {
        Trainer trainer(binned, target, held.data(), bags, config, 1);
        trainer.boost(stopping, control);
        for (const auto& bag : trainer.booster().bags()) check_directions(binned, config, *bag);
        trainer.set_coarse(slots);
        std::vector<std::uint32_t> rows(table.rows);
        for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
        for (const double gain : trainer.screen(all, rows, control)) PROMISE(gain >= 0);
        trainer.open_pairs(chosen);
        trainer.boost(stopping, control);
        for (std::size_t b = 0; b < bags; ++b) check_sums(trainer, b);
    } catch (const std::overflow_error&) {
    }
    return 0;
}
