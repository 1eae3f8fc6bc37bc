#include "tree/table/rank.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/parallel.hpp"

namespace vaglio {
namespace {

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

// Bits of a double in an order that unsigned comparison follows.
std::uint64_t sortable(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0.0 + 0.0 is 0.0
    return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

constexpr std::size_t small_column = 256;

// Radix sort by the 11-bit digits in which the keys differ: integers and short decimals leave most digits alone.
class RadixSorter {
 public:
    void sort(LargeVector<Keyed>& items) {
        constexpr int bits = 11, passes = 6;
        constexpr std::size_t buckets = std::size_t{1} << bits;
        if (items.size() < small_column) {
            std::sort(items.begin(), items.end(),
                      [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
            return;
        }
        counts_.assign(passes * buckets, 0);
        for (const Keyed& item : items)
            for (int pass = 0; pass < passes; ++pass) ++counts_[pass * buckets + digit(item.key, pass)];
        spare_.resize(items.size());
        for (int pass = 0; pass < passes; ++pass) {
            std::uint32_t* count = &counts_[pass * buckets];
            if (count[digit(items[0].key, pass)] == items.size()) continue;
            std::uint32_t start = 0;
            for (std::size_t b = 0; b < buckets; ++b) start += std::exchange(count[b], start);
            for (const Keyed& item : items) spare_[count[digit(item.key, pass)]++] = item;
            items.swap(spare_);
        }
    }

 private:
    static std::size_t digit(std::uint64_t key, int pass) { return (key >> (11 * pass)) & 2047u; }
    LargeVector<Keyed> spare_;
    std::vector<std::uint32_t> counts_;
};

// Two passes over the sorted keys: the distinct values are counted first, so that their array is exactly as large as
// need be.
void rank_sorted(const LargeVector<Keyed>& items, std::uint32_t* ranks, std::vector<std::uint32_t>& firsts) {
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
        RadixSorter sorter;
        LargeVector<Keyed> items;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_for(threads, matrix.columns, [&](std::size_t column, int worker) {
        control.check();
        auto& [sorter, items] = scratch[static_cast<std::size_t>(worker)];
        const double* source = matrix.column(column);
        std::uint32_t* ranks = result.ranks.data() + column * matrix.rows;
        items.clear();
        items.reserve(matrix.rows);
        for (std::size_t row = 0; row < matrix.rows; ++row) {
            const double value = source[static_cast<std::ptrdiff_t>(row) * matrix.row_stride];
            if (value != value) {
                ranks[row] = missing_rank;
            } else {
                items.push_back({sortable(value), static_cast<std::uint32_t>(row)});
            }
        }
        control.check();
        sorter.sort(items);
        rank_sorted(items, ranks, result.firsts[column]);
        control.advance(1);
    });
    return result;
}

}  // namespace vaglio
