#pragma once
// Rows in 16 bits a value, to find out quickly which rows cannot be neighbours.
//
// A number becomes the step of a ruler that it lies on, a category its code. From these follows a sum that is never
// above the distance in float64: a step is taken off every difference, numbers beyond the ruler move to its end,
// products are rounded down, and sums stop at the largest number of 16 bits. The rows that pass are measured as they
// are, so the filter changes the time alone.
#include <vector>

#include "knn/coarse/coarse_loops.hpp"
#include "knn/measure.hpp"

namespace vaglio::knn {

class CoarseTable {
 public:
    CoarseTable(const Points& train, const Distance& by, int threads);

    static bool serves(Metric metric) { return metric == Metric::euclidean || metric == Metric::manhattan; }

    // False where a sample of the rows shows no distances to divide a ruler by: all alike, or beyond float64.
    bool usable() const { return units_ > 0; }

    // What the columns add to the distances from one query; `terms` gets them and must stay as long as what is
    // returned. Its limit is to be set.
    CoarseQuery query(const Query& x, std::vector<CoarseTerm>& terms) const;

    // The sum that no row within `worst` exceeds; coarse_most where every row passes.
    std::uint16_t limit(double worst) const;

    // The panel that begins with this row, a multiple of coarse_rows.
    const std::uint16_t* panel(std::size_t row) const { return panels_.data() + row * n_columns_; }
    std::size_t columns() const { return n_columns_; }

 private:
    std::uint16_t step_of(double value, std::size_t column) const;
    std::uint16_t cost_of(double cost) const;
    void fill_panel(const Points& train, std::size_t first);

    const Distance& by_;
    std::size_t n_columns_;
    double units_ = 0;             // of a distance, in the order of the metric
    double steps_ = 0;             // of a difference of numbers
    std::vector<double> origins_;  // where the ruler of each column of numbers begins
    std::vector<char> missing_;    // whether a column of numbers has missing values
    std::vector<std::uint16_t> panels_;
};

// The distance between a query and one row, in the order of the metric: what `measure` gives for metrics that are
// served, to the bit.
double coarse_survivor(const Distance& by, const Points& train, std::size_t row, const Query& x);

}  // namespace vaglio::knn
