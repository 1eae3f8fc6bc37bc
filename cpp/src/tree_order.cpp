// A numeric column of a node brought into order on demand.
#include <bit>

#include "vaglio/key_sort.hpp"
#include "vaglio/tree_scan.hpp"

namespace vaglio {
namespace {

// Keys of rank and position. Sorting is stable or compares whole keys, so rows of equal rank stay in their order.
template <class Key>
std::span<const std::uint32_t> sort_rows(const NodeContext& context, const std::uint32_t* ranks, int rank_bits,
                                         std::vector<Key>& keys, std::vector<Key>& spare,
                                         std::vector<std::uint32_t>& entries) {
    const GrowNode& node = context.node;
    const std::uint32_t* rows = node.rows();
    const int low = std::bit_width(node.size);
    keys.resize(node.size);
    std::size_t known = 0;
    Key changes = 0;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[rows[i]];
        keys[known] = static_cast<Key>(static_cast<Key>(rank) << low | i);
        changes |= rank == missing_rank ? 0 : keys[known] ^ keys[0];
        known += rank != missing_rank;
    }
    keys.resize(known);
    if (changes >> low) sort_keys(keys, spare, low, rank_bits);
    entries.resize(known);
    const Key mask = static_cast<Key>((Key{1} << low) - 1);
    for (std::size_t i = 0; i < known; ++i) {
        const bool changed = i > 0 && keys[i] >> low != keys[i - 1] >> low;
        entries[i] = static_cast<std::uint32_t>(keys[i] & mask) | (changed ? new_value : 0);
    }
    return entries;
}

}  // namespace

std::span<const std::uint32_t> sort_column(const NodeContext& context, std::uint32_t column, ScanScratch& scratch) {
    const std::uint32_t* ranks = context.data.rank_column(column);
    const std::size_t distinct = context.data.values[column].size();
    const int rank_bits = std::bit_width(distinct);
    if (rank_bits + std::bit_width(context.node.size) <= 32)
        return sort_rows(context, ranks, rank_bits, scratch.short_keys, scratch.short_spare, scratch.entries);
    return sort_rows(context, ranks, rank_bits, scratch.keys, scratch.spare_keys, scratch.entries);
}

}  // namespace vaglio
