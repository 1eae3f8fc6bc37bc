#pragma once
// Weights whose sums have no order: every term is a whole multiple of one power of two, and no sum reaches 2^53 of
// them, so that additions of doubles are exact.
#include <cmath>

namespace vaglio::tree {

// Rounds to whole multiples of the least power of two of which sums up to `bound` are exact.
class Rounding {
 public:
    explicit Rounding(double bound) {
        int exponent = 0;
        std::frexp(bound > 0 ? bound : 1.0, &exponent);
        // Between 2^52 and 2^53 units doubles are one unit apart: adding this rounds to whole units.
        shift_ = std::ldexp(1.5, exponent + 1 > -960 ? exponent + 1 : -960);
    }
    double operator()(double x) const { return (x + shift_) - shift_; }

 private:
    double shift_;
};

// What bounds the sums of one growth. It must not depend on how the rows are divided.
struct AmountBounds {
    double weight = 0;  // of all rows, as often as they are drawn
    double rows = 0;
    double target = 0;   // largest absolute target
    double largest = 1;  // weight of a row
};

struct WeightSummary {
    Rounding weight, rows, target, square;
    Rounding square_weight;  // squared weights of rows; no row is drawn 64 times

    explicit WeightSummary(const AmountBounds& bounds)
        : weight(bounds.weight),
          rows(bounds.rows),
          target(bounds.weight * bounds.target),
          square(bounds.weight * bounds.target * bounds.target),
          square_weight(bounds.weight * bounds.largest * 64) {}
};

}  // namespace vaglio::tree
