#pragma once
// One tree on rows that are in memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "boosting/growth/tree_grower.hpp"

namespace vaglio::boosting {

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
    // Moves the rows of a part; returns where those of the right side begin.
    std::size_t move_rows(const GrownNode& node, RowRange range);
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
