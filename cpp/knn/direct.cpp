// Every distance directly in float64: any metric, categories, missing values. Where it pays, a filter in 16 bits says
// first which rows are too far (knn/coarse/coarse_table.hpp).
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "knn/coarse/coarse_table.hpp"
#include "knn/pricing.hpp"
#include "knn/search.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t block_rows = 512;     // rows transposed at once and met by all queries of a chunk
constexpr std::size_t chunk_queries = 256;  // queries of one task

// From so many rows and queries on the filter pays for what it has to be told of the rows.
constexpr std::size_t rows_to_filter = 4 * block_rows, queries_to_filter = 32;
static_assert(block_rows % coarse_rows == 0);

const auto measure = VAGLIO_LEVELS(measure).best();
const auto coarse_filter = VAGLIO_LEVELS(coarse_filter).best();

double norm(const double* row, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += row[j] * row[j];
    return std::sqrt(sum);
}

// A block of rows, transposed panel by panel.
class Block {
 public:
    Block(const Points& train, bool with_norms)
        : train_(train),
          with_norms_(with_norms),
          numeric_(block_rows * train.n_numeric),
          codes_(block_rows * train.n_nominal),
          norms_(block_rows) {}

    void load(std::size_t first) {
        first_ = first;
        count_ = std::min(block_rows, train_.n_rows - first);
        for (std::size_t r = 0; r < count_; ++r) {
            const std::size_t panel = r / lanes, lane = r % lanes;
            const double* row = train_.row(first + r);
            const std::size_t place = panel * lanes * train_.n_numeric + lane;
            for (std::size_t j = 0; j < train_.n_numeric; ++j) numeric_[place + j * lanes] = row[j];
            const std::int32_t* code_row = train_.code_row(first + r);
            const std::size_t code_place = panel * lanes * train_.n_nominal + lane;
            for (std::size_t j = 0; j < train_.n_nominal; ++j) codes_[code_place + j * lanes] = code_row[j];
            if (with_norms_) norms_[r] = norm(row, train_.n_numeric);
        }
    }

    std::size_t first() const { return first_; }
    std::size_t count() const { return count_; }
    Panel panel(std::size_t row) const {
        return {numeric_.data() + row * train_.n_numeric, codes_.data() + row * train_.n_nominal, norms_.data() + row};
    }

 private:
    const Points& train_;
    bool with_norms_;
    std::size_t first_ = 0, count_ = 0;
    std::vector<double> numeric_;
    std::vector<std::int32_t> codes_;
    std::vector<double> norms_;
};

void scan_block(const Block& block, const Query& query, std::size_t q, std::size_t self, const Distance& by,
                Best& best) {
    double sums[lanes];
    for (std::size_t r = 0; r < block.count(); r += lanes) {
        measure(by, block.panel(r), query, sums);
        const std::size_t filled = std::min(lanes, block.count() - r);
        const double worst = best.worst(q);
        for (std::size_t l = 0; l < filled; ++l) {
            const std::size_t row = block.first() + r + l;
            if (sums[l] > worst || row == self) continue;
            best.offer(q, {ordered(sums[l]), static_cast<std::uint32_t>(row)});
        }
    }
}

// What one task asks: its queries, what they have found so far, and how rows are measured.
class Chunk {
 public:
    Chunk(const Points& train, const Points& queries, const NeighborConfig& config, const Distance& by,
          const CoarseTable* coarse, std::size_t first, std::size_t count)
        : train_(train),
          by_(by),
          coarse_(coarse),
          exclude_self_(config.exclude_self),
          first_(first),
          codes_(query_codes(queries, first, count)),
          best_(count, config.k),
          block_(train, by.metric == Metric::cosine),
          terms_(coarse != nullptr ? count : 0) {
        for (std::size_t q = 0; q < count; ++q) {
            const double* x = queries.row(first + q);
            const double length = by.metric == Metric::cosine ? norm(x, queries.n_numeric) : 0.0;
            queries_.push_back({x, codes_.data() + q * queries.n_nominal, length});
            if (coarse != nullptr) asked_.push_back(coarse->query(queries_[q], terms_[q]));
        }
    }

    // Looks at the rows of the block that begins with this one.
    void scan(std::size_t start) {
        bool loaded = false;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            const std::size_t self = exclude_self_ ? first_ + q : train_.n_rows;
            const std::uint16_t limit = coarse_ != nullptr ? coarse_->limit(best_.worst(q)) : coarse_most;
            if (limit < coarse_most) {
                asked_[q].limit = limit;
                scan_coarsely(start, q, self);
                continue;
            }
            if (!loaded) block_.load(start);
            loaded = true;
            scan_block(block_, queries_[q], q, self, by_, best_);
        }
    }

    void write(Found out) {
        for (std::size_t q = 0; q < queries_.size(); ++q) best_.write(q, out, first_ + q);
    }

 private:
    void scan_coarsely(std::size_t start, std::size_t q, std::size_t self) {
        std::uint64_t passed[block_rows / coarse_rows];
        const std::size_t count = std::min(block_rows, train_.n_rows - start);
        const std::size_t n_panels = (count + coarse_rows - 1) / coarse_rows;
        coarse_filter(coarse_->panel(start), n_panels, coarse_->columns(), asked_[q], passed);
        for (std::size_t p = 0; p < n_panels; ++p) {
            for (; passed[p] != 0; passed[p] &= passed[p] - 1) {
                const std::size_t row = start + p * coarse_rows + static_cast<std::size_t>(std::countr_zero(passed[p]));
                if (row >= train_.n_rows || row == self) continue;  // places after the last row are empty
                const double distance = coarse_survivor(by_, train_, row, queries_[q]);
                best_.offer(q, {ordered(distance), static_cast<std::uint32_t>(row)});
            }
        }
    }

    const Points& train_;
    const Distance& by_;
    const CoarseTable* coarse_;
    bool exclude_self_;
    std::size_t first_;
    std::vector<std::int32_t> codes_;
    std::vector<Query> queries_;
    Best best_;
    Block block_;
    std::vector<std::vector<CoarseTerm>> terms_;
    std::vector<CoarseQuery> asked_;
};

}  // namespace

void search_direct(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                   Found out) {
    const Pricing pricing(train, config);
    std::optional<CoarseTable> coarse;
    if (filtered_directly(train, queries.n_rows, config)) coarse.emplace(train, pricing.distance(), config.threads);
    const CoarseTable* filter = coarse && coarse->usable() ? &*coarse : nullptr;
    const std::size_t share = queries.n_rows / static_cast<std::size_t>(std::max(config.threads, 1)) + 1;
    const std::size_t chunk = std::min(chunk_queries, share);
    const std::size_t n_chunks = (queries.n_rows + chunk - 1) / chunk;
    control.expect(n_chunks);
    parallel_for(config.threads, n_chunks, [&](std::size_t c, int) {
        const std::size_t first = c * chunk, count = std::min(chunk, queries.n_rows - first);
        Chunk task(train, queries, config, pricing.distance(), filter, first, count);
        for (std::size_t start = 0; start < train.n_rows; start += block_rows) {
            task.scan(start);
            control.check();
        }
        task.write(out);
        control.advance(1);
    });
}

bool filtered_directly(const Points& train, std::size_t queries, const NeighborConfig& config) {
    return train.n_rows >= rows_to_filter && queries >= queries_to_filter && CoarseTable::serves(config.metric);
}

}  // namespace vaglio::knn
