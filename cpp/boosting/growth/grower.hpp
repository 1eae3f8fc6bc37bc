#pragma once
// One tree on rows that are in memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "boosting/growth/tree_grower.hpp"

namespace vaglio::boosting {

// Sends rows to the sides of a node by its test: those of the left side come first, either side in its order. Returns
// how many they are. `spare` has room for all.
std::size_t send_to_sides(const BinnedTable& table, const GrownNode& node, std::span<std::uint32_t> rows,
                          std::uint32_t* spare);

// The leaf of each of some rows, by its number: `leaves` has room for all rows of the table.
class LeafFinder {
 public:
    LeafFinder(const BinnedTable& table, const GrownTree& tree) : table_(table), tree_(tree) {}

    void find(std::span<const std::uint32_t> rows, std::uint32_t* leaves);

 private:
    const BinnedTable& table_;
    const GrownTree& tree_;
    std::vector<std::uint32_t> rows_, spare_;
    std::vector<RowRange> ranges_;  // of each node
};

class Grower : public TreeGrower {
 public:
    Grower(const BinnedTable& table, const GrowthConfig& config, int threads)
        : TreeGrower(table, config, threads), histograms_(table, threads) {}

    // Grows a tree on the given rows. `ordered` receives them with the rows of a leaf side by side, in as many parts as
    // there are threads: a part is always the work of the same thread, if that has time, whose cache knows its rows.
    GrownTree grow(const TreeGradients& gradients, const TreeTask& task, const std::vector<std::uint32_t>& rows,
                   std::vector<std::uint32_t>& ordered, Control& control);

 private:
    Histograms send_rows(std::size_t node, const Below& to_do, Candidate& own) override;
    void finish(std::size_t share, Histograms& to) override;
    void deal(const std::vector<std::uint32_t>& rows);
    void begin_count(const GrownNode& node, Histograms& to);
    Histograms count_root();
    std::span<const std::uint32_t> rows_of(const RowRange& range) const {
        return {rows_->data() + range.begin, range.size()};
    }

    HistogramBuilder histograms_;
    TreeGradients gradients_;
    std::vector<std::uint32_t>* rows_ = nullptr;
    std::vector<std::uint32_t> moved_;
    std::vector<std::span<const std::uint32_t>> lists_;  // rows of a node that every share of the features has to count
};

}  // namespace vaglio::boosting
