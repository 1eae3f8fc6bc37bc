// Bins take equal shares of the rows, because bins of equal width would put most rows of a skewed column into one.
#include "tree/table/bins.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vaglio::tree {
namespace {

// Rows of each rank, so that a bin can be closed when it holds its share.
std::vector<double> rank_weights(const TreeData& data, std::uint32_t column) {
    std::vector<double> result(data.values[column].size(), 0.0);
    const std::uint32_t* ranks = data.rank_column(column);
    for (std::size_t i = 0; i < data.rows; ++i)
        if (ranks[i] != missing_rank) result[ranks[i]] += 1;
    return result;
}

}  // namespace

BinnedColumns bin_columns(const TreeData& data, std::uint32_t bins, int threads) {
    BinnedColumns result;
    const std::size_t columns = data.values.size();
    result.ranks.resize(data.rows * columns);
    result.lowest.resize(columns);
    result.greatest.resize(columns);
    parallel_for(threads, columns, [&](std::size_t column, int) {
        const auto c = static_cast<std::uint32_t>(column);
        const auto values = data.values[column];
        const std::vector<double> weights = rank_weights(data, c);
        double left = 0;
        for (const double w : weights) left += w;
        std::vector<std::uint32_t> bin_of(values.size());
        double filled = 0;
        std::size_t bins_left = bins;
        bool open = false;
        for (std::size_t r = 0; r < values.size(); ++r) {
            if (!open) {
                result.lowest[column].push_back(values[r]);
                result.greatest[column].push_back(values[r]);
                open = true;
            }
            bin_of[r] = static_cast<std::uint32_t>(result.lowest[column].size() - 1);
            result.greatest[column].back() = values[r];
            filled += weights[r];
            // A bin takes an equal share of what is left, unless as many bins as values are left.
            const bool one_each = values.size() - r - 1 <= bins_left - 1;
            if (bins_left > 1 && (one_each || filled >= left / static_cast<double>(bins_left))) {
                left -= filled;
                filled = 0;
                --bins_left;
                open = false;
            }
        }
        const std::uint32_t* ranks = data.rank_column(c);
        std::uint32_t* binned = result.ranks.data() + column * data.rows;
        for (std::size_t i = 0; i < data.rows; ++i)
            binned[i] = ranks[i] == missing_rank ? missing_rank : bin_of[ranks[i]];
    });
    return result;
}

TreeData BinnedColumns::view(const TreeData& exact) const {
    TreeData data = exact;
    data.ranks = ranks.data();
    data.rank_rows = nullptr;
    data.values.assign(greatest.begin(), greatest.end());
    data.lowest.assign(lowest.begin(), lowest.end());
    return data;
}

}  // namespace vaglio::tree
