#include "rules/packed.hpp"

#include <algorithm>

namespace vaglio {

namespace {

constexpr std::uint32_t most_values = 512;   // with a counter each
constexpr std::size_t n_runs = 256;          // of the values of a coarse column
constexpr std::uint32_t most_slots = 65535;  // what 16 bits can tell apart
constexpr std::size_t block_slots = 4096;    // two counters of 4 bytes each stay in a first-level cache

// Runs of about as many rows each; a value is never divided.
std::vector<std::uint32_t> runs_of(const RuleColumn& column, std::size_t n_rows) {
    std::vector<std::uint32_t> rows_of(column.n_values, 0);
    std::size_t known = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (column.cells[row] == missing_cell) continue;
        ++rows_of[column.cells[row]];
        ++known;
    }
    std::vector<std::uint32_t> start{0};
    std::size_t seen = 0;
    for (std::uint32_t v = 0; v + 1 < column.n_values; ++v) {
        seen += rows_of[v];
        if (seen * n_runs >= known * start.size()) start.push_back(v + 1);
    }
    start.push_back(column.n_values);
    return start;
}

}  // namespace

PackedTable::PackedTable(const RuleTable& table) : columns_(table.columns.size()) {
    const auto has_too_many = [](const RuleColumn& column) {
        return column.nominal() && column.n_values >= most_slots;
    };
    fits_ = std::none_of(table.columns.begin(), table.columns.end(), has_too_many);
    if (!fits_) return;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const RuleColumn& column = table.columns[j];
        if (!column.nominal() && column.n_values > most_values) {
            columns_[j].run_start = runs_of(column, table.n_rows);
            place(j, static_cast<std::uint32_t>(columns_[j].run_start.size()));
        } else {
            place(j, column.n_values + 1);
        }
    }
    for (Block& block : blocks_) fill(table, block);
}

void PackedTable::place(std::size_t j, std::uint32_t n_slots) {
    if (blocks_.empty() || blocks_.back().n_slots + n_slots > block_slots) blocks_.push_back({n_slots_, 0, 0, {}, {}});
    Block& block = blocks_.back();
    columns_[j].block = blocks_.size() - 1;
    columns_[j].place = block.width++;
    columns_[j].first = n_slots_;
    columns_[j].n_slots = n_slots;
    block.columns.push_back(j);
    block.n_slots += n_slots;
    n_slots_ += n_slots;
}

void PackedTable::fill(const RuleTable& table, Block& block) const {
    block.slots.resize(table.n_rows * block.width);
    for (const std::size_t j : block.columns) {
        const Column& column = columns_[j];
        const RuleColumn& source = table.columns[j];
        const std::size_t base = column.first - block.first_slot;
        std::vector<std::uint16_t> slot_of(static_cast<std::size_t>(source.n_values) + 1);
        std::uint32_t run = 0;
        for (std::uint32_t v = 0; v < source.n_values; ++v) {
            if (column.coarse() && v == column.run_start[run + 1]) ++run;
            slot_of[v] = static_cast<std::uint16_t>(base + (column.coarse() ? run : v));
        }
        slot_of[source.n_values] = static_cast<std::uint16_t>(base + column.n_slots - 1);
        std::uint16_t* slots = block.slots.data() + column.place;
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            slots[row * block.width] = slot_of[std::min(source.cells[row], source.n_values)];
        }
    }
}

void PackedTable::count(std::span<const std::uint32_t> rows, const std::int32_t* classes, std::int32_t target,
                        std::span<std::uint32_t> counts) const {
    std::fill(counts.begin(), counts.end(), 0u);
    for (const Block& block : blocks_) {
        // Rows of the target and others have counters of their own; the sum is made at the end.
        std::uint32_t* others = counts.data() + block.first_slot;
        std::uint32_t* targets = others + n_slots_;
        const std::uint16_t* slots = block.slots.data();
        const std::size_t width = block.width;
        for (const std::uint32_t row : rows) {
            std::uint32_t* counter = classes[row] == target ? targets : others;
            const std::uint16_t* slot = slots + row * width;
            for (std::size_t k = 0; k < width; ++k) ++counter[slot[k]];
        }
        for (std::size_t s = 0; s < block.n_slots; ++s) others[s] += targets[s];
    }
}

}  // namespace vaglio
