#pragma once
// What a pair of columns would gain beyond its columns, by the derivatives of the mean of all bags.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "additive/pairs/pair.hpp"
#include "additive/part.hpp"

namespace vaglio::additive {

// The columns with few slots, which pairs are made of.
struct Coarse {
    std::vector<Side> sides;                         // per feature
    std::vector<std::vector<std::uint8_t>> columns;  // per feature and row

    std::size_t cells(const Pair& pair) const {
        return std::size_t{sides[pair.first].slots} * sides[pair.second].slots;
    }
    // The slot of each row in a column; `to` has the slot of each bin, that of missing values last.
    void add(const SlotColumn& bins, bool nominal, std::span<const std::uint8_t> to, std::size_t rows);
    // The cell of each row.
    std::vector<std::uint16_t> column(const Pair& pair) const;
};

class Screen {
 public:
    Screen(const PartOfRows& part, std::size_t bags);

    boosting::Derivatives bounds(int threads) const { return boosting::derivative_bounds(target_, threads); }
    void compute(const boosting::FixedPoint& unit, int threads) { gradients_.compute(target_, unit, threads); }
    // Adds some rows to the cells of a pair, (outputs, cells), and counts them.
    void add_rows(const Coarse& coarse, const Pair& pair, std::span<const std::uint32_t> rows,
                  boosting::GradientSums* to) const;

 private:
    boosting::Target target_;
    std::vector<double> mean_, ones_;
    boosting::Gradients gradients_;
};

// What the cells of a pair gain, all outputs together.
double screened_gain(const boosting::SplitConfig& config, const boosting::FixedPoint& unit,
                     const std::vector<Side>& sides, const Pair& pair, std::size_t outputs,
                     const boosting::GradientSums* sums);

}  // namespace vaglio::additive
