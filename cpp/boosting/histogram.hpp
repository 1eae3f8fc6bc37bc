#pragma once
// Sums of gradients per feature and bin over the rows of a node.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_memory.hpp"
#include "boosting/binned.hpp"
#include "boosting/fixed_point.hpp"

namespace vaglio::boosting {

using Histogram = LargeVector<GradientSums>;  // at BinnedFeature::offset + bin

// The histogram of the other child, of one feature: what the parent has more than this one.
void subtract(Histogram& parent, const Histogram& child, const BinnedFeature& feature);

// Derivatives of the outputs that a tree speaks for: those of output k begin at rows + k * stride.
struct TreeGradients {
    const RowGradient* rows = nullptr;
    std::size_t stride = 0;
};

class HistogramBuilder {
 public:
    HistogramBuilder(const BinnedTable& table, int threads) : table_(table), threads_(threads) {}

    // Whether so many rows are enough for threads that take rows of their own, each into histograms of its own.
    bool by_rows(std::size_t rows) const;
    // Begins to count the rows of a node into histograms per output. Any thread that works for parallel_for may add
    // some of the rows; add_up, of every feature, is the end.
    void begin(std::vector<Histogram>& to);
    void add(std::span<const std::uint32_t> rows, const TreeGradients& gradients, const FixedPoint& unit, int worker,
             std::vector<Histogram>& to);
    void end(std::vector<Histogram>& to);
    void add_up(const BinnedFeature& feature, std::vector<Histogram>& to) const;

    // Counts all rows of a node, which are in several lists, for some groups of features.
    void count(std::span<const std::span<const std::uint32_t>> lists, const TreeGradients& gradients,
               const FixedPoint& unit, std::size_t first_group, std::size_t last_group,
               std::vector<Histogram>& to) const;
    // Adds rows to the histograms of some groups of features, on the calling thread.
    void add_rows(const RowGradient* gradients, const FixedPoint& unit, std::span<const std::uint32_t> rows,
                  std::size_t first_group, std::size_t last_group, GradientSums* to) const;

 private:
    // Some rows with what they add; `left` is how many there are from the first one on.
    struct Chunk {
        const std::uint32_t* rows;
        const GradientSums* sums;
        std::size_t count, left;
    };
    // `ask`: its rows are not in the cache yet.
    void add_chunk(const FeatureGroup& group, bool ask, const Chunk& chunk, GradientSums* to) const;

    // Makes histograms of zeros.
    void clear(std::vector<Histogram>& histograms) const;

    const BinnedTable& table_;
    int threads_;
    std::vector<std::vector<Histogram>> others_;  // of the threads but the first, when each takes a part of the rows
    std::vector<std::uint8_t> used_;              // whether a thread has added rows
};

}  // namespace vaglio::boosting
