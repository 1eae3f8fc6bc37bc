// Rows are taken in chunks whose bins and gradients stay in the cache, and features eight at a time: their bins are one
// word (of wide columns two), and their histograms fit the first-level cache.
#include "boosting/histogram.hpp"

#include <algorithm>
#include <cstring>

#include "base/compiler.hpp"
#include "base/parallel.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t octet_features = 8;
constexpr std::size_t chunk_rows = 512;
constexpr std::size_t ahead = 24;  // rows that are asked for before they are needed
// Below so many additions a second thread costs more than it gives; from so many rows on, threads take rows of their
// own and add up their histograms, else features of their own.
constexpr std::size_t least_work = 1 << 15;
constexpr std::size_t least_rows = 1 << 14;
constexpr std::size_t piece_rows = 4 * chunk_rows;

// Both sums of a slot in one addition, where the compiler has vectors: it does not find this by itself.
VAGLIO_INLINE void add_to(GradientSums* slot, const GradientSums& sums) {
#if defined(__GNUC__)
    using Both __attribute__((vector_size(sizeof(GradientSums)))) = long long;
    Both own, more;
    std::memcpy(&own, slot, sizeof own);
    std::memcpy(&more, &sums, sizeof more);
    own += more;
    std::memcpy(slot, &own, sizeof own);
#else
    *slot += sums;
#endif
}

// Rows of one octet: their bins begin at `data`. Of the `left` rows from the first one on, those after `count` are only
// asked for, ahead of their turn.
struct Rows {
    const std::uint8_t* data;
    std::size_t stride;
    const std::uint32_t* rows;
    const GradientSums* sums;
    std::size_t count, left;
};

template <class Bin, int features, bool ask>
void add_octet(const Rows& from, GradientSums* const* histograms) {
    GradientSums* to[features];
    std::copy(histograms, histograms + features, to);
    const std::size_t last = from.left - 1;
    for (std::size_t i = 0; i < from.count; ++i) {
        if constexpr (ask) VAGLIO_PREFETCH(from.data + from.rows[i + ahead < last ? i + ahead : last] * from.stride);
        Bin bins[octet_features];
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
            return add_octet<Bin, 1, ask>(from, histograms);
        case 2:
            return add_octet<Bin, 2, ask>(from, histograms);
        case 3:
            return add_octet<Bin, 3, ask>(from, histograms);
        case 4:
            return add_octet<Bin, 4, ask>(from, histograms);
        case 5:
            return add_octet<Bin, 5, ask>(from, histograms);
        case 6:
            return add_octet<Bin, 6, ask>(from, histograms);
        case 7:
            return add_octet<Bin, 7, ask>(from, histograms);
        default:
            return add_octet<Bin, 8, ask>(from, histograms);
    }
}

template <class Bin>
void add_features(int features, const Rows& from, bool ask, GradientSums* const* histograms) {
    ask ? add_features<Bin, true>(features, from, histograms) : add_features<Bin, false>(features, from, histograms);
}

}  // namespace

std::size_t HistogramBuilder::octets() const {
    std::size_t total = 0;
    for (const BinBlock& block : table_.blocks()) total += (block.count + octet_features - 1) / octet_features;
    return total;
}

std::vector<std::uint32_t> HistogramBuilder::features_of(std::size_t octet) const {
    for (const BinBlock& block : table_.blocks()) {
        const std::size_t own = (block.count + octet_features - 1) / octet_features;
        if (octet < own) {
            const auto first =
                table_.order().begin() + static_cast<std::ptrdiff_t>(block.first + octet * octet_features);
            const std::size_t count = std::min(octet_features, block.count - octet * octet_features);
            return {first, first + static_cast<std::ptrdiff_t>(count)};
        }
        octet -= own;
    }
    return {};
}

void HistogramBuilder::add(const BinBlock& block, std::size_t octet, bool ask, const Chunk& chunk,
                           GradientSums* to) const {
    const std::size_t first = octet * octet_features, features = std::min(octet_features, block.count - first);
    GradientSums* histograms[octet_features];
    for (std::size_t j = 0; j < features; ++j) {
        histograms[j] = to + table_.features()[table_.order()[block.first + first + j]].offset;
    }
    const Rows from{block.data() + first * block.bytes, block.stride, chunk.rows, chunk.sums, chunk.count, chunk.left};
    if (block.bytes == 1) {
        add_features<std::uint8_t>(static_cast<int>(features), from, ask, histograms);
    } else {
        add_features<std::uint16_t>(static_cast<int>(features), from, ask, histograms);
    }
}

void HistogramBuilder::add_rows(const RowGradient* gradients, const FixedPoint& unit,
                                std::span<const std::uint32_t> rows, std::size_t first_octet, std::size_t last_octet,
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
        std::size_t number = 0;
        for (const BinBlock& block : table_.blocks()) {
            // The first octet of a row that is read brings the cache line of the others.
            bool ask = true;
            for (std::size_t octet = 0; octet * octet_features < block.count; ++octet, ++number) {
                if (number < first_octet || number >= last_octet) continue;
                add(block, octet, ask, chunk, to);
                ask = false;
            }
        }
    }
}

void HistogramBuilder::build(const RowGradient* gradients, const FixedPoint& unit, std::span<const std::uint32_t> rows,
                             Histogram& to) {
    const std::size_t all = octets(), n = rows.size();
    to.resize(table_.slots());
    const auto clear = [](Histogram& h) { std::fill(h.begin(), h.end(), GradientSums{}); };
    clear(to);
    const auto workers = static_cast<std::size_t>(threads_);
    if (workers < 2 || inside_parallel() || n * table_.features().size() < least_work) {
        add_rows(gradients, unit, rows, 0, all, to.data());
        return;
    }
    // Threads that wake up late find less to do: work is handed out in many small pieces.
    if (n < least_rows && all >= workers) {
        parallel_for(threads_, all,
                     [&](std::size_t octet, int) { add_rows(gradients, unit, rows, octet, octet + 1, to.data()); });
        return;
    }
    parts_.resize(workers - 1);
    std::vector<std::uint8_t> used(workers, 0);
    parallel_for(threads_, (n + piece_rows - 1) / piece_rows, [&](std::size_t piece, int worker) {
        const auto w = static_cast<std::size_t>(worker);
        Histogram& own = w == 0 ? to : parts_[w - 1];
        if (w > 0 && !used[w]) {
            own.resize(table_.slots());
            clear(own);
            used[w] = 1;
        }
        const std::size_t first = piece * piece_rows;
        add_rows(gradients, unit, rows.subspan(first, std::min(piece_rows, n - first)), 0, all, own.data());
    });
    for (std::size_t w = 1; w < workers; ++w) {
        for (std::size_t s = 0; used[w] && s < to.size(); ++s) to[s] += parts_[w - 1][s];
    }
}

void subtract(Histogram& parent, const Histogram& child) {
    for (std::size_t s = 0; s < parent.size(); ++s) parent[s] = parent[s] - child[s];
}

}  // namespace vaglio::boosting
