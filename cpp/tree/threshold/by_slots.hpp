#pragma once
// The best threshold of a numeric feature of which only the sums per bin are known.
#include <memory>
#include <vector>

#include "tree/split/nominal.hpp"

namespace vaglio::tree {

// Rows that stand for the bins of one column; one per worker. `data` is the layout of the table, and every column of
// its ranks is the one that is scanned.
struct SlotRows {
    TreeData data;
    std::shared_ptr<RowStore> store = std::make_shared<RowStore>();
    std::vector<std::uint32_t> ranks, order;

    explicit SlotRows(const TreeData& layout) : data(layout) { data.rows = 0; }
    void clear();
};

// From slots that are filled already; their codes are bins.
Candidate scan_slots(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch,
                     SlotRows& rows);

}  // namespace vaglio::tree
