#include "boosting/binned.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t block_bytes = 64;  // of a row in a block: a cache line

}  // namespace

std::vector<std::uint32_t> rows_for_bins(std::size_t rows, std::span<const std::uint32_t> among, std::uint64_t seed) {
    if (!among.empty()) rows = among.size();
    const auto row = [&](std::size_t i) { return among.empty() ? static_cast<std::uint32_t>(i) : among[i]; };
    std::vector<std::uint32_t> sample;
    if (rows <= BinnedTable::sample_rows) {
        for (std::size_t i = 0; i < rows; ++i) sample.push_back(row(i));
        return sample;
    }
    // One row of each of so many equal stretches of the table.
    Random random(key_of(seed, 0xb1));
    for (std::size_t i = 0; i < BinnedTable::sample_rows; ++i) {
        const std::size_t begin = i * rows / BinnedTable::sample_rows, end = (i + 1) * rows / BinnedTable::sample_rows;
        sample.push_back(row(begin + random.below(end - begin)));
    }
    return sample;
}

BinnedTable::BinnedTable(const RawTable& raw, std::uint32_t max_bins, std::uint64_t seed, int threads,
                         std::span<const std::uint32_t> among, const double* weight)
    : rows_(raw.rows), features_(raw.features.size()) {
    const std::vector<std::uint32_t> sample = rows_for_bins(raw.rows, among, seed);
    parallel_for(threads, features_.size(),
                 [&](std::size_t f, int) { find_bins(raw, f, max_bins, sample, among, weight); });
    fill(raw, threads);
}

BinnedTable::BinnedTable(const RawTable& raw, std::vector<BinnedFeature> features, int threads)
    : rows_(raw.rows), features_(std::move(features)) {
    fill(raw, threads);
}

BinnedTable::BinnedTable(std::vector<BinnedFeature> features, std::size_t rows,
                         const std::vector<const std::uint8_t*>& blocks)
    : rows_(rows), features_(std::move(features)) {
    number_slots();
    plan_blocks();
    for (std::size_t b = 0; b < std::min(blocks.size(), blocks_.size()); ++b) blocks_[b].lent = blocks[b];
}

void BinnedTable::find_bins(const RawTable& raw, std::size_t f, std::uint32_t max_bins,
                            const std::vector<std::uint32_t>& sample, std::span<const std::uint32_t> among,
                            const double* weight) {
    const auto [nominal, column] = raw.features[f];
    BinnedFeature& feature = features_[f];
    feature.nominal = nominal;
    if (nominal) {
        feature.bins = raw.categories[column];
        const std::int32_t* codes = raw.codes + column * raw.rows;
        feature.missing = std::any_of(codes, codes + raw.rows, [](std::int32_t code) { return code < 0; });
        return;
    }
    const double* values = raw.numeric + static_cast<std::int64_t>(column) * raw.column_stride;
    const auto value = [&](std::size_t row) { return values[static_cast<std::int64_t>(row) * raw.row_stride]; };
    std::vector<double> present;
    for (const std::uint32_t row : sample) {
        if (const double x = value(row); x == x) present.push_back(x);
    }
    const std::size_t asked = among.empty() ? raw.rows : among.size();
    for (std::size_t i = 0; i < asked && !feature.missing; ++i) {
        feature.missing = std::isnan(value(among.empty() ? i : among[i]));
    }
    std::vector<double> weights;
    if (weight) {
        std::vector<std::pair<double, double>> both;
        for (const std::uint32_t row : sample) {
            if (const double x = value(row); x == x) both.emplace_back(x, weight[row]);
        }
        std::stable_sort(both.begin(), both.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [x, w] : both) weights.push_back(w);
    }
    sort_numbers(present);
    feature.thresholds = bin_thresholds(present, max_bins, weights);
    feature.bins = static_cast<std::uint32_t>(feature.thresholds.size()) + 1;
}

void BinnedTable::number_slots() {
    for (BinnedFeature& feature : features_) {
        if (feature.slots() > most_bins) throw std::invalid_argument("a column has more values than bins can number");
        feature.offset = slots_;
        slots_ += feature.slots();
        columns_.push_back({nullptr, code_bytes(feature.bins), feature.bins, feature.missing});
    }
}

