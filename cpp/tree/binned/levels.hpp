#pragma once
// Growing trees level by level, from sums that others make of the rows: one object holds the trees, asks for the sums
// of open nodes and decides. Small nodes are finished by the histogram grower once their rows have been gathered; where
// a node is decided never shows in the tree.
#include <cstdint>
#include <memory>
#include <vector>

#include "base/control.hpp"
#include "forest/trees_plan.hpp"
#include "tree/binned/choose.hpp"
#include "tree/binned/frontier.hpp"
#include "tree/binned/row_lists.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

class LevelGrower {
 public:
    LevelGrower(const TreeData& layout, const TreeConfig& config, const GrowthWeights& amounts, const TreesPlan& plan);
    ~LevelGrower();

    bool done() const;
    // Number of nodes that were asked for.
    std::size_t asked() const { return asked_.size(); }
    // What one pass over all rows may bring: so many sums, or so many rows as often as they count.
    struct PassSize {
        std::size_t cells;
        double rows;
    };
    // Asks for the sums of as many open nodes as a pass may bring (of one at least), the oldest first. Nodes that are
    // better finished with their rows are left.
    Frontier ask_sums(const PassSize& most);
    void take_sums(std::span<const double> sums);
    // Asks for the rows of as many of the others as a pass may bring, of one at least.
    Frontier ask_rows(const PassSize& most);
    // Finishes these nodes with their rows: those of a slot begin at its start. Columns are by feature of the whole
    // table. What is given of the rows is read where their weights are no longer those of the table.
    void take_rows(std::span<const std::int64_t> starts, const BinnedTable& rows, const RowsGiven& given, int threads,
                   Control& control);
    // The finished trees, in the numbers of the features that each may use.
    std::vector<Tree> take_trees();

    const std::vector<std::uint8_t>& squares() const { return squares_; }
    std::size_t cell_size(std::size_t feature) const { return cells_.size(squares_[feature] != 0); }

 private:
    struct Growing;
    struct Open;
    struct Decision;

    Frontier routes(const std::vector<std::size_t>& asked) const;
    std::vector<std::uint32_t> wanted_features(const Open& open) const;
    std::size_t cells_of(std::span<const std::uint32_t> wanted) const;
    bool takes_rows(const Open& open, const PassSize& most) const;
    Tree finish(Open& open, const BinnedTable& rows, const RowsGiven& given, int threads, Control& control) const;
    Decision decide(const Open& open, std::span<const double> sums, std::size_t slot, BinnedScratch& scratch) const;
    void apply(const Open& open, BinnedChoice& choice);

    TreeData layout_;
    TreeConfig config_;
    GrowthWeights amounts_;
    CellLayout cells_;
    std::vector<std::uint8_t> squares_;
    std::vector<std::unique_ptr<Growing>> trees_;
    std::vector<Open> open_;
    std::vector<std::size_t> asked_;  // positions in open_ by slot
    Frontier asked_frontier_;
};

}  // namespace vaglio::tree
