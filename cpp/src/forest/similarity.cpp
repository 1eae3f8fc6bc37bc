#include "vaglio/similarity.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "vaglio/parallel.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_rows = 128;

// Which rows are in a leaf.
struct Members {
    std::vector<std::int64_t> offsets;
    std::vector<std::uint32_t> rows;

    Members(LeafRows others, const SimilarityConfig& config) : offsets(config.n_leaves + 1, 0) {
        const std::size_t cells = others.rows * config.n_trees;
        for (std::size_t i = 0; i < cells; ++i) ++offsets[static_cast<std::size_t>(others.leaves[i]) + 1];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        rows.resize(cells);
        std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
        for (std::size_t i = 0; i < cells; ++i) {
            rows[static_cast<std::size_t>(next[static_cast<std::size_t>(others.leaves[i])]++)] =
                static_cast<std::uint32_t>(i / config.n_trees);
        }
    }
};

// Counts of one query, and which are not zero: a bit each, so that they come out in order without sorting.
class Counter {
 public:
    Counter(std::size_t rows, const SimilarityConfig& config)
        : config_(config), sums_(rows, 0.0f), touched_((rows + 63) / 64, 0) {
        if (config.tree_weights.empty()) {
            total_ = static_cast<double>(config.n_trees);
        } else {
            weighted_.assign(rows, 0.0);
            total_ = std::accumulate(config.tree_weights.begin(), config.tree_weights.end(), 0.0);
        }
    }

    void add(const std::int32_t* leaves, const Members& members) {
        for (std::size_t t = 0; t < config_.n_trees; ++t) {
            const auto leaf = static_cast<std::size_t>(leaves[t]);
            for (auto i = members.offsets[leaf]; i < members.offsets[leaf + 1]; ++i) {
                const std::uint32_t row = members.rows[static_cast<std::size_t>(i)];
                touched_[row / 64] |= std::uint64_t{1} << (row % 64);
                if (weighted_.empty()) {
                    sums_[row] += 1.0f;  // whole numbers: exact up to 2^24 trees
                } else {
                    weighted_[row] += config_.tree_weights[t];
                }
            }
        }
    }

    // Calls each(row, similarity) for every row met, ascending, and forgets them.
    template <class Each>
    void drain(Each each) {
        for (std::size_t word = 0; word < touched_.size(); ++word) {
            for (std::uint64_t bits = touched_[word]; bits; bits &= bits - 1) {
                const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                if (weighted_.empty()) {
                    each(row, static_cast<double>(sums_[row]) / total_);
                    sums_[row] = 0;
                } else {
                    each(row, weighted_[row] / total_);
                    weighted_[row] = 0;
                }
            }
            touched_[word] = 0;
        }
    }

 private:
    const SimilarityConfig& config_;
    double total_ = 1;
    std::vector<float> sums_;
    std::vector<double> weighted_;
    std::vector<std::uint64_t> touched_;
};

struct Entry {
    std::int32_t column;
    double value;
};

// The rows of a block, one after the other, as CSR with its own offsets.
struct Piece {
    std::vector<std::int64_t> counts;
    std::vector<Entry> entries;
};

void keep_top(std::vector<Entry>& entries, std::size_t first, std::size_t top) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
    if (top == 0 || entries.size() - first <= top) return;
    const auto end = begin + static_cast<std::ptrdiff_t>(top);
    std::nth_element(begin, end, entries.end(), [](const Entry& a, const Entry& b) {
        return a.value > b.value || (a.value == b.value && a.column < b.column);
    });
    entries.resize(first + top);
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.column < b.column; });
}

void check(LeafRows rows, const SimilarityConfig& config) {
    for (std::size_t i = 0; i < rows.rows * config.n_trees; ++i) {
        if (rows.leaves[i] < 0 || static_cast<std::size_t>(rows.leaves[i]) >= config.n_leaves) {
            throw std::invalid_argument("a leaf number is out of range");
        }
    }
}

}  // namespace

SparseRows leaf_similarity(LeafRows queries, LeafRows others, const SimilarityConfig& config, Control& control) {
    check(queries, config);
    check(others, config);
    const Members members(others, config);
    const std::size_t n_blocks = (queries.rows + block_rows - 1) / block_rows;
    std::vector<Piece> pieces(n_blocks);
    std::vector<Counter> counters(static_cast<std::size_t>(std::max(config.threads, 1)), Counter(others.rows, config));
    control.expect(n_blocks);
    parallel_for(config.threads, n_blocks, [&](std::size_t block, int worker) {
        Counter& counter = counters[static_cast<std::size_t>(worker)];
        Piece& piece = pieces[block];
        const std::size_t end = std::min(queries.rows, (block + 1) * block_rows);
        for (std::size_t row = block * block_rows; row < end; ++row) {
            const std::size_t first = piece.entries.size();
            counter.add(queries.leaves + row * config.n_trees, members);
            counter.drain([&](std::size_t other, double value) {
                piece.entries.push_back({static_cast<std::int32_t>(other), value});
            });
            keep_top(piece.entries, first, config.top);
            piece.counts.push_back(static_cast<std::int64_t>(piece.entries.size() - first));
        }
        control.check();
        control.advance(1);
    });
    SparseRows result;
    result.offsets.push_back(0);
    for (const Piece& piece : pieces) {
        for (const std::int64_t count : piece.counts) result.offsets.push_back(result.offsets.back() + count);
    }
    result.columns.resize(static_cast<std::size_t>(result.offsets.back()));
    result.values.resize(result.columns.size());
    parallel_for(config.threads, n_blocks, [&](std::size_t block, int) {
        auto at = static_cast<std::size_t>(result.offsets[block * block_rows]);
        for (const Entry& entry : pieces[block].entries) {
            result.columns[at] = entry.column;
            result.values[at++] = entry.value;
        }
        pieces[block] = {};
    });
    return result;
}

std::vector<double> squared_similarity(LeafRows queries, LeafRows others, std::span<const std::int64_t> query_groups,
                                       std::span<const std::int64_t> other_groups, const SimilarityConfig& config,
                                       Control& control) {
    check(queries, config);
    check(others, config);
    const Members members(others, config);
    const std::size_t n_blocks = (queries.rows + block_rows - 1) / block_rows;
    std::vector<double> sums(queries.rows, 0.0);
    std::vector<Counter> counters(static_cast<std::size_t>(std::max(config.threads, 1)), Counter(others.rows, config));
    control.expect(n_blocks);
    parallel_for(config.threads, n_blocks, [&](std::size_t block, int worker) {
        Counter& counter = counters[static_cast<std::size_t>(worker)];
        const std::size_t end = std::min(queries.rows, (block + 1) * block_rows);
        for (std::size_t row = block * block_rows; row < end; ++row) {
            counter.add(queries.leaves + row * config.n_trees, members);
            counter.drain([&](std::size_t other, double value) {
                if (query_groups.empty() || query_groups[row] == other_groups[other]) sums[row] += value * value;
            });
        }
        control.check();
        control.advance(1);
    });
    return sums;
}

}  // namespace vaglio
