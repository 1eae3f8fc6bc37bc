// Rows are taken in chunks whose bins and gradients stay in the cache, and features up to eight at a time: their bins
// are one word (of wide columns two), and their histograms fit the first-level cache.
#include "boosting/histogram.hpp"

#include <algorithm>
#include <cstring>

#include "base/compiler.hpp"
#include "base/parallel.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t group_features = BinnedTable::group_features;
constexpr std::size_t chunk_rows = 512;
constexpr std::size_t ahead = 24;  // rows that are asked for before they are needed
// From so many rows on, threads take rows of their own and add up their histograms; before, groups of features of their
// own if there are enough.
constexpr std::size_t many_rows = 1 << 14, least_rows = 1 << 12;

// Both sums of a slot in one addition, where the compiler has vectors: it does not find this by itself.
VAGLIO_INLINE void add_to(GradientSums* slot, const GradientSums& sums) {
#if defined(__GNUC__)
    using Both __attribute__((vector_size(sizeof(GradientSums)))) = long long;
    Both own, more;
    std::memcpy(&own, slot, sizeof own);
    std::memcpy(&more, &sums, sizeof more);
    own += more;
    std::memcpy(static_cast<void*>(slot), &own, sizeof own);
#else
    *slot += sums;
#endif
}

// Rows of one group: their bins begin at `data`. Of the `left` rows from the first one on, those after `count` are only
// asked for, ahead of their turn.
struct Rows {
    const std::uint8_t* data;
    std::size_t stride;
    const std::uint32_t* rows;
    const GradientSums* sums;
    std::size_t count, left;
};

template <class Bin, int features, bool ask>
void add_group(const Rows& from, GradientSums* const* histograms) {
    GradientSums* to[features];
    std::copy(histograms, histograms + features, to);
    const std::size_t last = from.left - 1;
    for (std::size_t i = 0; i < from.count; ++i) {
        if constexpr (ask) VAGLIO_PREFETCH(from.data + from.rows[i + ahead < last ? i + ahead : last] * from.stride);
        Bin bins[group_features];
        std::memcpy(bins, from.data + from.rows[i] * from.stride, sizeof bins);
        const GradientSums own = from.sums[i];
#pragma GCC unroll 8
        for (int f = 0; f < features; ++f) add_to(to[f] + bins[f], own);
    }
}

template <class Bin, bool ask>
void add_features(int features, const Rows& from, GradientSums* const* histograms) {
    switch (features) {
        case 1:
            return add_group<Bin, 1, ask>(from, histograms);
        case 2:
            return add_group<Bin, 2, ask>(from, histograms);
        case 3:
            return add_group<Bin, 3, ask>(from, histograms);
        case 4:
            return add_group<Bin, 4, ask>(from, histograms);
        case 5:
            return add_group<Bin, 5, ask>(from, histograms);
        case 6:
            return add_group<Bin, 6, ask>(from, histograms);
        case 7:
            return add_group<Bin, 7, ask>(from, histograms);
        default:
            return add_group<Bin, 8, ask>(from, histograms);
    }
}

template <class Bin>
void add_features(int features, const Rows& from, bool ask, GradientSums* const* histograms) {
    ask ? add_features<Bin, true>(features, from, histograms) : add_features<Bin, false>(features, from, histograms);
}

}  // namespace

void HistogramBuilder::add_chunk(const FeatureGroup& group, bool ask, const Chunk& chunk, GradientSums* to) const {
    const BinBlock& block = table_.blocks()[group.block];
    GradientSums* histograms[group_features];
    for (std::size_t j = 0; j < group.count; ++j) {
        histograms[j] = to + table_.features()[table_.features_of(group)[j]].offset;
    }
    const std::uint8_t* data = block.data() + group.first * block.bytes;
    const Rows from{data, block.stride, chunk.rows, chunk.sums, chunk.count, chunk.left};
    if (block.bytes == 1) {
        add_features<std::uint8_t>(static_cast<int>(group.count), from, ask, histograms);
    } else {
        add_features<std::uint16_t>(static_cast<int>(group.count), from, ask, histograms);
    }
}

