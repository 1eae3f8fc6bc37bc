// The rows of every leaf are listed once. A query then visits only rows that share a leaf with it, instead of all
// pairs.
#include "forest/similarity.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "base/compiler.hpp"
#include "base/parallel.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_rows = 256;  // queries per task

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

    void prefetch(std::size_t leaf) const { VAGLIO_PREFETCH(rows.data() + offsets[leaf]); }
    std::size_t size(std::size_t leaf) const { return static_cast<std::size_t>(offsets[leaf + 1] - offsets[leaf]); }
};

// Sums of one query: whole counts of two bytes, so that those of many rows stay in the first-level cache, or weights.
// A bit per row says that it was met; what was met comes out in order without sorting.
template <class Sum>
class Counter {
 public:
    Counter(std::size_t rows, const SimilarityConfig& config)
        : config_(config), sums_(rows, Sum{0}), met_((rows + 63) / 64, 0), columns_(rows), found_(rows) {}

    // Adds up one query; afterwards columns() and sums() hold the rows met, ascending.
    void count(const std::int32_t* leaves, const Members& members) {
        for (std::size_t t = 0; t < config_.n_trees; ++t) {
            if (t + ahead < config_.n_trees) members.prefetch(static_cast<std::size_t>(leaves[t + ahead]));
            const auto leaf = static_cast<std::size_t>(leaves[t]);
            const Sum weight = config_.tree_weights.empty() ? Sum{1} : static_cast<Sum>(config_.tree_weights[t]);
            if (weight == Sum{0}) continue;
            for (auto i = members.offsets[leaf]; i < members.offsets[leaf + 1]; ++i) {
                const std::uint32_t row = members.rows[static_cast<std::size_t>(i)];
                sums_[row] = static_cast<Sum>(sums_[row] + weight);
                met_[row / 64] |= std::uint64_t{1} << (row % 64);
            }
        }
        collect();
    }

    std::size_t size() const { return size_; }
    const std::int32_t* columns() const { return columns_.data(); }
    const Sum* sums() const { return found_.data(); }

 private:
    static constexpr std::size_t ahead = 4;  // trees whose members are on their way from memory

    void collect() {
        std::size_t k = 0;
        for (std::size_t word = 0; word < met_.size(); ++word) {
            for (std::uint64_t left = met_[word]; left != 0; left &= left - 1) {
                const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
                columns_[k] = static_cast<std::int32_t>(row);
                found_[k++] = sums_[row];
                sums_[row] = Sum{0};
            }
            met_[word] = 0;
        }
        size_ = k;
    }

    const SimilarityConfig& config_;
    std::size_t size_ = 0;
    std::vector<Sum> sums_;
    std::vector<std::uint64_t> met_;
    std::vector<std::int32_t> columns_;
    std::vector<Sum> found_;
};

double total_weight(const SimilarityConfig& config) {
    if (config.tree_weights.empty()) return static_cast<double>(config.n_trees);
    return std::accumulate(config.tree_weights.begin(), config.tree_weights.end(), 0.0);
}

bool whole_counts(const SimilarityConfig& config) { return config.tree_weights.empty() && config.n_trees <= 0xffff; }

// Calls start(block, first, end) and then each(row, counter) for its queries, block by block, on all threads.
template <class Sum, class Start, class Each>
void count_all(LeafRows queries, LeafRows others, const Members& members, const SimilarityConfig& config,
               Control& control, Start start, Each each) {
    const std::size_t n_blocks = (queries.rows + block_rows - 1) / block_rows;
    std::vector<Counter<Sum>> counters;
    for (int i = 0; i < std::max(config.threads, 1); ++i) counters.emplace_back(others.rows, config);
    control.expect(n_blocks);
    parallel_for(config.threads, n_blocks, [&](std::size_t block, int worker) {
        Counter<Sum>& counter = counters[static_cast<std::size_t>(worker)];
        const std::size_t end = std::min(queries.rows, (block + 1) * block_rows);
        start(block, block * block_rows, end);
        for (std::size_t row = block * block_rows; row < end; ++row) {
            counter.count(queries.leaves + row * config.n_trees, members);
            each(row, counter);
        }
        control.check();
        control.advance(1);
    });
}

// The rows of a block, one after the other, with sums as they were counted: a third of the final size.
template <class Sum>
struct Piece {
    std::vector<std::int64_t> counts;
    LargeVector<std::int32_t> columns;
    LargeVector<Sum> sums;
};

// Positions of the `top` largest similarities, ascending; of equal ones the first.
template <class Sum>
std::vector<std::size_t> best_of(const Counter<Sum>& counter, std::size_t top) {
    std::vector<std::size_t> order(counter.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (top == 0 || order.size() <= top) return order;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(top);
    std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        const Sum x = counter.sums()[a], z = counter.sums()[b];
        return x > z || (x == z && a < b);
    });
    order.resize(top);
    std::sort(order.begin(), order.end());
    return order;
}

