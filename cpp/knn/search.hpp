#pragma once
// The three searches behind nearest_neighbors; each writes (n_queries, k) rows and distances, nearest first.
#include <span>

#include "knn/best.hpp"
#include "knn/neighbors.hpp"
#include "knn/tree/kd_tree.hpp"

namespace vaglio::knn {

// Euclid on complete numbers: blocked products in float32 as a filter, exact ranking of what passes.
void search_tiles(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                  Found out);

// Any metric, missing values and categories: every distance directly in float64.
void search_direct(const Points& train, const Points& queries, const NeighborConfig& config, Control& control,
                   Found out);

// Whether a filter makes the direct search of so many queries several times as fast.
bool filtered_directly(const Points& train, std::size_t queries, const NeighborConfig& config);

// Manhattan, Euclid and Chebyshev, by a tree of boxes.
void search_kd_tree(const KdTree& tree, const Points& train, const Points& queries, const NeighborConfig& config,
                    Control& control, Found out);

// The same search, of which no neighbour is kept: `shares`, (n_queries, classes), becomes the share of the k
// nearest that has each label. False if a label is out of range.
bool vote_kd_tree(const KdTree& tree, const Points& train, const Points& queries, const NeighborConfig& config,
                  Control& control, std::span<const std::int64_t> labels, std::span<double> shares);

// The squared distance by direct differences, summed in column order: the number that ranks.
inline double squared_distance(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const double difference = a[j] - b[j];
        sum += difference * difference;
    }
    return ordered(sum);
}

}  // namespace vaglio::knn
