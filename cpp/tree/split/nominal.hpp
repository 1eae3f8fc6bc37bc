#pragma once
// The best test of a nominal feature on the rows of a node.
#include <cstdint>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio {

// What the rows of a node have in one feature, in scratch memory: `seen` has the codes that occur, ascending, and the
// category arrays their sums; rows of unknown value are gathered in one more slot behind the others.
struct Slots {
    std::size_t known = 0;  // codes that occur
    double unknown = 0;     // weight of the rows that miss the value
    bool any_unknown = false;
};

// Whether rows weigh small whole numbers: then the payload tells all that is asked of them.
bool counts_rows(const NodeContext& context);
Slots gather_slots(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);

Candidate scan_nominal(const NodeContext& context, std::int32_t feature, ScanScratch& scratch);
// The same from slots that are filled already.
Candidate scan_nominal(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch);

// The branch of each category under the candidate's test; -1 for a category that no row of the node has.
struct NominalBranches {
    std::vector<std::int32_t> branch;
    std::int32_t branches = 0;
};
NominalBranches nominal_branches(const NodeContext& context, const Candidate& candidate, ScanScratch& scratch);
NominalBranches nominal_branches(const NodeContext& context, const Candidate& candidate, const Slots& slots,
                                 ScanScratch& scratch);

}  // namespace vaglio
