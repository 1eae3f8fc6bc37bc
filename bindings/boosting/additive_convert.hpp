#pragma once
// What the bindings of additive models in memory and in passes share.
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "additive/trainer.hpp"
#include "options.hpp"

namespace additive = vaglio::additive;

// Bag, term and output of each step, and the values of all of them behind each other.
using FlatSteps = std::tuple<Array1<std::uint32_t>, Array1<std::uint32_t>, Array1<std::uint32_t>, Array1<double>>;
using StepsOfBags = std::vector<std::vector<additive::TermStep>>;
using SlotsOfBins = std::vector<Array1<std::uint8_t>>;

// The options, checked against the table.
inline additive::BagConfig checked(additive::BagConfig config, std::size_t n_features) {
    boosting::SplitConfig& split = config.step.split;
    if (config.boosted.empty()) config.boosted.assign(n_features, 1);
    split.middle_of_gaps = true;
    require(config.learning_rate > 0, "the learning rate must be positive");
    require(config.most_steps >= 1, "a term takes a step");
    require(config.step.max_leaves >= 2, "a step needs two leaves");
    require(config.boosted.size() == n_features, "one mark per feature is needed");
    require(split.monotonic.empty() || split.monotonic.size() == n_features, "one constraint per feature is needed");
    return config;
}

inline void check(const additive::StoppingConfig& config) {
    require(config.interval >= 1, "the loss is looked at every round or less often");
}

// The slot of each bin, per feature: that of missing values is the last one.
inline std::vector<std::vector<std::uint8_t>> slots_from(const SlotsOfBins& slots,
                                                         const std::vector<boosting::BinnedFeature>& features) {
    require(slots.size() == features.size(), "one list of bins per feature is needed");
    std::vector<std::vector<std::uint8_t>> own;
    for (std::size_t f = 0; f < slots.size(); ++f) {
        require(slots[f].size() == features[f].slots(), "one slot per bin is needed");
        own.emplace_back(slots[f].data(), slots[f].data() + slots[f].size());
        require(own[f].back() == *std::max_element(own[f].begin(), own[f].end()),
                "missing values are in the last slot");
    }
    return own;
}

inline std::vector<additive::Pair> pairs_from_array(const Array2<std::uint32_t>& pairs, std::size_t features) {
    require(pairs.shape(1) == 2, "a pair has two features");
    std::vector<additive::Pair> found;
    for (std::size_t p = 0; p < pairs.shape(0); ++p) {
        const std::uint32_t a = pairs.data()[2 * p], b = pairs.data()[2 * p + 1];
        require(a < features && b < features && a != b, "a pair names a feature that is not there");
        found.push_back({a, b});
    }
    return found;
}

// Something of each bag, (bags, outputs, …).
template <class Part>
NumPy<double> tables_of(const additive::Booster& booster, Part part) {
    std::vector<double> all;
    for (const auto& bag : booster.bags()) {
        const std::vector<double> own = part(*bag);
        all.insert(all.end(), own.begin(), own.end());
    }
    const std::size_t bags = booster.bags().size(), outputs = booster.outputs();
    const std::size_t width = all.size() / bags / outputs;
    return to_numpy(std::move(all), {bags, outputs, width});
}

// The bounds of the derivatives of a bag.
inline boosting::Derivatives bounds_at(const Array2<double>& bounds, std::size_t line) {
    require(bounds.shape(1) == 2 && line < bounds.shape(0), "two bounds per bag are needed");
    return {bounds.data()[2 * line], bounds.data()[2 * line + 1]};
}
