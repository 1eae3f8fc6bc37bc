// What is found out about a training table before growth.
#include "tree/table/data.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vaglio::tree {

void find_complete(TreeData& data, int threads) {
    std::vector<char> found(data.values.size(), 0);  // bits of one word may not be written by several threads
    parallel_for(threads, found.size(), [&](std::size_t column, int) {
        const std::uint32_t* ranks = data.rank_column(static_cast<std::uint32_t>(column));
        found[column] = std::find(ranks, ranks + data.rows, missing_rank) == ranks + data.rows;
    });
    data.complete.assign(found.begin(), found.end());
}

namespace {
constexpr std::size_t line = 16;  // ranks of a cache line
}

bool RankRows::worthwhile(const TreeData& data, std::size_t max_features) {
    constexpr std::size_t many_rows = 4096;  // fewer rows fit the cache in either order
    return data.rows >= many_rows && (max_features == 0 || 2 * data.values.size() <= max_features * line);
}

RankRows::RankRows(const TreeData& data, int threads) {
    constexpr std::size_t block = 1024;  // rows that are turned at a time
    const std::size_t columns = data.values.size();
    stride = (columns + line - 1) / line * line;
    ranks.resize(data.rows * stride);
    parallel_for(threads, (data.rows + block - 1) / block, [&](std::size_t item, int) {
        const std::size_t first = item * block, end = std::min(first + block, data.rows);
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint32_t* from = data.rank_column(column);
            for (std::size_t row = first; row < end; ++row) ranks[row * stride + column] = from[row];
        }
    });
}

}  // namespace vaglio::tree