void check(LeafRows rows, const SimilarityConfig& config) {
    for (std::size_t i = 0; i < rows.rows * config.n_trees; ++i) {
        if (rows.leaves[i] < 0 || static_cast<std::size_t>(rows.leaves[i]) >= config.n_leaves) {
            throw std::invalid_argument("a leaf number is out of range");
        }
    }
}

template <class Sum>
SimilarRows similarity_by(LeafRows queries, LeafRows others, const SimilarityConfig& config, Control& control) {
    const Members members(others, config);
    std::vector<Piece<Sum>> pieces((queries.rows + block_rows - 1) / block_rows);
    // Room for the most there can be; what is not written costs no memory.
    const auto start = [&](std::size_t block, std::size_t first, std::size_t end) {
        std::size_t most = 0;
        for (std::size_t i = first * config.n_trees; i < end * config.n_trees; ++i) {
            most += members.size(static_cast<std::size_t>(queries.leaves[i]));
        }
        most = std::min(most, (end - first) * (config.top ? std::min(config.top, others.rows) : others.rows));
        pieces[block].columns.reserve(most);
        pieces[block].sums.reserve(most);
    };
    count_all<Sum>(queries, others, members, config, control, start, [&](std::size_t row, const Counter<Sum>& counter) {
        Piece<Sum>& piece = pieces[row / block_rows];
        const std::size_t first = piece.columns.size();
        if (config.top == 0) {
            piece.columns.insert(piece.columns.end(), counter.columns(), counter.columns() + counter.size());
            piece.sums.insert(piece.sums.end(), counter.sums(), counter.sums() + counter.size());
        } else {
            for (const std::size_t k : best_of(counter, config.top)) {
                piece.columns.push_back(counter.columns()[k]);
                piece.sums.push_back(counter.sums()[k]);
            }
        }
        piece.counts.push_back(static_cast<std::int64_t>(piece.columns.size() - first));
    });
    SimilarRows result;
    result.offsets.push_back(0);
    for (const auto& piece : pieces) {
        for (const std::int64_t count : piece.counts) result.offsets.push_back(result.offsets.back() + count);
    }
    result.columns.resize(static_cast<std::size_t>(result.offsets.back()));
    result.values.resize(result.columns.size());
    const double total = total_weight(config);
    parallel_for(config.threads, pieces.size(), [&](std::size_t block, int) {
        Piece<Sum> piece = std::move(pieces[block]);
        const auto at = static_cast<std::size_t>(result.offsets[block * block_rows]);
        for (std::size_t k = 0; k < piece.columns.size(); ++k) {
            result.columns[at + k] = piece.columns[k];
            result.values[at + k] = static_cast<double>(piece.sums[k]) / total;
        }
    });
    return result;
}

template <class Sum>
std::vector<double> squares_by(LeafRows queries, LeafRows others, std::span<const std::int64_t> query_groups,
                               std::span<const std::int64_t> other_groups, const SimilarityConfig& config,
                               Control& control) {
    const Members members(others, config);
    const double total = total_weight(config);
    std::vector<double> squares(queries.rows, 0.0);
    const auto nothing = [](std::size_t, std::size_t, std::size_t) {};
    count_all<Sum>(queries, others, members, config, control, nothing,
                   [&](std::size_t row, const Counter<Sum>& counter) {
                       for (std::size_t k = 0; k < counter.size(); ++k) {
                           const auto other = static_cast<std::size_t>(counter.columns()[k]);
                           const double value = static_cast<double>(counter.sums()[k]) / total;
                           if (query_groups.empty() || query_groups[row] == other_groups[other])
                               squares[row] += value * value;
                       }
                   });
    return squares;
}

}  // namespace

SimilarRows leaf_similarity(LeafRows queries, LeafRows others, const SimilarityConfig& config, Control& control) {
    check(queries, config);
    check(others, config);
    return whole_counts(config) ? similarity_by<std::uint16_t>(queries, others, config, control)
                                : similarity_by<double>(queries, others, config, control);
}

std::vector<double> squared_similarity(LeafRows queries, LeafRows others, std::span<const std::int64_t> query_groups,
                                       std::span<const std::int64_t> other_groups, const SimilarityConfig& config,
                                       Control& control) {
    check(queries, config);
    check(others, config);
    return whole_counts(config)
               ? squares_by<std::uint16_t>(queries, others, query_groups, other_groups, config, control)
               : squares_by<double>(queries, others, query_groups, other_groups, config, control);
}

}  // namespace vaglio
