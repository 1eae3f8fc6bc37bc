// Orders made on demand are sorted as packed keys. The order of the root is made in two passes over the ranks, which
// are known to be dense.
#include "tree/partition/order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "base/large_memory.hpp"
#include "base/radix_sort.hpp"

namespace vaglio::tree {
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

// Two passes, by the lower and by the upper half of the ranks' bits: each writes to a few thousand places at a time,
// where one pass by the whole rank would write all over memory.
KeptOrder sort_root(const TreeData& data, std::uint32_t column, const GrowNode& root, std::uint32_t* order) {
    struct Ranked {
        std::uint32_t rank, entry;
    };
    const std::uint32_t* ranks = data.rank_column(column);
    const int low = (std::bit_width(data.values[column].size()) + 1) / 2;
    const std::uint32_t mask = (1u << low) - 1;
    std::vector<std::uint32_t> low_start(mask + 2, 0), high_start((data.values[column].size() >> low) + 2, 0);
    KeptOrder result;
    for (std::uint32_t i = 0; i < root.size; ++i)
        if (const std::uint32_t rank = ranks[root.rows()[i]]; rank != missing_rank) {
            ++low_start[(rank & mask) + 1];
            ++high_start[(rank >> low) + 1];
            ++result.length;
        }
    std::partial_sum(low_start.begin(), low_start.end(), low_start.begin());
    std::partial_sum(high_start.begin(), high_start.end(), high_start.begin());
    LargeVector<Ranked> half(result.length);
    for (std::uint32_t i = 0; i < root.size; ++i)
        if (const std::uint32_t rank = ranks[root.rows()[i]]; rank != missing_rank) {
            const std::uint32_t label = root.store->labelled ? root.labels()[i] : 0;
            half[low_start[rank & mask]++] = {rank, i | label << entry_label_shift};
        }
    // Rows of one rank follow each other within their upper half.
    std::vector<std::uint32_t> last(high_start.size(), missing_rank);
    for (const auto& [rank, entry] : half) {
        const std::uint32_t high = rank >> low;
        const bool changed = last[high] != rank;
        last[high] = rank;
        result.distinct += changed;
        order[high_start[high]++] = entry | (changed ? new_value : 0);
    }
    return result;
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

KeptOrder order_root(const TreeData& data, std::uint32_t column, const GrowNode& root, std::uint32_t* order) {
    if (!data.orders || root.size < data.rows || root.store->labelled) return sort_root(data, column, root, order);
    RootOrders::Column& known = data.orders->columns[column];
    std::call_once(known.sorted, [&] {
        known.entries.resize(data.rows);
        known.kept = sort_root(data, column, root, known.entries.data());
    });
    std::copy_n(known.entries.data(), known.kept.length, order);
    return known.kept;
}

}  // namespace vaglio::tree
