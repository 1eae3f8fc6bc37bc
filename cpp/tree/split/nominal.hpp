#pragma once
// The best test of a nominal feature on the rows of a node: one branch per category, or the best division in two.
#include <cstdint>
#include <vector>

#include "tree/split/context.hpp"

namespace vaglio::tree {

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

// The best division of the categories into two sets.
struct SubsetSplit {
    bool found = false;
    double score = 0;  // ΣP of the two sides
    double left_weight = 0, right_weight = 0;
    std::vector<std::uint8_t> side;  // per slot; slot 0 is on side 0
};

// Over the first `slots` slots of scratch.category_sums. Exact for two classes and for numbers (the best division
// is a cut of the categories in the order of their class share or mean), and for few categories (all divisions
// are tried); otherwise the best cut of several orders: by the share of each class, and along the first
// principal component of the class shares.
SubsetSplit best_subset(const NodeContext& context, std::size_t slots, ScanScratch& scratch);

}  // namespace vaglio::tree
