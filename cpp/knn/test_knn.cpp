// The searches agree with a plain loop over all pairs, ties included, on any number of threads.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/check.hpp"
#include "base/random.hpp"
#include "knn/filter.hpp"
#include "knn/neighbor_index.hpp"

namespace vaglio::knn {
const auto filters = VAGLIO_LEVELS(filter_rows);
}

using namespace vaglio;

namespace {

// Whole numbers in a small range: every distance is exact, and ties abound.
std::vector<double> grid(std::size_t n, std::uint64_t key, std::uint64_t range, double offset) {
    Random random(key);
    std::vector<double> values(n);
    for (auto& value : values) value = static_cast<double>(random.below(range)) + offset;
    return values;
}

double ranked(const Points& a, std::size_t i, const Points& b, std::size_t k, Metric metric) {
    double sum = 0;
    for (std::size_t j = 0; j < a.n_numeric; ++j) {
        const double d = std::abs(a.row(i)[j] - b.row(k)[j]);
        sum = metric == Metric::euclidean ? sum + d * d : metric == Metric::manhattan ? sum + d : std::max(sum, d);
    }
    return sum;
}

std::vector<std::int64_t> brute(const Points& train, const Points& queries, const NeighborConfig& config) {
    std::vector<std::int64_t> rows;
    for (std::size_t q = 0; q < queries.n_rows; ++q) {
        std::vector<std::pair<double, std::int64_t>> all;
        for (std::size_t i = 0; i < train.n_rows; ++i) {
            if (config.exclude_self && i == q) continue;
            all.emplace_back(ranked(queries, q, train, i, config.metric), static_cast<std::int64_t>(i));
        }
        std::sort(all.begin(), all.end());
        for (std::size_t k = 0; k < config.k; ++k) rows.push_back(all[k].second);
    }
    return rows;
}

void test_searches() {
    Control control;
    for (const std::size_t columns : {1u, 2u, 5u, 33u}) {
        for (const double offset : {0.0, 1e9}) {
            const std::size_t n = 700, m = 90;
            const auto a = grid(n * columns, columns, 4, offset), b = grid(m * columns, columns + 100, 5, offset);
            const Points train{a.data(), columns, nullptr, 0, n}, queries{b.data(), columns, nullptr, 0, m};
            for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev}) {
                NeighborConfig config;
                config.metric = metric;
                config.k = 7;
                const auto expected = brute(train, queries, config);
                for (const Search search : {Search::brute, Search::kd_tree, Search::automatic}) {
                    for (const int threads : {1, 3}) {
                        config.search = search;
                        config.threads = threads;
                        CHECK(nearest_neighbors(train, queries, config, control).rows == expected);
                    }
                }
            }
        }
    }
}

// Numbers, some missing, and categories, some missing: the tree finds what a look at every row finds, to the bit, and
// an index that is kept finds it again.
void test_trees_of_mixed_rows() {
    Control control;
    Random random(11);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t n : {1u, 20u, 33u, 70u, 300u, 2500u}) {
        for (const std::size_t nominal : {0u, 2u}) {
            const std::size_t m = 70, columns = 3;
            std::vector<double> numbers((n + m) * columns);
            for (auto& x : numbers) x = random.below(9) == 0 ? missing : static_cast<double>(random.below(50)) / 7;
            std::vector<std::int32_t> codes((n + m) * nominal);
            for (auto& code : codes) code = static_cast<std::int32_t>(random.below(4)) - 1;
            const Points train{numbers.data(), columns, codes.data(), nominal, n};
            const Points queries{numbers.data() + n * columns, columns, codes.data() + n * nominal, nominal, m};
            const std::vector<std::int32_t> absent{1, -1};
            for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev}) {
                NeighborConfig config;
                config.metric = metric;
                config.k = std::min<std::size_t>(n, 6);
                if (nominal > 0 && n % 2 == 0) config.absent = absent.data();
                config.search = Search::brute;
                const Neighbors expected = nearest_neighbors(train, queries, config, control);
                NeighborIndex index;
                for (const Search search : {Search::kd_tree, Search::automatic, Search::kd_tree}) {
                    config.search = search;
                    const Neighbors found = nearest_neighbors(train, queries, config, control, &index);
                    CHECK(found.rows == expected.rows);
                    CHECK(found.distances == expected.distances);
                }
            }
        }
    }
}

