#pragma once
// The density of one numeric column in each class, fitted to its counts: intervals, normal, or a sum of kernels.
#include <cstddef>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "bayes/class_counts.hpp"

namespace vaglio {

// Few values with several rows each are categories rather than numbers.
bool has_few_values(const ValueCounts& counts);

// Smoothed frequencies of the cells of a column; a cell is an interval, or one of the values.
class CellFrequencies {
 public:
    // Of the intervals between `cuts`.
    CellFrequencies(const ValueCounts& counts, std::vector<double> cuts, double alpha, std::size_t classes);
    // Of every value; another value says nothing.
    CellFrequencies(const ValueCounts& counts, double alpha, std::size_t classes);
    void add_log_density(double x, std::span<double> sums) const;

 private:
    void fill(const ValueCounts& counts, double alpha, std::size_t cells);

    std::vector<double> points_;
    bool intervals_;
    std::vector<double> logarithm_;  // [cell][class]
};

// A normal density in each class, of variance within the classes together where a class has few rows.
class NormalDensities {
 public:
    NormalDensities(const ValueCounts& counts, double var_smoothing, std::size_t classes);
    void add_log_density(double x, std::span<double> sums) const;

 private:
    std::vector<double> mean_, scale_, normaliser_;
};

// Adds the log kernel density in each class at each of `queries` (ascending, distinct) to sums[query][class].
void add_kernel_densities(const ValueCounts& counts, std::size_t classes, std::span<const double> queries,
                          std::span<double> sums, const Control& control);

}  // namespace vaglio
