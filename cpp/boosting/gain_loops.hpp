#pragma once
// Gains of all thresholds of a feature, compiled per level (base/dispatch.hpp); all levels give the same bits.
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::boosting {

// Sums of the left side of each threshold, gradient and Hessian in whole units, and of the whole node.
struct GainTask {
    std::size_t thresholds;
    const std::int64_t *gradient, *hessian, *rows;
    double gradient_unit, hessian_unit;
    double all_gradient, all_hessian, all_rows;
    double l2, least_hessian, least_rows;
};

// Writes G²/(H + l2) of both sides together, or -1 where a side is too small, and returns the largest.
VAGLIO_DECLARE_LEVELS(double threshold_gains(const GainTask& task, double* gains);)

}  // namespace vaglio::boosting
