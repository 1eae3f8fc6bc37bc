#include "knn/tree/shortlist.hpp"

#include "knn/tree/tree_lanes.hpp"

namespace vaglio::knn::VAGLIO_LEVEL {
namespace {

using Bits = VectorBits<double>;
constexpr std::size_t vectors_at_once = 4;  // whose counts fit the registers

static_assert(Shortlist::room <= 128);

// A bit for each place of a list.
struct Places {
    std::uint64_t words[2] = {};
};

// A bit for each of the keys that fill the vectors of which fewer than k of all n are less. Counts are compared as
// floats: a small whole number in the last bits of 2^52 is added to it.
template <std::size_t vectors>
VAGLIO_INLINE std::uint32_t among_least(const double* keys, std::size_t n, std::size_t first, std::size_t k) {
    constexpr double large = 4503599627370496.0;
    Real own[vectors], counts[vectors];
    Bits less[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
        own[v] = load<Real>(keys + first + v * step);
        less[v] = Bits{} + reread<Int64>(large);
    }
    for (std::size_t j = 0; j < n; ++j) {
        const Real other = Real{} + keys[j];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) less[v] = less[v] - (other < own[v]);
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) counts[v] = as_bits<Real>(less[v]);
    return not_above(counts, large + static_cast<double>(k - 1));
}

// The places of the n keys of which fewer than k are less.
VAGLIO_INLINE Places among_least(const double* keys, std::size_t n, std::size_t k) {
    Places found;
    const auto add = [&](std::uint64_t bits, std::size_t first) VAGLIO_INLINE_LAMBDA {
        const std::size_t left = n - first;
        if (left < 64) bits &= (std::uint64_t{1} << left) - 1;
        // As many as fill a vector or several lie in one word.
        found.words[first / 64] |= bits << (first % 64);
    };
    std::size_t first = 0;
    for (; first + (vectors_at_once - 1) * step < n; first += vectors_at_once * step) {
        add(among_least<vectors_at_once>(keys, n, first, k), first);
    }
    for (; first < n; first += step) add(among_least<1>(keys, n, first, k), first);
    return found;
}

VAGLIO_INLINE void keep(const Places& staying, Shortlist& found) {
    std::size_t kept = 0;
    double worst = 0;
    for (std::size_t w = 0; w < 2; ++w) {
        for (std::uint64_t bits = staying.words[w]; bits != 0; bits &= bits - 1) {
            const std::size_t i = 64 * w + lowest_one(bits);
            const double distance = found.distances[i];
            found.distances[kept] = distance;
            found.places[kept++] = found.places[i];
            worst = distance > worst ? distance : worst;
        }
    }
    found.size = kept;
    found.worst = worst;
}

// Cuts the list to the k nearest; of rows at one distance the lowest stay.
void cut(const std::uint32_t* order, Shortlist& found) {
    keep(among_least(found.distances, found.size, found.k), found);
    if (found.size == found.k) return;
    // More rows than can stay are equally far: among these the row decides. Nearer ones have nothing before them.
    double keys[Shortlist::room] = {};
    for (std::size_t i = 0; i < found.size; ++i) {
        keys[i] = found.distances[i] < found.worst ? 0.0 : 1.0 + order[found.places[i]];
    }
    keep(among_least(keys, found.size, found.k), found);
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

template <class By, bool complete>
VAGLIO_INLINE std::uint32_t descend(const Distance& by, const TreeView& tree, const double* x) {
    double bounds[fan];
    std::uint32_t at = 0;
    while (tree.nodes[at].children > 0) {
        const TreeNode& node = tree.nodes[at];
        bounds_of<By, complete>(by, tree.boxes + node.box * by.n_numeric, x, 0.0, bounds);
        at = node.first + nearest_of(bounds, (1u << node.children) - 1);
    }
    return at;
}

template <class By>
VAGLIO_INLINE std::uint32_t descend_by(const Distance& by, const TreeView& tree, const double* x, bool complete) {
    if (complete)
        return descend<By, true>(by, tree, x);
    else
        return descend<By, false>(by, tree, x);
}

}  // namespace

std::uint32_t nearest_leaf(const Distance& by, const TreeView& tree, const double* x, bool complete) {
    switch (by.metric) {
        case Metric::euclidean:
            return descend_by<Euclid>(by, tree, x, complete);
        case Metric::manhattan:
            return descend_by<Manhattan>(by, tree, x, complete);
        default:
            return descend_by<Chebyshev>(by, tree, x, complete);
    }
}

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
