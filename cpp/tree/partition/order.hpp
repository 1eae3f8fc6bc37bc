#pragma once
// Numeric columns brought into the order of their values; entries as in tree/node.hpp.
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio::tree {

// The rows of the node in the order of a numeric column, made on demand.
std::span<const std::uint32_t> sort_column(const NodeContext& context, std::uint32_t column, ScanScratch& scratch);

struct KeptOrder {
    std::uint32_t length = 0;  // rows of known value
    std::size_t distinct = 0;
};

// The same for the root, where the order is kept.
KeptOrder order_root(const TreeData& data, std::uint32_t column, const GrowNode& root, std::uint32_t* order);

// The orders of all rows, for several trees that are grown on them, each with other weights. A column is sorted by the
// first tree that asks for it.
struct RootOrders {
    struct Column {
        std::once_flag sorted;
        KeptOrder kept;
        std::vector<std::uint32_t> entries;
    };
    std::vector<Column> columns;  // all numeric ones of the table
};

}  // namespace vaglio::tree
