#pragma once
// One step of one feature: a small tree over its bins, as one value per bin.
#include <cstdint>
#include <vector>

#include "boosting/split.hpp"

namespace vaglio::additive {

struct StepConfig {
    boosting::SplitConfig split;
    std::uint32_t max_leaves = 3;
};

// What a step knows of the rows: the sums of a feature's bins, the bin of missing values last.
struct StepTask {
    const StepConfig& config;
    const boosting::BinnedFeature& feature;
    std::size_t number;  // of the feature
    const boosting::FixedPoint& unit;
    double noise;  // mean squared gradient per Hessian
    const boosting::GradientSums* bins;
};

// The Newton step of each bin's leaf; false, and no values, where no split gains anything.
bool take_step(const StepTask& task, std::vector<double>& values);

}  // namespace vaglio::additive
