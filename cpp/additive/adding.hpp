#pragma once
// Adds steps of several features to the predictions of all rows.
#include <cstddef>
#include <vector>

#include "boosting/binned.hpp"

namespace vaglio::additive {

// A feature and the value of each of its slots.
struct FeatureStep {
    std::size_t feature = 0;
    std::vector<double> values;
};

// One step after the other is added to each row, so that its prediction has the same bits as if they came one by one.
void add_to_rows(const boosting::BinnedTable& table, const std::vector<FeatureStep>& steps, std::size_t count,
                 double* raw);

}  // namespace vaglio::additive
