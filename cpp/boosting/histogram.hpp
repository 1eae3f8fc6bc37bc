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

// The histogram of the other child: what the parent has more than this one.
void subtract(Histogram& parent, const Histogram& child);

class HistogramBuilder {
 public:
    HistogramBuilder(const BinnedTable& table, int threads) : table_(table), threads_(threads) {}

    // Fills the histogram of the given rows.
    void build(const RowGradient* gradients, const FixedPoint& unit, std::span<const std::uint32_t> rows,
               Histogram& to);

    // Features are taken eight at a time: how many such groups there are, and the features of one.
    std::size_t octets() const;
    std::vector<std::uint32_t> features_of(std::size_t octet) const;
    // Adds rows to the histograms of some octets, on the calling thread.
    void add_rows(const RowGradient* gradients, const FixedPoint& unit, std::span<const std::uint32_t> rows,
                  std::size_t first_octet, std::size_t last_octet, GradientSums* to) const;

 private:
    // Some rows with what they add; `left` is how many there are from the first one on.
    struct Chunk {
        const std::uint32_t* rows;
        const GradientSums* sums;
        std::size_t count, left;
    };
    // One octet of a block; `ask`: its rows are not in the cache yet.
    void add(const BinBlock& block, std::size_t octet, bool ask, const Chunk& chunk, GradientSums* to) const;

    const BinnedTable& table_;
    int threads_;
    std::vector<Histogram> parts_;  // of the other threads, when each takes a part of the rows
};

}  // namespace vaglio::boosting
