#pragma once
// The walk of shapley_rows.hpp for a row alone: the same operations in the same order, and so the same bits, without
// what serves only to share the work of a step among rows. Compiled per level (base/dispatch.hpp).
#include <cstddef>
#include <cstdint>

#include "base/dispatch.hpp"

namespace vaglio::forest {

// How a row stands to an edge: it has met all tests of the feature, it fails this one, it failed one before.
enum class Way : std::uint8_t { meets, fails, failed };

// An edge on the way from the root to the present node; the first leads to the root.
struct EdgeAlone {
    std::int32_t node;      // where it leads
    std::int32_t next;      // the child to visit next
    std::uint32_t feature;  // tested above the node
    std::uint32_t before;   // the last edge above with the same feature; 0: none
    double unknown;         // product of the training rows' shares along all edges with the feature
    double reached;         // the training rows' share of the node
    Way way;
};

// A node of the tree, with what the row does there.
struct NodeAlone {
    std::int32_t first_child;  // negative: a leaf
    std::uint32_t feature;
    double share;  // of the training rows of its parent
    double value;  // what a leaf says
    bool right;    // the way of the row from an inner node
};

struct WalkAlone {
    const NodeAlone* nodes;
    double smallest;                         // share that counts
    std::size_t points;                      // in whole vectors
    const double *point, *weight, *inverse;  // of the integral; 1 / (1 - point)
    EdgeAlone* path;                         // as many as the tree is deep, and two
    std::uint32_t* last;                     // per feature: its last edge, 0 at first
    double *product, *below, *part;          // per edge and point
    double *undo, *met;                      // the same, for a feature whose tests are all met
    double* sums;                            // per feature: lanes that add up to its contribution
    double* nothing_known;                   // what is predicted without any feature
};

// Adds what the tree says about the row to `sums` and `nothing_known`.
VAGLIO_DECLARE_LEVELS(void shapley_alone(const WalkAlone& walk);)

}  // namespace vaglio::forest
