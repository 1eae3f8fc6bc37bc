#pragma once
// Two features together: the sums of their cells, how much a cross of two cuts gains, and a step of up to four leaves.
#include <cstdint>
#include <vector>

#include "additive/pairs/cross_loops.hpp"
#include "additive/step.hpp"

namespace vaglio::additive {

// One side of the table of cells: slots of values, and the last one for missing values.
struct Side {
    bool nominal = false;
    std::uint32_t slots = 0;
};

struct Pair {
    std::uint32_t first = 0, second = 0;  // features
};

// The cells with rows in them, in an order in which cuts make sense: numbers as they are, categories by their mean
// gradient, missing values at the end of a numeric side that is more like them. Holds sums of all corners.
class Grid {
 public:
    Grid(const boosting::SplitConfig& config, const boosting::FixedPoint& unit, const Side& first, const Side& second,
         const boosting::GradientSums* cells);

    // What the best cross of one cut per side gains over the better one of its two cuts alone.
    double interaction_gain() const;

    // The Newton step of a cut by one side and of each part by the other; zero in cells without rows. False: no gain.
    bool take_step(std::vector<double>& values) const;

 private:
    struct Sums {
        double gradient, hessian, rows;
    };
    struct Cross {  // the first cut by one side, then one by the other side below and above it; 0: no cut
        double gain = 0.0;
        bool turned = false;
        std::size_t cut = 0, below = 0, above = 0;
    };
    void fill_corners(const boosting::FixedPoint& unit, const boosting::GradientSums* cells);
    Sums sums(std::size_t first_begin, std::size_t first_end, std::size_t second_begin, std::size_t second_end) const;
    Sums part(bool turned, std::size_t begin, std::size_t end, std::size_t other_begin, std::size_t other_end) const {
        return turned ? sums(other_begin, other_end, begin, end) : sums(begin, end, other_begin, other_end);
    }
    bool enough(const Sums& sums) const { return sums.rows >= least_rows_ && sums.hessian >= least_hessian_; }
    double gain(const Sums& sums) const { return sums.gradient * sums.gradient / (sums.hessian + l2_); }
    double value(const Sums& sums) const { return -sums.gradient / (sums.hessian + l2_); }
    void choose(bool turned, const BestCuts& below, const BestCuts& above, Cross& best) const;
    Cross best_cross() const;

    double least_rows_, least_hessian_, l2_;
    std::uint32_t width_;                                    // slots of the second side
    std::vector<std::uint32_t> first_order_, second_order_;  // the slots that have rows
    std::size_t stride_;                                     // of the corners (CrossTask)
    std::vector<double> gradient_, hessian_, rows_;          // of all cells before a corner
};

}  // namespace vaglio::additive
