// The filter passes the same rows on every level, and a search that uses it finds what a look at every row finds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "knn/best.hpp"
#include "knn/coarse/coarse_table.hpp"
#include "knn/neighbors.hpp"
#include "knn/pricing.hpp"

namespace vaglio::knn {
const auto filters = VAGLIO_LEVELS(coarse_filter);
const auto measures = VAGLIO_LEVELS(measure);
}  // namespace vaglio::knn

using namespace vaglio;
using knn::coarse_most, knn::coarse_rows, knn::CoarseTerm;

namespace {

std::uint32_t cost_in(const CoarseTerm& term, std::uint16_t z, bool squared) {
    if (term.kind == CoarseTerm::category) return z == term.low ? 0 : term.cost;
    if (term.kind == CoarseTerm::number_or_missing && z == knn::coarse_missing) return term.cost;
    const std::uint32_t beyond = z > term.high ? z - term.high : z < term.low ? term.low - z : 0;
    return squared ? (beyond * beyond) >> 16 : beyond;
}

void test_levels() {
    Random random(3);
    const std::size_t columns = 5, n_panels = 3;
    for (int round = 0; round < 200; ++round) {
        const std::uint64_t range = round % 2 == 0 ? 65536 : 4;  // ties and equal categories abound in a small range
        std::vector<std::uint16_t> panels(n_panels * columns * coarse_rows);
        for (auto& value : panels) value = static_cast<std::uint16_t>(65535 - random.below(range));
        std::vector<CoarseTerm> terms;
        for (std::uint32_t j = 0; j < columns; j += 1 + static_cast<std::uint32_t>(random.below(2))) {
            const auto kind = static_cast<CoarseTerm::Kind>(random.below(3));
            const auto low = static_cast<std::uint16_t>(65533 - random.below(range) % 65530);
            terms.push_back({kind, low, static_cast<std::uint16_t>(low + 2 * (kind != CoarseTerm::category)),
                             static_cast<std::uint16_t>(random.below(30000)), j});
        }
        const knn::CoarseQuery query{terms.data(), terms.size(), static_cast<std::uint16_t>(random.below(100)),
                                     static_cast<std::uint16_t>(random.below(65536)), round % 3 == 0};
        std::vector<std::uint64_t> expected(n_panels);
        for (std::size_t r = 0; r < n_panels * coarse_rows; ++r) {
            std::uint32_t sum = query.base;
            for (const auto& term : terms) {
                const std::size_t place = (r / coarse_rows * columns + term.column) * coarse_rows + r % coarse_rows;
                sum = std::min<std::uint32_t>(sum + cost_in(term, panels[place], query.squared), coarse_most);
            }
            if (sum <= query.limit) expected[r / coarse_rows] |= std::uint64_t{1} << r % coarse_rows;
        }
        knn::filters.each([&](auto filter) {
            std::vector<std::uint64_t> passed(n_panels, ~std::uint64_t{0});
            filter(panels.data(), n_panels, columns, query, passed.data());
            CHECK(passed == expected);
        });
    }
}

// Rows of some numbers and categories: some missing, some far away, many alike, codes beyond 16 bits.
struct Mixed {
    std::size_t n_numeric, n_nominal, n;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;

