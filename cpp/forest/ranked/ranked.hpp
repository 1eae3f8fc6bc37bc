#pragma once
// A forest for many rows: tests of four bytes in treelets, and rows of two bytes per value.
//
// A test x <= t is the same as rank(x) <= rank(t), where the rank of a number counts the thresholds below it among all
// that the forest has for the feature. Once the values of a row are turned into ranks, a tree and a block of rows fit
// in the cache together. Every row reaches the leaf that its numbers lead to.
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/radix_sort.hpp"
#include "forest/forest.hpp"
#include "forest/ranked/thresholds.hpp"
#include "forest/ranked/treelets.hpp"

namespace vaglio::forest {

class RankedForest {
 public:
    // Null if features, categories or sets of categories are too many for two bytes, or the nodes of a tree too many.
    static std::unique_ptr<const RankedForest> of(const ForestView& forest, int threads, Control& control);

    // Adds values[leaf] over all trees to `sums`, `width` numbers per row: the same bits as by ForestView. Where there
    // are several outputs, a row has `width` numbers for each, and tree t adds to output t % outputs.
    void add(const ForestRows& rows, std::span<const double> values, std::size_t width, std::size_t outputs,
             std::span<double> sums, int threads, Control& control) const;

 private:
    // Trees that share their thresholds: as many as have no more than two bytes can number.
    struct Group {
        std::size_t first, last;
        std::vector<Thresholds> thresholds;  // per feature
    };
    struct Block;

    explicit RankedForest(const ForestView& forest)
        : forest_(forest), trees_(forest.n_trees()), ranks_(forest.nodes.size()) {}
    bool number_bitsets();
    bool group_trees(std::size_t first, std::size_t last, int threads, Control& control);
    std::vector<double> number_thresholds(std::vector<KeyedRow>& tests);
    void rank_rows(const Group& group, const ForestRows& rows, std::size_t first, Block& block) const;
    void find_leaves(std::size_t tree, Block& block) const;
    std::size_t goes_right(std::uint16_t tested, std::uint16_t test, const std::uint16_t* row) const;

    ForestView forest_;
    std::vector<TreeletTree> trees_;
    std::vector<std::uint16_t> ranks_;    // of the tests, in the order of the forest; only while it is made
    std::vector<std::uint16_t> nominal_;  // per feature: all bits if it has categories, else none
    std::vector<std::uint32_t> bitsets_;  // where the bits of each nominal test begin in the forest's tables
    std::vector<Group> groups_;
};

// Makes the ranked form of one forest once enough rows have been asked for to pay for it.
class RankedForestOnce {
 public:
    const RankedForest* get(const ForestView& forest, std::size_t rows, int threads, Control& control);

 private:
    std::mutex mutex_;
    std::size_t asked_ = 0;
    bool made_ = false;
    std::unique_ptr<const RankedForest> ranked_;
};

}  // namespace vaglio::forest
