#pragma once
// A training table of bins.
#include <vector>

#include "columns/binned.hpp"
#include "tree/node.hpp"
#include "tree/table/data.hpp"

namespace vaglio::tree {

struct BinnedTable {
    TreeData layout;                    // features, values of the bins, categories, classes and number of rows
    std::vector<BinnedColumn> columns;  // per feature
    const Label* labels = nullptr;      // classification
    const double* targets = nullptr;    // regression: less the middle of their range
    const double* weights = nullptr;    // null: all one
};

}  // namespace vaglio::tree
