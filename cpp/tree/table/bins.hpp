#pragma once
// Ranks made coarse: at most so many bins of about equal weight per numeric column.
#include <cstdint>
#include <vector>

#include "tree/table/data.hpp"

namespace vaglio::tree {

struct BinnedColumns {
    std::vector<std::uint32_t> ranks;
    std::vector<std::vector<double>> lowest, greatest;  // value of each bin

    // The same table with bins instead of ranks; this object must outlive it.
    TreeData view(const TreeData& exact) const;
};

// Columns of no more than `bins` distinct values stay as they are.
BinnedColumns bin_columns(const TreeData& data, std::uint32_t bins, int threads);

}  // namespace vaglio::tree
