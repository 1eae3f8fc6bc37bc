// Columns are ranked by a radix sort of their bits, which keeps ranks exact for all finite numbers and infinities.
#include "tree/table/rank.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"

namespace vaglio::tree {
namespace {

// Up to here a comparison sort is faster than clearing and adding up counters.
constexpr std::size_t small_column = 256;

void sort_by_key(LargeVector<KeyedRow>& items, LargeVector<KeyedRow>& spare) {
    if (items.size() < small_column) {
        std::sort(items.begin(), items.end(),
                  [](const KeyedRow& a, const KeyedRow& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
        return;
    }
    spare.resize(items.size());
    const KeyedRow* sorted =
        radix_sort(items.data(), spare.data(), items.size(), 0, 64, [](const KeyedRow& item) { return item.key; });
    if (sorted == spare.data()) items.swap(spare);
}

// Two passes over the sorted keys: the distinct values are counted first, so that their array is exactly as large as
// need be.
void rank_sorted(const LargeVector<KeyedRow>& items, std::uint32_t* ranks, std::vector<std::uint32_t>& firsts) {
    const auto opens = [&](std::size_t i) { return i == 0 || items[i].key != items[i - 1].key; };
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < items.size(); ++i) distinct += opens(i);
    firsts.reserve(distinct);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (opens(i)) firsts.push_back(items[i].row);
        ranks[items[i].row] = static_cast<std::uint32_t>(firsts.size() - 1);
    }
}

}  // namespace

RankedColumns rank_columns(const MatrixView& matrix, int threads, Control& control) {
    RankedColumns result;
    result.ranks.resize(matrix.rows * matrix.columns);
    result.firsts.resize(matrix.columns);
    control.expect(matrix.columns);
    struct Scratch {
        LargeVector<KeyedRow> items, spare;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_for(threads, matrix.columns, [&](std::size_t column, int worker) {
        control.check();
        auto& [items, spare] = scratch[static_cast<std::size_t>(worker)];
        const double* source = matrix.column(column);
        std::uint32_t* ranks = result.ranks.data() + column * matrix.rows;
        items.clear();
        items.reserve(matrix.rows);
        for (std::size_t row = 0; row < matrix.rows; ++row) {
            const double value = source[static_cast<std::ptrdiff_t>(row) * matrix.row_stride];
            if (value != value) {
                ranks[row] = missing_rank;
            } else {
                items.push_back({ordered_bits(value), static_cast<std::uint32_t>(row)});
            }
        }
        control.check();
        sort_by_key(items, spare);
        rank_sorted(items, ranks, result.firsts[column]);
        control.advance(1);
    });
    return result;
}

RankedColumns take_ranks(const std::uint32_t* ranks, std::size_t all_rows, std::span<const std::uint64_t> distinct,
                         std::span<const std::int64_t> rows, int threads, Control& control) {
    RankedColumns result;
    result.ranks.resize(rows.size() * distinct.size());
    result.firsts.resize(distinct.size());
    parallel_for(threads, distinct.size(), [&](std::size_t column, int) {
        control.check();
        const std::uint32_t* from = ranks + column * all_rows;
        std::uint32_t* to = result.ranks.data() + column * rows.size();
        // Per rank in the whole table: first the row where it occurs here, then its rank here.
        std::vector<std::uint32_t> place(distinct[column], missing_rank);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t rank = from[rows[i]];
            to[i] = rank;
            if (rank != missing_rank && place[rank] == missing_rank) place[rank] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint32_t>& firsts = result.firsts[column];
        for (std::uint32_t& at : place) {
            if (at == missing_rank) continue;
            firsts.push_back(at);
            at = static_cast<std::uint32_t>(firsts.size() - 1);
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (to[i] != missing_rank) to[i] = place[to[i]];
    });
    return result;
}

}  // namespace vaglio::tree
