#pragma once
// The perceptron's walk over dense rows, written once and compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio {

// A stretch of rows in C order and the linear functions that learn from them. Rows are read in blocks of eight: the
// weights of an output fill `blocks` of them, zero beyond `width`, and what lies behind a row is masked away.
struct PerceptronWalk {
    static constexpr int block = 8;
    static constexpr int most_outputs = 4;

    const double* rows;
    std::size_t width, blocks;
    std::size_t total;            // doubles in `rows`: the last rows are copied before they are read in whole blocks
    const std::int64_t* order;    // rows to visit, or null: first, first + 1, ...
    std::size_t first, count;     // of the walk, counted in visits
    const std::int32_t* labels;   // of all rows
    const double* sample_weight;  // of all rows, or null
    double rate;
    bool fit_bias;
    bool calm;            // one output that is seldom wrong: rows are answered several at a time
    int outputs;          // at most most_outputs
    std::int32_t wanted;  // the label that output 0 looks for; the others look for the following ones
    double* weights;      // outputs x blocks x 8
    double* bias;
    double* spare;         // room for one row in whole blocks
    std::int64_t* errors;  // wrong answers of each output are added
    double* doubt;         // becomes NaN if an answer was not finite
};

VAGLIO_DECLARE_LEVELS(void perceptron_walk(const PerceptronWalk&);)

}  // namespace vaglio
