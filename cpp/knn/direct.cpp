// Every distance directly in float64: any metric, categories, missing values.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.hpp"
#include "knn/pricing.hpp"
#include "knn/search.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t block_rows = 1024;    // rows transposed at once and met by all queries of a chunk
constexpr std::size_t chunk_queries = 256;  // queries of one task

const auto measure = VAGLIO_LEVELS(measure).best();

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

}  // namespace

void search_direct(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                   Found out) {
    const Pricing pricing(train, config);
    const std::size_t share = queries.n_rows / static_cast<std::size_t>(std::max(config.threads, 1)) + 1;
    const std::size_t chunk = std::min(chunk_queries, share);
    const std::size_t n_chunks = (queries.n_rows + chunk - 1) / chunk;
    const bool cosine = config.metric == Metric::cosine;
    control.expect(n_chunks);
    parallel_for(config.threads, n_chunks, [&](std::size_t c, int) {
        const std::size_t first = c * chunk, count = std::min(chunk, queries.n_rows - first);
        const std::vector<std::int32_t> codes = query_codes(queries, first, count);
        Best best(count, config.k);
        Block block(train, cosine);
        for (std::size_t start = 0; start < train.n_rows; start += block_rows) {
            block.load(start);
            for (std::size_t q = 0; q < count; ++q) {
                const double* x = queries.row(first + q);
                const Query query{x, codes.data() + q * queries.n_nominal, cosine ? norm(x, queries.n_numeric) : 0.0};
                const std::size_t self = config.exclude_self ? first + q : train.n_rows;
                scan_block(block, query, q, self, pricing.distance(), best);
            }
            control.check();
        }
        for (std::size_t q = 0; q < count; ++q) best.write(q, out, first + q);
        control.advance(1);
    });
}

}  // namespace vaglio::knn