void test_far_apart_and_excluding_itself() {
    Control control;
    std::vector<double> a;
    for (int i = 0; i < 40; ++i) a.push_back(std::ldexp(1.0, 20 * (i % 20) - 200) * (i < 20 ? 1 : -1));
    a.push_back(1e300);
    const Points points{a.data(), 1, nullptr, 0, a.size()};
    NeighborConfig config;
    config.k = 5;
    config.search = Search::brute;
    for (const bool exclude : {false, true}) {
        config.exclude_self = exclude;
        CHECK(nearest_neighbors(points, points, config, control).rows == brute(points, points, config));
    }
}

struct Seen {
    std::vector<bool> rows;
};

void record(void* context, std::size_t query, std::size_t first_row, std::uint32_t rows) {
    auto& seen = *static_cast<Seen*>(context);
    for (; rows; rows &= rows - 1) {
        seen.rows[query * 2 * knn::panel_rows + first_row + static_cast<std::size_t>(std::countr_zero(rows))] = true;
    }
}

// Whole numbers again: products are exact in float32, so every level must pass exactly the same rows.
void test_filter_levels() {
    const std::size_t columns = 5, panel = knn::panel_rows * (columns + 1);
    Random random(7);
    std::vector<float> panels(2 * panel), queries(knn::group_queries * columns), limits(knn::group_queries);
    for (auto* block : {&panels, &queries, &limits}) {
        for (auto& value : *block) value = static_cast<float>(random.below(9)) - 4;
    }
    Seen expected{std::vector<bool>(knn::group_queries * 2 * knn::panel_rows)};
    for (std::size_t q = 0; q < knn::group_queries; ++q) {
        for (std::size_t r = 0; r < 2 * knn::panel_rows; ++r) {
            const float* start = panels.data() + r / knn::panel_rows * panel + r % knn::panel_rows;
            float sum = *start;
            for (std::size_t j = 0; j < columns; ++j) {
                sum -= queries[j * knn::group_queries + q] * start[(j + 1) * knn::panel_rows];
            }
            expected.rows[q * 2 * knn::panel_rows + r] = sum <= limits[q];
        }
    }
    knn::filters.each([&](auto filter) {
        Seen seen{std::vector<bool>(expected.rows.size())};
        filter({panels.data(), 2, columns, queries.data(), limits.data(), record, &seen});
        CHECK(seen.rows == expected.rows);
    });
}

// Rows of categories alone, and rows of nothing: an empty block of numbers has no address to count from.
void test_without_numbers() {
    Control control;
    const std::size_t n = 40;
    std::vector<std::int32_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<std::int32_t>(i % 4);
    for (const std::size_t nominal : {1u, 0u}) {
        const Points rows{nullptr, 0, nominal ? codes.data() : nullptr, nominal, n};
        NeighborConfig config;
        config.k = 3;
        for (const Search search : {Search::brute, Search::kd_tree, Search::automatic}) {
            config.search = search;
            const Neighbors found = nearest_neighbors(rows, rows, config, control);
            for (std::size_t q = 0; q < n; ++q)
                for (std::size_t k = 0; k < config.k; ++k) {
                    const std::size_t step = nominal ? 4 : 1;
                    CHECK(found.rows[q * config.k + k] == static_cast<std::int64_t>((nominal ? q % 4 : 0) + k * step));
                    CHECK(found.distances[q * config.k + k] == 0);
                }
        }
    }
}

void test_votes() {
    const std::vector<std::int64_t> labels{0, 2, 1, 2}, rows{0, 1, 3, 3, 3, 1};
    CHECK((count_votes(labels, rows, 2, 3, 2) == std::vector<double>{1, 0, 2, 0, 0, 3}));
    CHECK((count_votes(labels, {}, 2, 3, 2) == std::vector<double>(6, 0.0)));
    for (const std::int64_t wrong : {-1, 4}) {
        bool refused = false;
        try {
            count_votes(labels, std::vector<std::int64_t>{wrong}, 1, 3, 1);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

}  // namespace

int main() {
    test_votes();
    test_without_numbers();
    test_searches();
    test_trees_of_mixed_rows();
    test_far_apart_and_excluding_itself();
    test_filter_levels();
    return check_result();
}
