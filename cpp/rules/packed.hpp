#pragma once
// A table as counting wants it: the cells of a row side by side, so that one walk over the rows counts many columns at
// once and no counter waits for the one before. A column of many values is counted by runs of its values first; few
// runs can hold the best cut (scan_target.cpp).
#include <cstdint>
#include <span>
#include <vector>

#include "rules/table.hpp"

namespace vaglio {

class PackedTable {
 public:
    explicit PackedTable(const RuleTable& table);

    // Where a column's counters are. A slot is a cell, or a run of cells if the column is coarse; the last slot is for
    // rows without a value.
    struct Column {
        std::size_t block = 0, place = 0;  // its block, and its place in a row of the block
        std::size_t first = 0;             // of its counters among those of all columns
        std::uint32_t n_slots = 0;
        std::vector<std::uint32_t> run_start;  // of a coarse column: the first cell of each run, and the end

        bool coarse() const { return !run_start.empty(); }
    };
    const Column& column(std::size_t j) const { return columns_[j]; }
    std::size_t n_slots() const { return n_slots_; }
    // Clearing and reading all counters must cost less than counting. A column of more categories than a slot has
    // numbers cannot be packed.
    bool pays_for(std::size_t n_rows) const { return fits_ && n_rows * columns_.size() >= n_slots_; }

    // Counts rows by slot into counts[0, n_slots), and those of the target among them into the second half.
    void count(std::span<const std::uint32_t> rows, const std::int32_t* classes, std::int32_t target,
               std::span<std::uint32_t> counts) const;

    // The slot of a row in a column, counted from the column's first.
    std::uint32_t slot(const Column& column, std::size_t row) const {
        const Block& block = blocks_[column.block];
        return block.slots[row * block.width + column.place] -
               static_cast<std::uint32_t>(column.first - block.first_slot);
    }

 private:
    struct Block {
        std::size_t first_slot = 0, n_slots = 0, width = 0;
        std::vector<std::size_t> columns;
        std::vector<std::uint16_t> slots;  // row by row, from the block's first slot
    };
    void place(std::size_t j, std::uint32_t n_slots);
    void fill(const RuleTable& table, Block& block) const;

    std::vector<Column> columns_;
    std::vector<Block> blocks_;
    std::size_t n_slots_ = 0;
    bool fits_ = true;
};

}  // namespace vaglio
