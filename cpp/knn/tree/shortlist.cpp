#include "knn/tree/shortlist.hpp"

#include "knn/tree/tree_lanes.hpp"

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

using Bits = VectorBits<double>;
constexpr std::size_t vectors_at_once = 4;  // whose counts fit the registers

// ranks[i] becomes the number of the n keys that are less than key i, for as many keys as fill the vectors.
template <std::size_t vectors>
VAGLIO_INLINE void count_less(const double* keys, std::size_t n, std::size_t first, Int64* ranks) {
    Real own[vectors];
    Bits less[vectors] = {};
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) own[v] = load<Real>(keys + first + v * step);
    for (std::size_t j = 0; j < n; ++j) {
        const Real other = Real{} + keys[j];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) less[v] = less[v] - (other < own[v]);
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) store(ranks + first + v * step, less[v]);
}

VAGLIO_INLINE void rank(const double* keys, std::size_t n, Int64* ranks) {
    std::size_t first = 0;
    for (; first + (vectors_at_once - 1) * step < n; first += vectors_at_once * step) {
        count_less<vectors_at_once>(keys, n, first, ranks);
    }
    for (; first < n; first += step) count_less<1>(keys, n, first, ranks);
}

// Keeps what has fewer than k before it.
VAGLIO_INLINE void keep(const Int64* ranks, Shortlist& found) {
    std::size_t kept = 0;
    double worst = 0;
    for (std::size_t i = 0; i < found.size; ++i) {
        const bool stays = ranks[i] < static_cast<Int64>(found.k);
        const double distance = found.distances[i];
        found.distances[kept] = distance;
        found.places[kept] = found.places[i];
        kept += stays;
        worst = stays && distance > worst ? distance : worst;
    }
    found.size = kept;
    found.worst = worst;
}

// Cuts the list to the k nearest; of rows at one distance the lowest stay.
void cut(const std::uint32_t* order, Shortlist& found) {
    Int64 ranks[Shortlist::room];
    rank(found.distances, found.size, ranks);
    keep(ranks, found);
    if (found.size == found.k) return;
    // More rows than can stay are equally far: among these the row decides. Nearer ones have nothing before them.
    double keys[Shortlist::room] = {};
    for (std::size_t i = 0; i < found.size; ++i) {
        keys[i] = found.distances[i] < found.worst ? 0.0 : 1.0 + order[found.places[i]];
    }
    rank(keys, found.size, ranks);
    keep(ranks, found);
}

// Whether a row at the worst distance of a full list would stay on it.
VAGLIO_INLINE bool stays(std::uint32_t row, const std::uint32_t* order, const Shortlist& found) {
    bool lower = false;
    for (std::size_t i = 0; i < found.size; ++i) {
        lower |= found.distances[i] == found.worst && row < order[found.places[i]];
    }
    return lower;
}

template <class By>
struct ListWalk {
    const Distance& by;
    const TreeView& tree;
    const double* x;
    const std::size_t start, self;
    Shortlist& found;

    VAGLIO_INLINE void list(std::uint32_t within, const double* sums, std::uint32_t place) {
        for (; within != 0; within &= within - 1) {
            const std::uint32_t lane = lowest_one(within);
            const double distance = sums[lane];
            const std::uint32_t row = tree.order[place + lane];
            if (row == self) continue;
            if (distance == found.worst && found.size >= found.k && !stays(row, tree.order, found)) continue;
            found.distances[found.size] = distance;
            found.places[found.size++] = place + lane;
        }
    }

    // Those of the boxes that are not farther than the worst row.
    VAGLIO_INLINE std::uint32_t within(const double* bounds, std::uint32_t boxes) const {
        std::uint32_t bits = 0;
#pragma GCC unroll 8
        for (std::size_t b = 0; b < fan; b += step) bits |= not_above(load<Real>(bounds + b), found.worst) << b;
        return bits & boxes;
    }

    void scan(const TreeNode& leaf) {
        const std::uint32_t count = leaf.end - leaf.begin;
        const std::size_t before = found.size;
        double sums[lanes];
        for (std::uint32_t r = 0; r < count; r += lanes) {
            const double* panel = tree.panels + (leaf.first + r / lanes) * lanes * by.n_numeric;
            const std::uint32_t filled = count - r < lanes ? (1u << (count - r)) - 1 : (1u << lanes) - 1;
            list(filled & sums_of<By>(by, panel, x, found.worst, sums), sums, leaf.begin + r);
        }
        found.measured += count;
        if (found.size > before && found.size >= found.k) cut(tree.order, found);
    }

    void visit(const TreeNode& node) {
        double bounds[fan];
        std::uint32_t left = ((1u << node.children) - 1) &
                             bounds_of<By, true>(by, tree.boxes + node.box * by.n_numeric, x, found.worst, bounds);
        // Nearest box first: what is found there excludes most of the others.
        while (left != 0) {
            const std::uint32_t next = nearest_of(bounds, left);
            const TreeNode& child = tree.nodes[node.first + next];
            if (child.children > 0) {
                visit(child);
            } else if (node.first + next != start) {
                scan(child);
            }
            left = within(bounds, left & ~(1u << next));
        }
    }
};

template <class By>
VAGLIO_INLINE void list_by(const Distance& by, const TreeView& tree, const double* x, std::uint32_t leaf,
                           std::size_t self, Shortlist& found) {
    ListWalk<By> walk{by, tree, x, leaf, self, found};
    walk.scan(tree.nodes[leaf]);
    if (leaf != 0) walk.visit(tree.nodes[0]);  // a root that is a leaf has no boxes
}

}  // namespace

void list_nearest(const Distance& by, const TreeView& tree, const double* x, std::uint32_t leaf, std::size_t self,
                  Shortlist& found) {
    switch (by.metric) {
        case Metric::euclidean:
            return list_by<Euclid>(by, tree, x, leaf, self, found);
        case Metric::manhattan:
            return list_by<Manhattan>(by, tree, x, leaf, self, found);
        default:
            return list_by<Chebyshev>(by, tree, x, leaf, self, found);
    }
}

}  // namespace vaglio::knn::VAGLIO_LEVEL
