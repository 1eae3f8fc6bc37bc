// The nearest rows by a tree of boxes are those of a sort of all rows: of few rows and many, of equal ones, of so
// many neighbours that they fill several leaves or are all rows, and of distances that overflow.
#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "knn/neighbor_index.hpp"
#include "knn/pricing.hpp"
#include "knn/tree/kd_tree.hpp"

namespace vaglio::knn {
const auto lists = VAGLIO_LEVELS(list_nearest);
const auto leaves = VAGLIO_LEVELS(nearest_leaf);
}  // namespace vaglio::knn

using namespace vaglio;
using namespace vaglio::knn;

namespace {

using Pairs = std::vector<std::pair<double, std::int64_t>>;

double distance_of(const double* a, const double* b, std::size_t columns, Metric metric) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
        const double d = std::abs(a[j] - b[j]);
        sum = metric == Metric::euclidean ? sum + d * d : metric == Metric::manhattan ? sum + d : std::max(sum, d);
    }
    return sum;
}

Pairs sorted_rows(const Points& train, std::size_t query, const NeighborConfig& config) {
    Pairs all;
    for (std::size_t i = 0; i < train.n_rows; ++i) {
        if (config.exclude_self && i == query) continue;
        const double distance = distance_of(train.row(query), train.row(i), train.n_numeric, config.metric);
        all.emplace_back(distance, static_cast<std::int64_t>(i));
    }
    std::sort(all.begin(), all.end());
    all.resize(config.k);
    return all;
}

// Every version of the loops that the processor can run.
void test_levels(const KdTree& tree, const Points& train, std::size_t query, const NeighborConfig& config,
                 const Pairs& expected) {
    const Pricing pricing(train, config);
    const std::uint32_t leaf = tree.leaf_of(pricing.distance(), train.row(query));
    leaves.each([&](auto nearest_leaf) {
        CHECK(nearest_leaf(pricing.distance(), tree.view(), train.row(query), true) == leaf);
        CHECK(nearest_leaf(pricing.distance(), tree.view(), train.row(query), false) == leaf);
    });
    lists.each([&](auto list_nearest) {
        Shortlist found{config.k};
        const std::size_t self = config.exclude_self ? query : train.n_rows;
        list_nearest(pricing.distance(), tree.view(), train.row(query), leaf, self, found);
        Pairs pairs;
        for (std::size_t i = 0; i < found.size; ++i)
            pairs.emplace_back(found.distances[i], tree.row_at(found.places[i]));
        std::sort(pairs.begin(), pairs.end());
        CHECK(pairs == expected);
    });
}

void test_rows(const Points& train, NeighborConfig config) {
    Control control;
    config.search = Search::kd_tree;
    config.ranked = true;
    const KdTree tree(train, config, control);
    const Neighbors found = nearest_neighbors(train, train, config, control);
    for (std::size_t query = 0; query < train.n_rows; query += 1 + train.n_rows / 40) {
        const Pairs expected = sorted_rows(train, query, config);
        for (std::size_t i = 0; i < config.k; ++i) {
            CHECK(found.rows[query * config.k + i] == expected[i].second);
            CHECK(found.distances[query * config.k + i] == expected[i].first);
        }
        if (config.k <= most_listed) test_levels(tree, train, query, config, expected);
    }
}

}  // namespace

int main() {
    for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 47u, 48u, 49u, 97u, 385u, 1000u}) {
        for (const std::uint64_t range : {1u, 3u, 1000u}) {
            for (const double unit : {1.0, 1e200, 1e-200}) {
                const std::size_t columns = 1 + n % 3;
                Random random(n * range);
                std::vector<double> values(n * columns);
                for (double& value : values) value = static_cast<double>(random.below(range)) * unit;
                for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev}) {
                    for (const std::size_t k : {std::size_t{1}, std::size_t{5}, std::size_t{32}, std::size_t{33}, n}) {
                        for (const bool exclude : {false, true}) {
                            NeighborConfig config;
                            config.metric = metric;
                            config.exclude_self = exclude;
                            config.k = std::min(k, n - exclude);
                            config.threads = 2;
                            if (config.k > 0) test_rows({values.data(), columns, nullptr, 0, n}, config);
                        }
                    }
                }
            }
        }
    }
    return check_result();
}
