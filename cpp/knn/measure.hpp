#pragma once
// Distances between one query and several rows at once, for any metric; compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"
#include "knn/neighbors.hpp"

namespace vaglio::knn {

inline constexpr std::size_t lanes = 16;  // rows measured together: two vectors of doubles on the widest level

// `lanes` rows, column by column.
struct Panel {
    const double* numeric;
    const std::int32_t* codes;
    const double* norms;  // cosine only
};

struct Query {
    const double* numeric;
    const std::int32_t* codes;
    double norm;
};

// What a difference costs, in the form in which the metric adds it up; in nominal columns, per column.
struct Costs {
    double missing;
    const double *mismatch, *missing_nominal;
};

struct Distance {
    Metric metric;
    double power;
    std::size_t n_numeric, n_nominal;
    Costs costs;
    const std::int32_t* absent;  // per nominal column, see NeighborConfig; may be null
};

// sums[l] becomes the distance between the query and row l of the panel, in the order of the metric (squared for
// Euclid, a power for Minkowski).
VAGLIO_DECLARE_LEVELS(void measure(const Distance& by, const Panel& panel, const Query& query, double* sums);)

}  // namespace vaglio::knn
