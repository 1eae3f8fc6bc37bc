#pragma once
// Few neighbours of one query among rows that are nothing but finite numbers, by a tree of boxes: the whole search is
// compiled per level (base/dispatch.hpp).
//
// Rows that may belong to the nearest are put on a list as they come. After each leaf the list is cut to the k nearest
// by counting, for each row, how many are nearer: n² comparisons of a few dozen numbers, but without a branch that
// depends on them. Keeping a list in order takes fewer comparisons, and longer.
#include <limits>

#include "knn/tree/tree_loops.hpp"

namespace vaglio::knn {

inline constexpr std::size_t leaf_rows = 3 * lanes;  // smaller leaves exclude more rows, larger ones have fewer boxes
inline constexpr std::size_t most_listed = 32;       // neighbours; for more the comparisons take longer than a heap

struct TreeNode {
    std::uint32_t begin, end;    // its rows, as places in `order`
    std::uint32_t first = 0;     // first child; in a leaf, first panel
    std::uint32_t box = 0;       // number of its block of boxes
    std::uint32_t children = 0;  // 0 in a leaf
};

// A tree of boxes as a search sees it; node 0 is the root.
struct TreeView {
    const TreeNode* nodes;
    const BoxColumn* boxes;      // of the children of each inner node, column by column
    const double* panels;        // the rows of the leaves, `lanes` at a time, column by column
    const std::uint32_t* order;  // the row at each place
};

struct Shortlist {
    static constexpr std::size_t room = most_listed + leaf_rows + lanes;

    std::size_t k;
    std::size_t size = 0;
    double worst = std::numeric_limits<double>::infinity();  // above it no row can enter
    std::size_t measured = 0;                                // rows looked at, of all queries
    double distances[room] = {};
    std::uint32_t places[room] = {};

    void clear() {
        size = 0;
        worst = std::numeric_limits<double>::infinity();
    }
};

// The node of the leaf whose boxes are nearest on the way down. `complete`: no row and no number of the query is
// missing.
VAGLIO_DECLARE_LEVELS(std::uint32_t nearest_leaf(const Distance& by, const TreeView& tree, const double* x,
                                                 bool complete);)

// Lists the k nearest rows, ties to the lowest, in no order; k is at most `most_listed` and the rows at least k. The
// search begins with the leaf at node `leaf`, which is best the one that the query lies in. The row `self` is left out.
VAGLIO_DECLARE_LEVELS(void list_nearest(const Distance& by, const TreeView& tree, const double* x, std::uint32_t leaf,
                                        std::size_t self, Shortlist& found);)

}  // namespace vaglio::knn
