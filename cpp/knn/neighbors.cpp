// Chooses the search by metric, columns and rows. The searches agree in every neighbour, so the choice changes the time
// alone.
#include "knn/neighbors.hpp"

#include <cmath>
#include <stdexcept>

#include "knn/search.hpp"

namespace vaglio {
namespace {

using knn::Candidate;

bool complete(const Points& points) {
    if (points.n_nominal > 0) return false;
    // One infinity or NaN makes the sum of products with zero a NaN.
    double sum = 0;
    for (std::size_t i = 0; i < points.n_rows * points.n_numeric; ++i) sum += points.numeric[i] * 0.0;
    return sum == 0;
}

// A tree pays where boxes exclude much: few columns, and enough rows and queries to pay for building it.
bool tree_pays(const Points& train, const Points& queries) {
    return train.n_numeric <= 6 && train.n_rows >= 1000 && queries.n_rows >= 64;
}

bool has_tree(Metric metric) {
    return metric == Metric::manhattan || metric == Metric::euclidean || metric == Metric::chebyshev;
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

}  // namespace

Neighbors nearest_neighbors(const Points& train, const Points& queries, const NeighborConfig& config,
                            Control& control) {
    const std::size_t available = train.n_rows - (config.exclude_self && train.n_rows > 0 ? 1 : 0);
    if (config.k < 1 || config.k > available) throw std::invalid_argument("k must be between 1 and the number of rows");
    if (train.n_rows > 0xffffffffULL) throw std::invalid_argument("more rows than 32 bits can number");
    std::vector<Candidate> found(queries.n_rows * config.k);
    const bool numbers = train.n_numeric > 0 && complete(train) && complete(queries);
    const bool tree_fits = numbers && has_tree(config.metric);
    if (tree_fits &&
        (config.search == Search::kd_tree || (config.search == Search::automatic && tree_pays(train, queries)))) {
        knn::search_kd_tree(train, queries, config, control, found.data());
    } else if (numbers && config.metric == Metric::euclidean && queries.n_rows >= 8) {
        knn::search_tiles(train, queries, config, control, found.data());
    } else {
        knn::search_direct(train, queries, config, control, found.data());
    }
    Neighbors result{std::vector<std::int64_t>(found.size()), std::vector<double>(found.size())};
    for (std::size_t i = 0; i < found.size(); ++i) {
        result.rows[i] = found[i].row;
        result.distances[i] = distance_of(found[i].distance, config, train.n_numeric + train.n_nominal);
    }
    return result;
}

}  // namespace vaglio
