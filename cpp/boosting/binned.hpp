#pragma once
// The training table as bins: every number is replaced by the number of its interval, every category by its code.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_memory.hpp"
#include "columns/binned.hpp"

namespace vaglio::boosting {

// The columns as they come: numbers in any memory order (NaN: missing), codes column by column (negative: missing).
struct RawTable {
    std::size_t rows = 0;
    std::vector<Feature> features;  // in the user's order: ties go to the first
    const double* numeric = nullptr;
    std::int64_t row_stride = 0, column_stride = 0;
    const std::int32_t* codes = nullptr;
    std::vector<std::uint32_t> categories;  // per nominal column
};

struct BinnedFeature {
    bool nominal = false;
    std::uint32_t bins = 0;          // of values that are there; missing ones are in bin `bins`
    bool missing = false;            // whether a value is missing
    std::vector<double> thresholds;  // numeric: bin b holds thresholds[b - 1] < x <= thresholds[b]
    std::size_t offset = 0;          // of its first bin in a histogram of all features

    std::uint32_t slots() const { return bins + 1; }
};

// A few features of all rows, row after row: what a small node reads of a row lies on one cache line.
struct BinBlock {
    std::size_t first = 0, count = 0;  // which of `order`
    std::size_t bytes = 1;             // per bin: 1 or 2
    std::size_t stride = 0;            // bytes from row to row
    LargeVector<std::uint8_t> rows;
    const std::uint8_t* lent = nullptr;  // rows that another holds

    const std::uint8_t* data() const { return lent ? lent : rows.data(); }
};

// Features of a block whose bins a histogram pass takes at a time, eight at most.
struct FeatureGroup {
    std::size_t block, first, count;  // the features first, first + 1, … of the block
};

class BinnedTable {
 public:
    // At most max_bins intervals per numeric column: one per distinct value if there are so few, else quantiles of at
    // most sample_rows rows, which the seed draws. With `among`, only these rows decide where bins end; with `weight`,
    // rows count by their weight.
    BinnedTable(const RawTable& raw, std::uint32_t max_bins, std::uint64_t seed, int threads,
                std::span<const std::uint32_t> among = {}, const double* weight = nullptr);

    // Rows in bins that are known; thresholds, or the number of categories, and whether values are missing.
    BinnedTable(const RawTable& raw, std::vector<BinnedFeature> features, int threads);
    // Rows that were made blocks of before, which another holds; without columns. No rows: what a feature is, alone.
    BinnedTable(std::vector<BinnedFeature> features, std::size_t rows, const std::vector<const std::uint8_t*>& blocks);

    std::size_t rows() const { return rows_; }
    std::size_t slots() const { return slots_; }  // of a histogram of all features
    const std::vector<BinnedFeature>& features() const { return features_; }
    const std::vector<std::uint32_t>& order() const { return order_; }  // features as the blocks hold them
    const std::vector<BinBlock>& blocks() const { return blocks_; }
    const std::vector<FeatureGroup>& groups() const { return groups_; }  // block after block
    static constexpr std::size_t group_features = 8;                     // at most
    std::span<const std::uint32_t> features_of(const FeatureGroup& group) const {
        return {order_.data() + blocks_[group.block].first + group.first, group.count};
    }

    // The bins of all rows, of a table that has columns.
    const BinnedColumn& column(std::size_t feature) const { return columns_[feature]; }

    // Where the bin of a row is in the blocks: at data + row * stride, a word if it is wide.
    struct Place {
        const std::uint8_t* data;
        std::size_t stride;
        bool wide;

        std::uint32_t bin(std::size_t row) const {
            const std::uint8_t* at = data + row * stride;
            return wide ? *reinterpret_cast<const std::uint16_t*>(at) : *at;
        }
    };
    Place place(std::size_t feature) const;

    static constexpr std::size_t sample_rows = 200000;
    static constexpr std::uint32_t most_bins = 65535;  // of a column, the bin of missing values included

 private:
    void find_bins(const RawTable& raw, std::size_t feature, std::uint32_t max_bins,
                   const std::vector<std::uint32_t>& sample, std::span<const std::uint32_t> among,
                   const double* weight);
    void number_slots();
    void plan_blocks();
    void fill(const RawTable& raw, int threads);
    void fill_column(const RawTable& raw, std::size_t feature);
    void fill_blocks(int threads);

    std::size_t rows_ = 0, slots_ = 0;
    std::vector<BinnedFeature> features_;
    std::vector<std::uint32_t> order_;
    std::vector<BinBlock> blocks_;
    std::vector<FeatureGroup> groups_;
    std::vector<BinnedColumn> columns_;  // in codes_; null where there are blocks alone
    LargeVector<std::uint8_t> codes_;
};

// Rows to look for quantiles in: all of them or of `among`, or a sample that depends on the seed alone.
std::vector<std::uint32_t> rows_for_bins(std::size_t rows, std::span<const std::uint32_t> among, std::uint64_t seed);

// The thresholds between bins of the values of a column, which are sorted and present; quantiles by weight if there is
// one.
std::vector<double> bin_thresholds(const std::vector<double>& sorted, std::uint32_t max_bins,
                                   const std::vector<double>& weight = {});

}  // namespace vaglio::boosting
