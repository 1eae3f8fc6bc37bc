#pragma once
// Errors as C4.5 estimates them: the upper confidence limit of a leaf's binomial error.
#include <cstddef>

namespace vaglio::tree {

class ErrorLimit {
 public:
    explicit ErrorLimit(double confidence);

    // Errors to be added to e observed among n to reach the limit (normal approximation, exact at e = 0, interpolated
    // below 1).
    double added(double n, double e) const;

    // Estimated errors of a leaf with these class weights.
    double estimate(const double* classes, std::size_t width, double weight) const;

 private:
    double z_, log_;
};

}  // namespace vaglio::tree
