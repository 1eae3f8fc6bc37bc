#pragma once
// Exact nearest neighbours: the k rows of least distance in float64, ties to the lowest row.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

enum class Metric { manhattan, euclidean, chebyshev, minkowski, cosine, hamming };

// How the neighbours are searched; the answer is the same for all.
enum class Search { automatic, brute, kd_tree };

// Rows of a table, row-major: a float64 block (NaN = missing) and a block of category codes (negative = missing).
struct Points {
    const double* numeric = nullptr;
    std::size_t n_numeric = 0;
    const std::int32_t* codes = nullptr;
    std::size_t n_nominal = 0;
    std::size_t n_rows = 0;

    const double* row(std::size_t i) const { return numeric + i * n_numeric; }
    const std::int32_t* code_row(std::size_t i) const { return codes + i * n_nominal; }
};

// Whether the rows are nothing but finite numbers.
bool is_complete(const Points& points);

// Each feature contributes a difference: |x - z| for numbers, `mismatch` for two categories that differ,
// `missing` / `missing_nominal` where either value is missing. The metric joins the differences.
struct NeighborConfig {
    Metric metric = Metric::euclidean;
    double power = 2;  // of Minkowski's metric
    double mismatch = 1;
    double missing = 1;
    double missing_nominal = 1;
    std::size_t k = 1;
    bool exclude_self = false;  // query i is row i and is not its own neighbour
    Search search = Search::automatic;
    int threads = 1;
    // The code that means absence in each nominal column, negative for none: that both rows lack it does not count, and
    // the sum over the other columns is scaled up, as in Jaccard's distance.
    const std::int32_t* absent = nullptr;
    // Factor of a difference in each nominal column, from 0 to 1; none is 1.
    const double* share = nullptr;
    // Give distances in the metric's own order (squared for Euclid, a power for Minkowski). What is found among parts
    // of the rows is merged by these: two that differ may have one root.
    bool ranked = false;
};

// k rows per query, nearest first; both are (n_queries, k).
struct Neighbors {
    std::vector<std::int64_t> rows;
    std::vector<double> distances;
};

class NeighborIndex;

// Needs 1 <= k <= rows of `train` (less one with exclude_self), and as many features in `queries` as in `train`. An
// index keeps for further calls what was built for this one; it belongs to these rows and this metric.
Neighbors nearest_neighbors(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                            NeighborIndex* index = nullptr);

// The distances of what was found with `ranked`; in place.
void end_ranks(std::span<double> distances, const NeighborConfig& config, std::size_t features);

// The share of the k nearest rows that has each label, (queries, classes): what count_votes gives for them, divided by
// k.
std::vector<double> neighbor_shares(const Points& train, const Points& queries, const NeighborConfig& config,
                                    std::span<const std::int64_t> labels, std::size_t classes, Control& control,
                                    NeighborIndex* index = nullptr);

// How many of the rows found for each query have each label, (queries, classes); every row has a vote of one. Labels
// outside of [0, classes) and rows that there are not are the caller's mistake: std::invalid_argument.
std::vector<double> count_votes(std::span<const std::int64_t> labels, std::span<const std::int64_t> rows,
                                std::size_t queries, std::size_t classes, int threads);

}  // namespace vaglio
