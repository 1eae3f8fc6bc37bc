// Whole counts of classes are counted in 32 bits; all else is added as doubles whose sums are exact (amounts.hpp), so
// that no order of the rows shows.
#include "tree/binned/gather.hpp"

#include <algorithm>
#include <type_traits>

#include "base/radix_sort.hpp"
#include "tree/split/chance.hpp"

namespace vaglio::tree {
namespace {

bool guarded(const GrowSetting& setting, std::uint32_t feature) {
    const auto [nominal, column] = setting.data.features[feature];
    return nominal && static_cast<double>(setting.data.categories[column]) > setting.config.guarded_from;
}

// What category arrays a feature needs.
struct Wanted {
    std::size_t width;
    bool rows, squares;

    Wanted(const BinnedSetting& setting, const NodeRows& node, std::uint32_t feature)
        : width(setting.growth().data.classes > 0 ? setting.growth().data.classes : 2),
          rows(setting.weighted()),
          squares(guarded(setting.growth(), feature) && (!node.whole || !node.counts.empty())) {}
};

void resize(const Wanted& wanted, std::size_t slots, ScanScratch& scratch) {
    scratch.category_sums.assign(slots * wanted.width, 0.0);
    scratch.category_weight.assign(slots, 0.0);
    if (wanted.rows) scratch.category_rows.assign(slots, 0.0);
    if (wanted.squares) scratch.category_squares.assign(slots, 0.0);
}

// Adds row i to a slot.
struct AddRow {
    const BinnedSetting& setting;
    const NodeRows& rows;
    const Wanted& wanted;
    ScanScratch& scratch;

    void operator()(std::size_t i, std::size_t slot) const {
        const double weight = rows.weight(i);
        double* sums = &scratch.category_sums[slot * wanted.width];
        scratch.category_weight[slot] += weight;
        if (rows.targets.empty()) {
            sums[rows.labels[i]] += weight;
        } else {
            sums[0] += rows.targets[i];
            sums[1] += rows.squares[i];
        }
        if (wanted.rows) scratch.category_rows[slot] += rows.rows[i];
        // Squares are rounded to whole units of the weights' own rounding, times the largest weight at most.
        if (wanted.squares) scratch.category_squares[slot] += setting.amounts().square_weight(weight * weight);
    }
};

// Moves the slots of codes that occur to the front.
Slots close_up(const Wanted& wanted, std::uint32_t bins, ScanScratch& scratch) {
    Slots slots;
    scratch.seen.clear();
    for (std::uint32_t code = 0; code <= bins; ++code) {
        const bool present = scratch.category_weight[code] > 0;
        if (!present && code < bins) continue;
        const std::size_t to = slots.known;
        std::copy_n(&scratch.category_sums[code * wanted.width], wanted.width,
                    &scratch.category_sums[to * wanted.width]);
        scratch.category_weight[to] = scratch.category_weight[code];
        if (wanted.rows) scratch.category_rows[to] = scratch.category_rows[code];
        if (wanted.squares) scratch.category_squares[to] = scratch.category_squares[code];
        if (code == bins) {
            slots.any_unknown = present;
            break;
        }
        scratch.seen.push_back(code);
        ++slots.known;
    }
    slots.unknown = scratch.category_weight[slots.known];
    return slots;
}

// A node of few rows sorts them by their code: its sums cost no more than its rows.
Slots gather_few(const Wanted& wanted, const BinnedColumn& column, const AddRow& add, BinnedScratch& scratch) {
    auto& keys = scratch.keys;
    const auto& index = add.rows.index;
    keys.resize(index.size());
    with_codes(column, [&](const auto* codes) {
        for (std::size_t i = 0; i < index.size(); ++i) keys[i] = static_cast<std::uint64_t>(codes[index[i]]) << 32 | i;
    });
    sort_keys(keys, scratch.spare, 0, 64);
    auto& seen = scratch.scan.seen;
    seen.clear();
    Slots slots;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto code = static_cast<std::uint32_t>(keys[i] >> 32);
        if (code >= column.bins) {
            slots.any_unknown = true;
            break;
        }
        if (seen.empty() || seen.back() != code) seen.push_back(code);
    }
    slots.known = seen.size();
    resize(wanted, slots.known + 1, scratch.scan);
    std::size_t slot = 0;
    for (const std::uint64_t key : keys) {
        const auto code = static_cast<std::uint32_t>(key >> 32);
        while (slot < slots.known && seen[slot] < code) ++slot;
        add(static_cast<std::uint32_t>(key), slot);
    }
    slots.unknown = scratch.scan.category_weight[slots.known];
    return slots;
}

Slots gather_dense(const Wanted& wanted, const BinnedColumn& column, const AddRow& add, BinnedScratch& scratch) {
    resize(wanted, column.bins + 1u, scratch.scan);
    const auto& index = add.rows.index;
    with_codes(column, [&](const auto* codes) {
        for (std::size_t i = 0; i < index.size(); ++i) add(i, codes[index[i]]);
    });
    return close_up(wanted, column.bins, scratch.scan);
}

}  // namespace

