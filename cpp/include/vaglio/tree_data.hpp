#pragma once
// The training table as the grower sees it: ranks of numbers, codes of categories, and what is to be predicted.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vaglio/rank.hpp"

namespace vaglio {

struct TreeFeature {
    bool nominal;
    std::uint32_t column;  // within its block
};

struct TreeData {
    std::size_t rows = 0;
    std::vector<TreeFeature> features;  // in the user's order: ties go to the first

    const std::uint32_t* ranks = nullptr;         // column after column
    std::vector<std::span<const double>> values;  // distinct values per numeric column; of a bin, the greatest
    std::vector<std::span<const double>> lowest;  // of a bin, the least value; empty: ranks are exact
    const std::int32_t* codes = nullptr;          // column after column; negative: missing
    std::vector<std::uint32_t> categories;        // per nominal column

    std::size_t classes = 0;                      // 0: regression
    const std::int64_t* labels = nullptr;         // classification
    const double* targets = nullptr;              // regression
    const double* weights = nullptr;              // null: all one
    const std::uint32_t* multiplicity = nullptr;  // null: all one; how often a row was drawn

    const std::uint32_t* rank_column(std::uint32_t column) const { return ranks + column * rows; }
    const std::int32_t* code_column(std::uint32_t column) const { return codes + column * rows; }
};

}  // namespace vaglio
