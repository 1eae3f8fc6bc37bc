#pragma once
// The best test of a nominal feature on the rows of a node.
#include <cstdint>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio {

Candidate scan_nominal(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);

// The branch of each category under the candidate's test; -1 for a category that no row of the node has.
struct NominalBranches {
    std::vector<std::int32_t> branch;
    std::int32_t branches = 0;
};
NominalBranches nominal_branches(const NodeContext& context, const Candidate& candidate, ScanScratch& scratch);

}  // namespace vaglio