void view_rows(const BinnedSetting& setting, const BinnedTable& table, const RowLists& lists, std::size_t start,
               std::size_t size, NodeRows& rows) {
    const auto part = [&](const auto& list) {
        return std::span(list).subspan(list.empty() ? 0 : start, list.empty() ? 0 : size);
    };
    rows.index = part(lists.rows);
    rows.labels = part(lists.labels);
    rows.counts = part(lists.drawn);
    rows.whole = lists.weights.empty();
    rows.weights = part(lists.weights);
    rows.rows = part(lists.counts);
    if (table.layout.classes > 0) return;
    rows.targets.resize(size);
    rows.squares.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double y = table.targets[rows.index[i]], w = rows.weight(i);
        rows.targets[i] = setting.amounts().target(w * y);
        rows.squares[i] = setting.amounts().square(w * y * y);
    }
}

void add_up(const BinnedSetting& setting, const NodeRows& rows, GrowNode& node) {
    std::fill(node.sums.begin(), node.sums.end(), 0.0);
    node.weight = node.count = 0;
    for (std::size_t i = 0; i < rows.index.size(); ++i) {
        const double weight = rows.weight(i);
        node.weight += weight;
        node.count += setting.weighted() ? rows.rows[i] : weight;
        if (rows.targets.empty()) {
            node.sums[rows.labels[i]] += weight;
        } else {
            node.sums[0] += rows.targets[i];
            node.sums[1] += rows.squares[i];
        }
    }
}

void count_codes(const BinnedTable& table, const NodeRows& rows, std::uint32_t feature, std::uint32_t* counts) {
    const std::size_t width = table.layout.classes;
    const std::uint32_t* index = rows.index.data();
    const Label* labels = rows.labels.data();
    with_codes(table.columns[feature], [&](const auto* codes) {
        if (rows.counts.empty()) {
            for (std::size_t i = 0; i < rows.index.size(); ++i) ++counts[codes[index[i]] * width + labels[i]];
        } else {
            for (std::size_t i = 0; i < rows.index.size(); ++i)
                counts[codes[index[i]] * width + labels[i]] += rows.counts[i];
        }
    });
}

namespace {

// Every bin is written behind those that occur, and stays if it does: no branch depends on what is counted.
template <class Width>
std::size_t keep_present(const std::uint32_t* counts, std::uint32_t bins, Width width, ScanScratch& scratch) {
    double* sums = scratch.category_sums.data();
    std::size_t known = 0;
    for (std::uint32_t code = 0; code <= bins; ++code) {
        const std::uint32_t* cell = counts + code * width;
        std::uint64_t weight = 0;
        for (std::size_t c = 0; c < width; ++c) {
            weight += cell[c];
            sums[known * width + c] = cell[c];
        }
        scratch.category_weight[known] = static_cast<double>(weight);
        scratch.seen[known] = code;
        known += weight != 0 && code < bins;
    }
    return known;
}

}  // namespace

Slots slots_of_counts(const BinnedSetting& setting, const std::uint32_t* counts, std::uint32_t bins,
                      ScanScratch& scratch) {
    const std::size_t width = setting.growth().data.classes;
    scratch.seen.resize(bins + 1u);
    scratch.category_sums.resize((bins + 1u) * width);
    scratch.category_weight.resize(bins + 1u);
    Slots slots;
    slots.known = width == 2 ? keep_present(counts, bins, std::integral_constant<std::size_t, 2>(), scratch)
                             : keep_present(counts, bins, width, scratch);
    scratch.seen.resize(slots.known);
    scratch.category_sums.resize((slots.known + 1) * width);
    scratch.category_weight.resize(slots.known + 1);
    slots.unknown = scratch.category_weight[slots.known];
    slots.any_unknown = slots.unknown > 0;
    return slots;
}

Slots gather_slots(const BinnedSetting& setting, const BinnedTable& table, const NodeRows& rows, std::uint32_t feature,
                   BinnedScratch& scratch) {
    const BinnedColumn& column = table.columns[feature];
    const Wanted wanted(setting, rows, feature);
    const AddRow add{setting, rows, wanted, scratch.scan};
    if (rows.index.size() * 4 < column.bins) return gather_few(wanted, column, add, scratch);
    const bool counted = rows.whole && !rows.labels.empty() && !wanted.rows && !wanted.squares;
    if (!counted) return gather_dense(wanted, column, add, scratch);
    scratch.histogram.assign((column.bins + 1u) * wanted.width, 0u);
    count_codes(table, rows, feature, scratch.histogram.data());
    return slots_of_counts(setting, scratch.histogram.data(), column.bins, scratch.scan);
}

}  // namespace vaglio::tree
