// Euclidean neighbours of complete numbers.
//
// ||x - z||^2 = ||x||^2 + ||z||^2 - 2 x.z costs one multiply-add per column, but it cancels: near neighbours of rows
// far from the origin would be ranked by rounding noise. So it only decides which rows cannot be neighbours, in float32
// and with the largest possible rounding error on the safe side. The rows that pass are ranked by direct differences in
// float64.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "knn/filter.hpp"
#include "knn/search.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t cached_bytes = 32 * 1024;            // of packed rows scanned by one group before the next
constexpr std::size_t chunk_queries = 40 * group_queries;  // queries of one task: rows stream from memory once for all
constexpr double far_query = 0x1p30;                       // scaled norm beyond which float32 would not hold the square

const auto filter = VAGLIO_LEVELS(filter_rows).best();

// Rows moved to their mean and scaled by a power of two (exact) so that float32 neither overflows nor underflows.
struct Frame {
    std::vector<double> centre;
    double scale = 1;
    double error = 0;  // relative bound: |computed - true| <= error (||x||^2 + ||z||^2)

    bool usable = true;  // false where a square would leave float64

    explicit Frame(const Points& train) : centre(train.n_numeric, 0.0) {
        const std::size_t columns = train.n_numeric;
        // Any centre near the rows will do: a sample's mean.
        const std::size_t stride = train.n_rows / 1024 + 1;
        const std::size_t sampled = (train.n_rows + stride - 1) / stride;
        const double share = 1.0 / static_cast<double>(sampled);
        for (std::size_t i = 0; i < train.n_rows; i += stride) {
            for (std::size_t j = 0; j < columns; ++j) centre[j] += train.row(i)[j] * share;
        }
        double largest = 0;
        for (std::size_t i = 0; i < train.n_rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                largest = std::max(largest, std::abs(train.row(i)[j] - centre[j]));
            }
        }
        usable = largest < 1e140;
        if (largest > 0 && usable) {
            int exponent = 0;
            std::frexp(largest * std::sqrt(static_cast<double>(columns)), &exponent);
            scale = std::ldexp(1.0, std::min(-exponent, 1000));
        }
        // Conversions to float32, columns + 1 roundings of sums no larger than 2 (||x||^2 + ||z||^2), doubled.
        error = 4.0 * static_cast<double>(columns + 8) * 0x1p-24;
    }

    double coordinate(double value, std::size_t j) const { return (value - centre[j]) * scale; }

    double squared_norm(const double* row) const {
        double sum = 0;
        for (std::size_t j = 0; j < centre.size(); ++j) sum += coordinate(row[j], j) * coordinate(row[j], j);
        return sum;
    }
};

float rounded_down(double x) { return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity()); }
float rounded_up(double x) { return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity()); }

constexpr double underflow = 1e-30;  // far above what float32 can lose below its smallest normal number

std::vector<float> pack(const Points& train, const Frame& frame, int threads) {
    const std::size_t columns = train.n_numeric;
    const std::size_t panel_size = panel_rows * (columns + 1);
    const std::size_t n_panels = (train.n_rows + panel_rows - 1) / panel_rows;
    std::vector<float> panels(n_panels * panel_size);
    parallel_for(threads, n_panels, [&](std::size_t p, int) {
        float* panel = panels.data() + p * panel_size;
        for (std::size_t r = 0; r < panel_rows; ++r) {
            const std::size_t i = p * panel_rows + r;
            if (i >= train.n_rows) {  // never below any limit
                panel[r] = std::numeric_limits<float>::infinity();
                continue;
            }
            panel[r] = rounded_down(frame.squared_norm(train.row(i)) * (1 - frame.error) - underflow);
            for (std::size_t j = 0; j < columns; ++j) {
                panel[(j + 1) * panel_rows + r] = static_cast<float>(frame.coordinate(train.row(i)[j], j));
            }
        }
    });
    return panels;
}

