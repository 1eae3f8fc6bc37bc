#include "tree/loss/categories.hpp"

#include <algorithm>
#include <numeric>

#include "tree/loss/median.hpp"

namespace vaglio::tree {
namespace {

void add_slot(const ScanScratch& scratch, std::size_t slot, GrowingMedian& side) {
    for (const std::uint32_t position : rows_in(scratch, slot)) side.add(position);
}

}  // namespace

std::span<const std::uint32_t> rows_in(const ScanScratch& scratch, std::size_t slot) {
    const std::size_t start = scratch.group_start[slot];
    return std::span(scratch.grouped).subspan(start, scratch.group_start[slot + 1] - start);
}

std::span<const std::uint32_t> rows_before(const ScanScratch& scratch, std::size_t slot) {
    return std::span(scratch.grouped).first(scratch.group_start[slot]);
}

std::vector<std::uint32_t> left_out(const GrowNode& node, std::span<const std::uint32_t> order) {
    std::vector<bool> known(node.size, false);
    for (const std::uint32_t entry : order) known[entry & position_mask] = true;
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < node.size; ++i)
        if (!known[i]) found.push_back(i);
    return found;
}

void group_rows(const NodeContext& context, std::span<const std::int32_t> codes, ScanScratch& scratch) {
    const std::vector<std::uint32_t>& seen = scratch.seen;
    const std::uint32_t size = context.node.size;
    std::vector<std::uint32_t> slot(size);
    scratch.group_start.assign(seen.size() + 2, 0);
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::int32_t code = codes[context.node.rows()[i]];
        const auto found =
            code < 0 ? seen.end() : std::lower_bound(seen.begin(), seen.end(), static_cast<std::uint32_t>(code));
        slot[i] = static_cast<std::uint32_t>(found - seen.begin());
        ++scratch.group_start[slot[i] + 1];
    }
    std::partial_sum(scratch.group_start.begin(), scratch.group_start.end(), scratch.group_start.begin());
    std::vector<std::size_t> next(scratch.group_start.begin(), scratch.group_start.end() - 1);
    scratch.grouped.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) scratch.grouped[next[slot[i]]++] = i;
}

SubsetSplit best_median_cut(const NodeContext& context, std::size_t slots, const ScanScratch& scratch) {
    std::vector<std::size_t> sorted(slots);
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::vector<double> median(slots);
    for (std::size_t s = 0; s < slots; ++s) median[s] = median_of(context, rows_in(scratch, s)).value;
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return median[a] < median[b]; });
    std::vector<Fit> above(slots);
    GrowingMedian side(context.targets->front(), context.node);
    for (std::size_t i = slots; i-- > 1;) {
        add_slot(scratch, sorted[i], side);
        above[i - 1] = side.fit();
    }
    side.clear();
    const std::span<const double> rows = slot_rows(context, scratch).first(slots);
    const std::span<const double> weights = std::span(scratch.category_weight).first(slots);
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double all_rows = std::accumulate(rows.begin(), rows.end(), 0.0);
    SubsetSplit best;
    double left_weight = 0, left_rows = 0;
    for (std::size_t i = 0; i + 1 < slots; ++i) {
        add_slot(scratch, sorted[i], side);
        left_weight += weights[sorted[i]];
        left_rows += rows[sorted[i]];
        const Fit below = side.fit();
        const double score = -(below.loss + above[i].loss);
        if (!context.minimum.met(left_weight, left_rows)) continue;
        if (!context.minimum.met(weight - left_weight, all_rows - left_rows)) continue;
        if (!context.within_bounds(below.value) || !context.within_bounds(above[i].value)) continue;
        if (best.found && score <= best.score) continue;
        best = {true, score, left_weight, weight - left_weight, std::vector<std::uint8_t>(slots, 1)};
        for (std::size_t k = 0; k <= i; ++k) best.side[sorted[k]] = 0;
    }
    if (best.found && best.side[0] == 1) {
        for (auto& side_of : best.side) side_of ^= 1;
        std::swap(best.left_weight, best.right_weight);
    }
    return best;
}

}  // namespace vaglio::tree
