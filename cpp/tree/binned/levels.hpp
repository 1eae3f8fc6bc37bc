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
#include "tree/tree.hpp"

namespace vaglio {

class LevelGrower {
 public:
    LevelGrower(const TreeData& layout, const TreeConfig& config, const GrowthAmounts& amounts, const TreesPlan& plan);
    ~LevelGrower();

    bool done() const;
    // Asks for the sums of as many open nodes as make at most so many numbers (of one at least), the oldest first.
    // Nodes of at most `small` rows are left for gathering.
    Frontier ask_sums(std::size_t most_cells, double small);
    void take_sums(std::span<const double> sums);
    // Asks for the rows of small nodes, so many in all at most (of one node at least); no slots: there are none.
    Frontier ask_rows(double small, double most_rows);
    // Finishes one of these nodes with its rows, columns by feature of the whole table. Where rows were spread, their
    // weights are in `weights` and `counts`, else in the table.
    void take_rows(std::size_t slot, const BinnedTable& rows, std::span<const double> weights,
                   std::span<const double> counts, int threads, Control& control);
    // To be called when all of them are finished.
    void close_rows();
    // Whether the rows of a slot have been spread: their weights are no longer those of the table.
    bool is_real(std::size_t slot) const;
    // The finished trees, in the numbers of the features that each may use.
    std::vector<Tree> take_trees();

    const std::vector<std::uint8_t>& squares() const { return squares_; }
    std::size_t cell_size(std::size_t feature) const { return cells_.size(squares_[feature] != 0); }

 private:
    struct Growing;
    struct Open;
    struct Decision;

    Frontier routes(const std::vector<std::size_t>& asked) const;
    Decision decide(const Open& open, std::span<const double> sums, std::size_t slot, BinnedScratch& scratch) const;
    void apply(const Open& open, BinnedChoice& choice);

    TreeData layout_;
    TreeConfig config_;
    GrowthAmounts amounts_;
    CellLayout cells_;
    std::vector<std::uint8_t> squares_;
    std::vector<std::unique_ptr<Growing>> trees_;
    std::vector<Open> open_;
    std::vector<std::size_t> asked_;  // positions in open_ by slot
    Frontier asked_frontier_;
};

}  // namespace vaglio
