#pragma once
// How pure a set of rows is. The purity P of a set is written so that the gain of a split times N is
// ΣP(branches) − P(node), with the same arithmetic for numeric and nominal tests:
//   entropy: Σ c·log2 c − n·log2 n;  gini: Σ c² / n;  error: max c;  squared error: (Σ w·y)² / Σ w;
//   Poisson: Σ w·y · ln(Σ w·y / Σ w);  absolute error: −Σ w·|y − median|, which only the rows tell (tree/loss).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "base/logarithm.hpp"
#include "tree/config.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {

// Class weights, or {Σ w·y, Σ w·y²} for regression, and the weight of a set of rows.
struct Totals {
    std::span<const double> sums;
    double weight;
};

// A mean of zero would make any count to come infinitely unlikely: no branch may have it.
VAGLIO_INLINE double poisson_purity(double sum, double weight) {
    return sum > 0 ? sum * portable_log(sum / weight) : -std::numeric_limits<double>::infinity();
}

class Scorer {
 public:
    Scorer(Criterion criterion, std::shared_ptr<const LogTable> table, const Outputs* outputs = nullptr)
        : criterion_(criterion), table_(std::move(table)), outputs_(outputs) {}

    Criterion criterion() const { return criterion_; }
    bool entropy() const { return criterion_ == Criterion::gain || criterion_ == Criterion::gain_ratio; }
    const LogTable& table() const { return *table_; }

    // n·log2 n: by the table for whole numbers, so that equal counts give equal bits.
    double nlogn(double n, bool integral) const {
        if (integral && n < static_cast<double>(table_->size()))
            return static_cast<double>((*table_)[static_cast<std::size_t>(n)]) / LogTable::scale;
        return xlog2x(n);
    }

    double purity(const Totals& t, bool integral) const {
        if (t.weight <= 0) return 0;
        if (outputs_) return mean_purity(t, integral);
        double sum = 0;
        switch (criterion_) {
            case Criterion::gain:
            case Criterion::gain_ratio:
                for (double c : t.sums) sum += nlogn(c, integral);
                return sum - nlogn(t.weight, integral);
            case Criterion::gini:
                for (double c : t.sums) sum += c * c;
                return sum / t.weight;
            case Criterion::error:
                for (double c : t.sums) sum = std::max(sum, c);
                return sum;
            case Criterion::squared_error:
                return t.sums[0] * t.sums[0] / t.weight;
            case Criterion::poisson:
                return poisson_purity(t.sums[0], t.weight);
            case Criterion::absolute_error:
                return 0;
        }
        return 0;
    }

    // Impurity per row: what the tree reports for a node.
    double impurity(const Totals& t, bool integral) const {
        if (t.weight <= 0) return 0;
        if (entropy()) return entropy_of(t);
        const double p = purity(t, integral) / t.weight;
        if (criterion_ == Criterion::squared_error) return std::max(0.0, t.sums.back() / (t.weight * n_outputs()) - p);
        return std::max(0.0, 1 - p);
    }

 private:
    // From the shares themselves: the table of logarithms is rounded, and a pruned tree is cut by these numbers.
    double entropy_of(const Totals& t) const {
        double sum = 0;
        for (const double part : outputs_ ? t.sums.first(outputs_->values()) : t.sums) sum -= xlog2x(part / t.weight);
        return std::max(0.0, sum / n_outputs());
    }

    double n_outputs() const { return outputs_ ? static_cast<double>(outputs_->count) : 1.0; }

    // The mean of the outputs' purities.
    double mean_purity(const Totals& t, bool integral) const {
        double sum = 0;
        for (const double part : t.sums.first(outputs_->values())) {
            if (entropy()) {
                sum += nlogn(part, integral);
            } else {
                sum += criterion_ == Criterion::poisson ? poisson_purity(part, t.weight) : part * part / t.weight;
            }
        }
        return sum / n_outputs() - (entropy() ? nlogn(t.weight, integral) : 0.0);
    }

    Criterion criterion_;
    std::shared_ptr<const LogTable> table_;
    const Outputs* outputs_;  // null: one target
};

}  // namespace vaglio::tree
