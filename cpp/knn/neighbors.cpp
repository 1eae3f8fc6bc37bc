// Chooses the search by metric, columns and rows. The searches agree in every neighbour, so the choice changes the time
// alone.
#include "knn/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "knn/neighbor_index.hpp"
#include "knn/search.hpp"

namespace vaglio {
namespace {

constexpr std::size_t part = 1 << 14;  // distances written by one task

bool has_infinity(const Points& points) {
    const double* end = points.numeric + points.n_rows * points.n_numeric;
    return std::find_if(points.numeric, end, [](double x) { return std::isinf(x); }) != end;
}

double distance_of(double ranked, const NeighborConfig& config, std::size_t features) {
    switch (config.metric) {
        case Metric::euclidean:
            return std::sqrt(ranked);
        case Metric::minkowski:
            return std::pow(ranked, 1 / config.power);
        case Metric::hamming:
            return ranked / static_cast<double>(features);
        default:
            return ranked;
    }
}

void check_sizes(const Points& train, const Points& queries, const NeighborConfig& config) {
    const std::size_t available = train.n_rows - (config.exclude_self && train.n_rows > 0 ? 1 : 0);
    if (config.k < 1 || config.k > available) throw std::invalid_argument("k must be between 1 and the number of rows");
    if (std::max(train.n_rows, queries.n_rows) > 0xffffffffULL) {
        throw std::invalid_argument("more rows than 32 bits can number");
    }
}

// How the neighbours are searched: in a tree, by blocked products, or else by direct distances.
struct Way {
    const knn::KdTree* tree;
    bool tiles;
};

Way way_of(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
           NeighborIndex& kept) {
    const bool numbers = train.n_numeric > 0 && kept.complete(train) && is_complete(queries);
    const bool tiles = numbers && config.metric == Metric::euclidean && queries.n_rows >= 8;
    const knn::KdTree* tree = nullptr;
    if (config.search != Search::brute && train.n_numeric > 0 && knn::KdTree::has_boxes(config.metric) &&
        (numbers || !(has_infinity(train) || has_infinity(queries)))) {
        tree = kept.tree(train, config, queries.n_rows, tiles, control);
    }
    return {tree, tiles};
}

Neighbors search_by(Way way, const Points& train, const Points& queries, const NeighborConfig& config,
                    Control& control) {
    Neighbors result{std::vector<std::int64_t>(queries.n_rows * config.k),
                     std::vector<double>(queries.n_rows * config.k)};
    const knn::Found found{result.rows.data(), result.distances.data()};
    if (way.tree != nullptr) {
        knn::search_kd_tree(*way.tree, train, queries, config, control, found);
    } else if (way.tiles) {
        knn::search_tiles(train, queries, config, control, found);
    } else {
        knn::search_direct(train, queries, config, control, found);
    }
    if (!config.ranked) end_ranks(result.distances, config, train.n_numeric + train.n_nominal);
    return result;
}

}  // namespace

bool is_complete(const Points& points) {
    if (points.n_nominal > 0) return false;
    // One infinity or NaN makes the sum of products with zero a NaN; several sums do not wait for each other.
    double sums[8] = {};
    const std::size_t count = points.n_rows * points.n_numeric;
    for (std::size_t i = 0; i < count; ++i) sums[i % 8] += points.numeric[i] * 0.0;
    return std::all_of(sums, sums + 8, [](double sum) { return sum == 0; });
}

Neighbors nearest_neighbors(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                            NeighborIndex* index) {
    check_sizes(train, queries, config);
    NeighborIndex own;
    return search_by(way_of(train, queries, config, control, index != nullptr ? *index : own), train, queries, config,
                     control);
}

std::vector<double> neighbor_shares(const Points& train, const Points& queries, const NeighborConfig& config,
                                    std::span<const std::int64_t> labels, std::size_t classes, Control& control,
                                    NeighborIndex* index) {
    check_sizes(train, queries, config);
    if (labels.size() != train.n_rows) throw std::invalid_argument("every row needs a label");
    NeighborIndex own;
    const Way way = way_of(train, queries, config, control, index != nullptr ? *index : own);
    std::vector<double> shares;
    if (way.tree != nullptr) {
        shares.resize(queries.n_rows * classes);
        if (!knn::vote_kd_tree(*way.tree, train, queries, config, control, labels, shares)) {
            throw std::invalid_argument("a row or a label is out of range");
        }
    } else {
        const std::vector<std::int64_t> rows = search_by(way, train, queries, config, control).rows;
        shares = count_votes(labels, rows, queries.n_rows, classes, config.threads);
        for (double& share : shares) share /= static_cast<double>(config.k);
    }
    return shares;
}

void end_ranks(std::span<double> distances, const NeighborConfig& config, std::size_t features) {
    parallel_for(config.threads, (distances.size() + part - 1) / part, [&](std::size_t p, int) {
        for (std::size_t i = p * part; i < std::min((p + 1) * part, distances.size()); ++i) {
            distances[i] = distance_of(distances[i], config, features);
        }
    });
}

}  // namespace vaglio
