#pragma once
// One tree on rows that are in memory.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "boosting/growth/tree_grower.hpp"

namespace vaglio::boosting {

// Derivatives of the outputs that a tree speaks for: those of output k begin at rows + k * stride.
struct TreeGradients {
    const RowGradient* rows = nullptr;
    std::size_t stride = 0;
};

class Grower : public TreeGrower {
 public:
    Grower(const BinnedTable& table, const GrowthConfig& config, int threads)
        : TreeGrower(table, config, threads), histograms_(table, threads) {}

    // Grows a tree on the given rows, whose order it changes: the rows of a leaf end up side by side.
    GrownTree grow(const TreeGradients& gradients, const TreeTask& task, std::vector<std::uint32_t>& rows,
                   Control& control);

 private:
    void send_rows(GrownNode& parent, GrownNode& left, GrownNode& right) override;
    Histograms count(const GrownNode& node, Candidate& parent) override;
    Histograms count(const GrownNode& node);

    HistogramBuilder histograms_;
    TreeGradients gradients_;
    std::vector<std::uint32_t>* rows_ = nullptr;
    std::vector<std::uint32_t> moved_;
};

}  // namespace vaglio::boosting
