#pragma once
// What the rows of a table weigh, with how often each was drawn.
#include <vector>

#include "tree/table/data.hpp"

namespace vaglio::tree {

struct RowWeights {
    std::vector<double> values;  // empty: all one
    std::vector<double> counts;  // rows, where these are neither all one nor the values
    bool integral = true;
    bool weighted = false;  // the values are more than counts of rows
    double total = 0;
    double rows = 0;         // of positive weight, as often as they were drawn
    double unit = 1;         // the given weight that a value of one stands for
    double exact_units = 0;  // RowStore has it
};

// Weights in whole proportions become whole numbers: they keep exact counts, whatever constant they were multiplied by.
RowWeights combine_weights(const TreeData& data);

}  // namespace vaglio::tree
