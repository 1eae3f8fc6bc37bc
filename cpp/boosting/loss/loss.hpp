#pragma once
// The losses: their derivatives by the raw prediction of a row, and their mean.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/fixed_point.hpp"

namespace vaglio::boosting {

// binomial: y in {0, 1}, raw = log-odds. multinomial: y a class code, raw = one score per class. squared: half the
// square. absolute, quantile: raw = the median, the quantile. poisson, gamma: half the deviance, raw = log of the mean.
enum class LossKind : std::uint8_t { binomial, multinomial, squared, absolute, quantile, poisson, gamma };

struct Derivatives {
    double gradient, hessian;
};

struct Target {
    LossKind loss = LossKind::squared;
    double quantile = 0.5;
    std::size_t rows = 0;
    std::size_t outputs = 1;         // raw predictions per row
    const double* y = nullptr;       //
    const double* weight = nullptr;  // null: all one
    const double* raw = nullptr;     // (outputs, rows)

    bool constant_hessian() const {
        return !weight && (loss == LossKind::squared || loss == LossKind::absolute || loss == LossKind::quantile);
    }
    // Whether leaves take a quantile of the residuals instead of a Newton step.
    bool leaf_quantiles() const { return loss == LossKind::absolute || loss == LossKind::quantile; }
};

// The derivatives of one row, unweighted, by one of its raw predictions. Loops over many rows have their own form.
Derivatives derivatives(const Target& target, std::size_t row, std::size_t output);

// Derivatives of all rows times their weights, (outputs, rows), in units that fit the largest of them.
struct Gradients {
    FixedPoint unit{1, 1.0, 1.0, true};
    std::vector<RowGradient> rows;
    void compute(const Target& target, int threads);
};

// The loss of one row, without terms that do not depend on the prediction.
double row_loss(const Target& target, std::size_t row);

// Weighted mean of the loss over the given rows, added up in fixed blocks.
double mean_loss(const Target& target, const std::vector<std::uint32_t>& rows, const double* weight, int threads);

// The constant raw predictions of least loss: where boosting starts.
std::vector<double> baseline(const Target& target, const std::vector<std::uint32_t>& rows);

// A quantile of values: without weights between the two nearest by their distance, with weights the inverse of the
// distribution function, or the mean of both ends where that is flat.
double weighted_quantile(std::vector<double>& values, const std::vector<double>& weights, double share);

}  // namespace vaglio::boosting
