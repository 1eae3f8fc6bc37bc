#pragma once
// A training table of bins: numbers as the bin they fall into, categories as codes, in as few bytes as they need.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/node.hpp"
#include "tree/table/data.hpp"

namespace vaglio {

struct BinnedColumn {
    const void* codes = nullptr;
    std::uint8_t bytes = 1;   // of a code: 1, 2 or 4
    std::uint32_t bins = 0;   // known codes are below; this one is a missing value
    bool has_missing = true;  // false: no row of the table misses the value

    std::uint32_t at(std::size_t row) const {
        if (bytes == 1) return static_cast<const std::uint8_t*>(codes)[row];
        if (bytes == 2) return static_cast<const std::uint16_t*>(codes)[row];
        return static_cast<const std::uint32_t*>(codes)[row];
    }
};

// Calls use(codes) with the codes as what they are.
template <class Use>
decltype(auto) with_codes(const BinnedColumn& column, Use use) {
    if (column.bytes == 1) return use(static_cast<const std::uint8_t*>(column.codes));
    if (column.bytes == 2) return use(static_cast<const std::uint16_t*>(column.codes));
    return use(static_cast<const std::uint32_t*>(column.codes));
}

struct BinnedTable {
    TreeData layout;                    // features, values of the bins, categories, classes and number of rows
    std::vector<BinnedColumn> columns;  // per feature
    const Label* labels = nullptr;      // classification
    const double* targets = nullptr;    // regression: less the middle of their range
    const double* weights = nullptr;    // null: all one
};

}  // namespace vaglio
