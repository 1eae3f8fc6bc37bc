#pragma once
// A tree of boxes that a set of rows keeps for all its searches: built when they pay for it, dropped if it is no help.
#include <memory>
#include <mutex>
#include <optional>

#include "knn/neighbors.hpp"

namespace vaglio {

namespace knn {
class KdTree;
}

// Serves one set of rows and one way to measure; many threads may ask it.
class NeighborIndex {
 public:
    NeighborIndex();
    ~NeighborIndex();

    // Whether the rows are nothing but finite numbers.
    bool complete(const Points& train);

    // The tree to search so many queries with; null where looking at every row is faster. `tiles` says that the other
    // way would be blocked products, which look at a row much faster than the tree does.
    const knn::KdTree* tree(const Points& train, const NeighborConfig& config, std::size_t queries, bool tiles,
                            Control& control);

 private:
    std::mutex mutex_;
    std::size_t asked_ = 0;
    std::optional<bool> complete_;
    double share_ = -1;  // of the rows that a search looks at; negative before the tree was built
    std::unique_ptr<const knn::KdTree> tree_;
};

}  // namespace vaglio