void BinnedTable::fill(const RawTable& raw, int threads) {
    number_slots();
    std::vector<std::size_t> starts;
    std::size_t bytes = 0;
    for (const BinnedColumn& column : columns_) {
        starts.push_back(bytes);
        bytes += (rows_ * column.bytes + 63) / 64 * 64;
    }
    codes_.resize(bytes);
    for (std::size_t f = 0; f < columns_.size(); ++f) columns_[f].codes = codes_.data() + starts[f];
    parallel_for(threads, features_.size(), [&](std::size_t f, int) { fill_column(raw, f); });
    plan_blocks();
    fill_blocks(threads);
}

void BinnedTable::fill_column(const RawTable& raw, std::size_t f) {
    // Not taken apart: clang before version 16 cannot capture the names.
    const Feature& from = raw.features[f];
    const BinnedFeature& feature = features_[f];
    const auto fill = [&](auto* to) {
        if (from.nominal) return code_categories(raw.codes + from.column * raw.rows, rows_, feature.bins, to);
        const double* values = raw.numeric + static_cast<std::int64_t>(from.column) * raw.column_stride;
        const auto value = [&](std::size_t i) { return values[static_cast<std::int64_t>(i) * raw.row_stride]; };
        code_numbers(feature.thresholds, false, 0, rows_, value, to);
    };
    std::uint8_t* to = codes_.data() + (static_cast<const std::uint8_t*>(columns_[f].codes) - codes_.data());
    if (columns_[f].bytes == 1) return fill(to);
    fill(reinterpret_cast<std::uint16_t*>(to));
}

void BinnedTable::plan_blocks() {
    for (const std::size_t bytes : {1, 2}) {
        std::size_t left = 0;
        for (std::size_t f = 0; f < features_.size(); ++f) {
            if (columns_[f].bytes != bytes) continue;
            if (left == 0) {
                blocks_.push_back({order_.size(), 0, bytes, 0, {}, nullptr});
                left = block_bytes / bytes;
            }
            order_.push_back(static_cast<std::uint32_t>(f));
            ++blocks_.back().count;
            --left;
        }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        BinBlock& block = blocks_[b];
        // As few groups as can be, of about as many features each. A pass reads eight bins even for a smaller one: the
        // last group of a row may reach into bytes that no feature uses.
        const std::size_t groups = (block.count + group_features - 1) / group_features;
        block.stride = groups * group_features * block.bytes;
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t first = g * block.count / groups, end = (g + 1) * block.count / groups;
            groups_.push_back({b, first, end - first});
        }
    }
}

BinnedTable::Place BinnedTable::place(std::size_t feature) const {
    const auto at = static_cast<std::size_t>(
        std::find(order_.begin(), order_.end(), static_cast<std::uint32_t>(feature)) - order_.begin());
    for (const BinBlock& block : blocks_) {
        if (at < block.first + block.count) {
            return {block.data() + (at - block.first) * block.bytes, block.stride, block.bytes == 2};
        }
    }
    throw std::invalid_argument("there is no such feature");
}

void BinnedTable::fill_blocks(int threads) {
    for (BinBlock& block : blocks_) block.rows.resize(rows_ * block.stride);
    constexpr std::size_t chunk = 4096;
    const std::size_t chunks = (rows_ + chunk - 1) / chunk;
    parallel_for(threads, blocks_.size() * chunks, [&](std::size_t item, int) {
        BinBlock& block = blocks_[item / chunks];
        const std::size_t begin = item % chunks * chunk, end = std::min(rows_, begin + chunk);
        std::fill(block.rows.data() + begin * block.stride, block.rows.data() + end * block.stride, std::uint8_t{0});
        for (std::size_t j = 0; j < block.count; ++j) {
            with_codes(columns_[order_[block.first + j]], [&](const auto* column) {
                using Bin = std::remove_cvref_t<decltype(*column)>;
                for (std::size_t i = begin; i < end; ++i) {
                    reinterpret_cast<Bin*>(block.rows.data() + i * block.stride)[j] = column[i];
                }
            });
        }
    });
}

}  // namespace vaglio::boosting