// One task: some queries against all rows.
class QueryChunk {
 public:
    QueryChunk(const Points& train, const Points& queries, const NeighborConfig& config, const Frame& frame,
               std::size_t first, std::size_t count)
        : train_(train),
          queries_(queries),
          config_(config),
          frame_(frame),
          first_(first),
          count_(count),
          best_(count, config.k),
          squared_norms_(count) {
        const std::size_t groups = (count + group_queries - 1) / group_queries;
        const std::size_t columns = train.n_numeric;
        packed_.assign(groups * group_queries * columns, 0.0f);
        limits_.assign(groups * group_queries, -std::numeric_limits<float>::max());
        for (std::size_t q = 0; q < count; ++q) {
            const double* x = queries.row(first + q);
            squared_norms_[q] = frame.squared_norm(x);
            if (!(squared_norms_[q] < far_query * far_query)) continue;
            limits_[q] = std::numeric_limits<float>::max();
            float* group = packed_.data() + (q / group_queries) * group_queries * columns;
            for (std::size_t j = 0; j < columns; ++j) {
                group[j * group_queries + q % group_queries] = static_cast<float>(2 * frame.coordinate(x[j], j));
            }
        }
    }

    void scan(const std::vector<float>& panels, Control& control) {
        const std::size_t panel_size = panel_rows * (train_.n_numeric + 1);
        const std::size_t n_panels = panels.size() / panel_size;
        const std::size_t at_once = std::max<std::size_t>(1, cached_bytes / (panel_size * sizeof(float)));
        for (std::size_t p = 0; p < n_panels; p += at_once) {
            block_start_ = p * panel_rows;
            for (std::size_t q = 0; q < count_; q += group_queries) {
                group_start_ = q;
                filter({panels.data() + p * panel_size, std::min(at_once, n_panels - p), train_.n_numeric,
                        packed_.data() + q * train_.n_numeric, limits_.data() + q, offer, this});
            }
            control.check();
        }
        for (std::size_t q = 0; q < count_; ++q) {
            if (!(squared_norms_[q] < far_query * far_query)) scan_directly(q);
        }
    }

    void write(Found out) {
        for (std::size_t q = 0; q < count_; ++q) best_.write(q, out, first_ + q);
    }

 private:
    static void offer(void* context, std::size_t query, std::size_t first_row, std::uint32_t rows) {
        auto& chunk = *static_cast<QueryChunk*>(context);
        query += chunk.group_start_;
        for (; rows; rows &= rows - 1) {
            chunk.rank(query, chunk.block_start_ + first_row + static_cast<std::size_t>(std::countr_zero(rows)));
        }
        chunk.limits_[query] = chunk.limit(query);
    }

    void rank(std::size_t query, std::size_t row) {
        if (config_.exclude_self && first_ + query == row) return;
        const double distance = squared_distance(queries_.row(first_ + query), train_.row(row), train_.n_numeric);
        best_.offer(query, {distance, static_cast<std::uint32_t>(row)});
    }

    // Every row whose float64 distance is at most the worst one held has offset - 2 x.z at or below this.
    float limit(std::size_t query) const {
        const double columns = static_cast<double>(train_.n_numeric);
        const double worst = best_.worst(query) * (1 + 1e-15 * (columns + 8)) + columns * 0x1p-1022;
        const double scaled =
            worst * frame_.scale * frame_.scale - squared_norms_[query] * (1 - frame_.error) + underflow;
        return scaled < std::numeric_limits<float>::max() ? rounded_up(scaled) : std::numeric_limits<float>::max();
    }

    void scan_directly(std::size_t query) {
        for (std::size_t row = 0; row < train_.n_rows; ++row) rank(query, row);
    }

    const Points& train_;
    const Points& queries_;
    const NeighborConfig& config_;
    const Frame& frame_;
    std::size_t first_, count_;
    std::size_t block_start_ = 0, group_start_ = 0;
    Best best_;
    std::vector<double> squared_norms_;
    std::vector<float> packed_, limits_;
};

}  // namespace

void search_tiles(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                  Found out) {
    const Frame frame(train);
    if (!frame.usable) return search_direct(train, queries, config, control, out);
    const std::vector<float> panels = pack(train, frame, config.threads);
    const std::size_t share = queries.n_rows / static_cast<std::size_t>(std::max(config.threads, 1)) + 1;
    const std::size_t chunk = std::min(chunk_queries, (share + group_queries - 1) / group_queries * group_queries);
    const std::size_t n_chunks = (queries.n_rows + chunk - 1) / chunk;
    control.expect(n_chunks);
    parallel_for(config.threads, n_chunks, [&](std::size_t c, int) {
        QueryChunk task(train, queries, config, frame, c * chunk, std::min(chunk, queries.n_rows - c * chunk));
        task.scan(panels, control);
        task.write(out);
        control.advance(1);
    });
}

}  // namespace vaglio::knn
