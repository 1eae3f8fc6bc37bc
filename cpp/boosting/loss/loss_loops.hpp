#pragma once
// Derivatives of the log loss for blocks of rows, compiled per level (base/dispatch.hpp). Every lane works for itself
// and nothing is fused, so all levels give the same bits.
#include <cstddef>

#include "base/dispatch.hpp"
#include "boosting/fixed_point.hpp"

namespace vaglio::boosting {

struct LossBlock {
    std::size_t rows, stride;                // stride: from one output of a row to the next, of `raw` and of `to`
    std::size_t outputs;                     //
    const double *raw, *y, *weight;          // weight null: all one
    double gradient_factor, hessian_factor;  // 1 / unit
    RowGradient* to;
    double* scratch;  // multinomial: outputs + 2 numbers per row
};

VAGLIO_DECLARE_LEVELS(void binomial_block(const LossBlock& block); void multinomial_block(const LossBlock& block);)

}  // namespace vaglio::boosting
