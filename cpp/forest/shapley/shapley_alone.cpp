#include "forest/shapley/shapley_alone.hpp"

#include "base/vectors.hpp"
#include "forest/shapley/shapley_loops.hpp"

namespace vaglio::forest::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Pack<double, static_cast<int>(shapley_lanes)>;

// The step to a child: product = above · ratio, and the part of what is found below in the contribution of the feature.
VAGLIO_INLINE void take_step(const WalkAlone& walk, const EdgeAlone& edge, double share, std::size_t depth) {
    const std::size_t n = walk.points, at = depth * n, before = edge.before * n;
    for (std::size_t q = 0; q < n; q += shapley_lanes) {
        const Real above = load<Real>(walk.product + at - n + q);
        if (edge.way == Way::failed) {
            store(walk.product + at + q, above * share);
            continue;
        }
        const Real point = load<Real>(walk.point + q), weight = load<Real>(walk.weight + q);
        const Real undo_before = load<Real>(walk.undo + before + q), met_before = load<Real>(walk.met + before + q);
        if (edge.way == Way::fails) {
            store(walk.product + at + q, above * (edge.unknown * (1.0 - point) * undo_before));
            store(walk.part + at + q, weight * (-load<Real>(walk.inverse + q) - met_before));
            continue;
        }
        const Real factor = edge.unknown + point * (1.0 - edge.unknown);
        const Real undo = 1.0 / factor, met = (1.0 - edge.unknown) * undo;
        store(walk.undo + at + q, undo);
        store(walk.met + at + q, met);
        store(walk.product + at + q, above * (factor * undo_before));
        store(walk.part + at + q, weight * (met - met_before));
    }
}

// Adds what was found below an edge to what is above it, and its part to the contribution of the feature.
VAGLIO_INLINE void add_found(const WalkAlone& walk, const EdgeAlone& edge, std::size_t depth, const double* found,
                             double factor) {
    const std::size_t at = depth * walk.points;
    double* sum = walk.sums + edge.feature * shapley_lanes;
    Real total = load<Real>(sum);
    for (std::size_t q = 0; q < walk.points; q += shapley_lanes) {
        const Real here = load<Real>(found + q) * factor;
        if (edge.way != Way::failed) total = total + here * load<Real>(walk.part + at + q);
        double* above = walk.below + at - walk.points + q;
        store(above, load<Real>(above) + here);
    }
    store(sum, total);
}

// The edge to a child; false if neither the row nor any training row comes there.
VAGLIO_INLINE bool make_edge(const WalkAlone& walk, const EdgeAlone& parent, const NodeAlone& node, std::int32_t number,
                             EdgeAlone& edge) {
    const double share = walk.nodes[node.first_child + number].share;
    const std::uint32_t before = walk.last[node.feature];
    const bool out = before && walk.path[before].way != Way::meets;
    edge.node = node.first_child + number;
    edge.next = 0;
    edge.feature = node.feature;
    edge.before = before;
    edge.unknown = share * (before ? walk.path[before].unknown : 1.0);
    edge.reached = parent.reached * share;
    edge.way = out ? Way::failed : node.right == (number == 1) ? Way::meets : Way::fails;
    return edge.way == Way::meets || edge.unknown >= walk.smallest;
}

}  // namespace

void shapley_alone(const WalkAlone& walk) {
    const std::size_t n = walk.points;
    for (std::size_t q = 0; q < n; ++q) {
        // Before the first edge of a feature its factor is 1, and it has no part.
        walk.product[q] = walk.undo[q] = 1.0;
        walk.below[q] = walk.met[q] = 0.0;
    }
    walk.path[0] = {0, 0, 0, 0, 1.0, 1.0, Way::meets};
    for (std::size_t depth = 0;;) {
        EdgeAlone& edge = walk.path[depth];
        if (edge.next == 2) {
            if (depth == 0) return;
            add_found(walk, edge, depth, walk.below + depth * n, 1.0);
            walk.last[edge.feature] = edge.before;
            --depth;
            continue;
        }
        EdgeAlone& coming = walk.path[depth + 1];
        if (!make_edge(walk, edge, walk.nodes[edge.node], edge.next++, coming)) continue;
        const NodeAlone& child = walk.nodes[coming.node];
        take_step(walk, coming, child.share, depth + 1);
        if (child.first_child < 0) {
            add_found(walk, coming, depth + 1, walk.product + (depth + 1) * n, child.value);
            *walk.nothing_known += coming.reached * child.value;
            continue;
        }
        ++depth;
        for (std::size_t q = 0; q < n; ++q) walk.below[depth * n + q] = 0.0;
        walk.last[coming.feature] = static_cast<std::uint32_t>(depth);
    }
}

}  // namespace vaglio::forest::VAGLIO_LEVEL