void HistogramBuilder::add_rows(const RowGradient* gradients, const FixedPoint& unit,
                                std::span<const std::uint32_t> rows, std::size_t first_group, std::size_t last_group,
                                GradientSums* to) const {
    GradientSums sums[chunk_rows];
    const std::uint64_t one = unit.one_row();
    for (std::size_t begin = 0; begin < rows.size(); begin += chunk_rows) {
        const std::size_t left = rows.size() - begin;
        const Chunk chunk{rows.data() + begin, sums, std::min(chunk_rows, left), left};
        for (std::size_t i = 0; i < chunk.count; ++i) {
            if (i + 2 * ahead < left) VAGLIO_PREFETCH(gradients + chunk.rows[i + 2 * ahead]);
            const RowGradient& own = gradients[chunk.rows[i]];
            sums[i] = {own.gradient, own.hessian + one};
        }
        for (std::size_t g = first_group; g < last_group; ++g) {
            // The first group of a row that is read brings the cache line of the others.
            const bool ask = g == first_group || table_.groups()[g].block != table_.groups()[g - 1].block;
            add_chunk(table_.groups()[g], ask, chunk, to);
        }
    }
}

void HistogramBuilder::clear(std::vector<Histogram>& histograms) const {
    for (Histogram& histogram : histograms) {
        histogram.resize(table_.slots());
        std::fill(histogram.begin(), histogram.end(), GradientSums{});
    }
}

bool HistogramBuilder::by_rows(std::size_t rows) const {
    const bool enough_groups = table_.groups().size() >= static_cast<std::size_t>(threads_);
    return threads_ > 1 && rows >= (enough_groups ? many_rows : least_rows) && !inside_parallel();
}

void HistogramBuilder::begin(std::vector<Histogram>& to) {
    const auto workers = static_cast<std::size_t>(threads_);
    used_.assign(workers, 0);
    others_.resize(workers - 1);
    for (std::vector<Histogram>& own : others_) own.resize(to.size());
}

void HistogramBuilder::add(std::span<const std::uint32_t> rows, const TreeGradients& gradients, const FixedPoint& unit,
                           int worker, std::vector<Histogram>& to) {
    const auto w = static_cast<std::size_t>(worker);
    std::vector<Histogram>& own = w == 0 ? to : others_[w - 1];
    if (!used_[w]) clear(own);
    used_[w] = 1;
    for (std::size_t k = 0; k < own.size(); ++k) {
        add_rows(gradients.rows + k * gradients.stride, unit, rows, 0, table_.groups().size(), own[k].data());
    }
}

void HistogramBuilder::end(std::vector<Histogram>& to) {
    if (!used_[0]) clear(to);
}

void HistogramBuilder::add_up(const BinnedFeature& feature, std::vector<Histogram>& to) const {
    for (std::size_t w = 1; w < used_.size(); ++w) {
        if (!used_[w]) continue;
        for (std::size_t k = 0; k < to.size(); ++k) {
            const GradientSums* from = others_[w - 1][k].data() + feature.offset;
            GradientSums* own = to[k].data() + feature.offset;
            for (std::uint32_t slot = 0; slot < feature.slots(); ++slot) own[slot] += from[slot];
        }
    }
}

void HistogramBuilder::count(std::span<const std::span<const std::uint32_t>> lists, const TreeGradients& gradients,
                             const FixedPoint& unit, std::size_t first_group, std::size_t last_group,
                             std::vector<Histogram>& to) const {
    for (std::size_t k = 0; k < to.size(); ++k) {
        for (std::size_t g = first_group; g < last_group; ++g) {
            for (const std::uint32_t f : table_.features_of(table_.groups()[g])) {
                const BinnedFeature& feature = table_.features()[f];
                std::fill_n(to[k].begin() + static_cast<std::ptrdiff_t>(feature.offset), feature.slots(),
                            GradientSums{});
            }
        }
        const RowGradient* own = gradients.rows + k * gradients.stride;
        for (const auto& list : lists) add_rows(own, unit, list, first_group, last_group, to[k].data());
    }
}

void subtract(Histogram& parent, const Histogram& child, const BinnedFeature& feature) {
    GradientSums* from = parent.data() + feature.offset;
    const GradientSums* what = child.data() + feature.offset;
    for (std::uint32_t slot = 0; slot < feature.slots(); ++slot) from[slot] = from[slot] - what[slot];
}

}  // namespace vaglio::boosting