    Mixed(std::size_t numeric, std::size_t nominal, std::size_t rows, std::uint64_t key, double far, double offset)
        : n_numeric(numeric), n_nominal(nominal), n(rows), numbers(rows * numeric), codes(rows * nominal) {
        Random random(key);
        for (auto& x : numbers) {
            x = offset + static_cast<double>(random.below(1000)) / 300;
            if (random.below(30) == 0) x = std::numeric_limits<double>::quiet_NaN();
            if (random.below(300) == 0) x = random.below(2) == 0 ? far : -far;
        }
        for (auto& code : codes) {
            code = static_cast<std::int32_t>(random.below(6)) - 1;
            if (code == 4) code += 65534;
        }
    }
    Points points(std::size_t first, std::size_t count) const {
        return {numbers.data() + first * n_numeric, n_numeric, codes.data() + first * n_nominal, n_nominal, count};
    }
};

Neighbors all_looked_at(const Points& train, const Points& queries, const NeighborConfig& config) {
    const knn::Pricing pricing(train, config);
    Neighbors found;
    for (std::size_t q = 0; q < queries.n_rows; ++q) {
        const auto codes = knn::query_codes(queries, q, 1);
        std::vector<std::pair<double, std::int64_t>> all;
        for (std::size_t i = 0; i < train.n_rows; ++i) {
            if (config.exclude_self && i == q) continue;
            const double distance =
                knn::coarse_survivor(pricing.distance(), train, i, {queries.row(q), codes.data(), 0.0});
            all.emplace_back(knn::ordered(distance), static_cast<std::int64_t>(i));
        }
        std::sort(all.begin(), all.end());
        for (std::size_t k = 0; k < config.k; ++k) {
            found.distances.push_back(all[k].first);
            found.rows.push_back(all[k].second);
        }
    }
    return found;
}

void test_searches() {
    Control control;
    const double infinity = std::numeric_limits<double>::infinity();
    const std::size_t n = 2600, m = 40, shapes[][2] = {{3, 4}, {0, 5}, {4, 0}, {1, 1}};
    const std::vector<std::int32_t> absent{1, -1, 2, 0, -1};
    const std::vector<double> share{1, 0.25, 0, 0.5, 1};
    for (const auto& [numeric, nominal] : shapes) {
        for (const double far : {3.0, 1e6, 1e200, infinity}) {
            const Mixed rows(numeric, nominal, n + m, numeric + 1, far, far == 1e6 ? 1e9 : 0.0);
            const Points train = rows.points(0, n);
            for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
                for (const bool exclude : {false, true}) {
                    NeighborConfig config;
                    config.metric = metric;
                    config.k = exclude ? 7 : 30;
                    config.exclude_self = exclude;
                    config.search = Search::brute;
                    config.ranked = true;
                    if (far == 3.0) config.absent = absent.data();
                    if (exclude) config.share = share.data();
                    const Points queries = exclude ? rows.points(0, m) : rows.points(n, m);
                    const Neighbors expected = all_looked_at(train, queries, config);
                    for (const int threads : {1, 3}) {
                        config.threads = threads;
                        const Neighbors found = nearest_neighbors(train, queries, config, control);
                        CHECK(found.rows == expected.rows);
                        CHECK(found.distances == expected.distances);
                    }
                }
            }
        }
    }
}

// One row by itself is measured as sixteen together.
void test_survivors() {
    const Mixed rows(3, 4, 2 * knn::lanes, 5, 1e6, 0.0);
    const Points train = rows.points(0, knn::lanes);
    const std::vector<std::int32_t> absent{1, -1, 2, 0};
    for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
        NeighborConfig config;
        config.metric = metric;
        config.absent = absent.data();
        const knn::Pricing pricing(train, config);
        std::vector<double> numbers(3 * knn::lanes), sums(knn::lanes);
        std::vector<std::int32_t> codes(4 * knn::lanes);
        for (std::size_t i = 0; i < knn::lanes; ++i) {
            for (std::size_t j = 0; j < 3; ++j) numbers[j * knn::lanes + i] = train.row(i)[j];
            for (std::size_t j = 0; j < 4; ++j) codes[j * knn::lanes + i] = train.code_row(i)[j];
        }
        for (std::size_t q = 0; q < knn::lanes; ++q) {
            const Points queries = rows.points(knn::lanes, knn::lanes);
            const auto asked = knn::query_codes(queries, q, 1);
            const knn::Query x{queries.row(q), asked.data(), 0.0};
            knn::measures.each([&](auto measure) {
                measure(pricing.distance(), {numbers.data(), codes.data(), nullptr}, x, sums.data());
                for (std::size_t i = 0; i < knn::lanes; ++i) {
                    CHECK(knn::coarse_survivor(pricing.distance(), train, i, x) == sums[i]);
                }
            });
        }
    }
}

// Rows that are all alike have no distance to divide a ruler by.
void test_rows_that_are_alike() {
    Control control;
    const std::vector<double> numbers(3000, 4.0);
    const Points rows{numbers.data(), 1, nullptr, 0, numbers.size()};
    NeighborConfig config;
    config.metric = Metric::manhattan;
    config.k = 2;
    config.search = Search::brute;
    const Neighbors found = nearest_neighbors(rows, rows, config, control);
    for (std::size_t i = 0; i < found.rows.size(); ++i) CHECK(found.rows[i] == static_cast<std::int64_t>(i % 2));
}

}  // namespace

int main() {
    test_levels();
    test_survivors();
    test_searches();
    test_rows_that_are_alike();
    return check_result();
}
