#pragma once
// Loss of logistic regression and its slopes over a part of the rows of a table, straight from numbers and codes.
//
// What a row adds depends on the row alone: products are added column by column. The sums over rows are those of
// columns/grid_rounding.hpp, so that they have the same bits however the table was divided.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

// Rows of a part, column by column.
struct SlopeRows {
    std::size_t rows;
    std::span<const double> numeric;  // NaN: missing
    std::span<const std::int32_t> codes;
    const std::int64_t* labels;
    const double* weight;  // nullptr: all one
};

// How columns become those that have coefficients.
struct SlopeEncoding {
    struct Number {
        std::size_t column;
        double centre, scale, fill;  // fill takes the place of missing values
    };
    // The column of each category, the last entry that of a missing value; below 0: none.
    struct Codes {
        std::vector<std::int64_t> columns;
        double height;
    };
    std::vector<Number> numbers;
    std::vector<Codes> codes;
};

struct SlopeCoefficients {
    std::span<const double> theta;  // outputs x width, the intercept last; one output for two classes
    std::size_t outputs, width;
    int loss_exponent;
    std::span<const std::int64_t> exponents;  // of the slopes of each coefficient
};

// In units of their grids: coarse and fine part of the loss, and of the slopes [part][output][coefficient].
struct SlopeSums {
    std::int64_t loss[2] = {0, 0};
    std::vector<std::int64_t> slopes;
    std::uint64_t wrong = 0;  // rows that are not on the right side
};

SlopeSums slope_sums(const SlopeRows& rows, const SlopeEncoding& encoding, const SlopeCoefficients& coefficients);

}  // namespace vaglio
