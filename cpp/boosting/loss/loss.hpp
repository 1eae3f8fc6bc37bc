#pragma once
// The losses: their derivatives by the raw prediction of a row, and their mean.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "boosting/fixed_point.hpp"
#include "columns/exact_sum.hpp"

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

// What no derivative of a row, times its weight, is larger than; NaN where one is no number. Parts of a table have
// bounds of their own, and the larger ones are those of all rows.
Derivatives derivative_bounds(const Target& target, int threads);

// The units of so many rows whose derivatives are at most so large; throws std::overflow_error if they are no numbers.
FixedPoint units_of(std::size_t rows, const Derivatives& bounds, bool constant_hessian);

// Derivatives of all rows times their weights, (outputs, rows), in whole units.
struct Gradients {
    FixedPoint unit{1, 1.0, 1.0, true};
    std::vector<RowGradient> rows;
    void compute(const Target& target, int threads);  // in units that fit the largest of them
    void compute(const Target& target, const FixedPoint& units, int threads);
};

// The loss of one row, without terms that do not depend on the prediction.
double row_loss(const Target& target, std::size_t row);

// A mean loss whose terms may come in any order and from any part of the rows.
struct LossSum {
    ExactSum loss, weight;

    void add(double own, double own_weight) {
        add_loss(own, own_weight);
        weight.add(own_weight);
    }
    // So many rows that weigh one, whose losses were added alone.
    void count(std::size_t rows) { weight.add(static_cast<double>(rows)); }
    void add_loss(double own, double own_weight = 1.0) {
        // What is no number, or beyond all numbers, makes the mean so.
        if (std::isfinite(own)) {
            loss.add(own_weight * own);
        } else {
            beyond = true;
        }
    }
    LossSum& operator+=(const LossSum& other) {
        loss += other.loss;
        weight += other.weight;
        beyond = beyond || other.beyond;
        return *this;
    }
    double mean() const {
        const double total = weight.value();
        return beyond ? std::numeric_limits<double>::infinity() : total > 0 ? loss.value() / total : 0.0;
    }
    bool beyond = false;
};

// Weighted mean of the loss over the given rows: sums are exact, so that the order of the rows does not show.
double mean_loss(const Target& target, const std::vector<std::uint32_t>& rows, const double* weight, int threads);

// What the start of boosting is made of, added up in any order: the weight of each class, or the weighted numbers less
// the least of all rows, so that the mean of equal numbers is that number, and nothing is left to learn.
struct BaselineSums {
    explicit BaselineSums(const Target& target);
    void add(double y, double least, double weight);
    std::vector<double> baseline(double least) const;

    LossKind loss;
    ExactSum total;
    std::vector<ExactSum> sums;
    bool beyond = false;  // a term was beyond all numbers
};

// The constant raw predictions of least loss: where boosting starts.
std::vector<double> baseline(const Target& target, const std::vector<std::uint32_t>& rows);

// A quantile of values: without weights between the two nearest by their distance, with weights the inverse of the
// distribution function, or the mean of both ends where that is flat.
double weighted_quantile(std::vector<double>& values, const std::vector<double>& weights, double share);

}  // namespace vaglio::boosting
