// The best test of a nominal feature: class sums per category in one pass over the rows, then one branch per
// category, or the best division of the categories into two sets.
#include "tree/split/nominal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tree/loss/categories.hpp"
#include "tree/split/chance.hpp"
#include "tree/split/subset.hpp"

namespace vaglio {
namespace {

constexpr std::uint32_t unseen = UINT32_MAX;

// Small whole weights: class by class, the weight of a slot in the lower half of a word and its rows in the upper one.
// Neighbouring rows count apart, so that equal categories do not wait for one another.
template <class SlotOf>
void count_slots(const NodeContext& context, std::size_t slots, bool squares, ScanScratch& scratch, SlotOf slot_of) {
    const GrowNode& node = context.node;
    const std::uint32_t* payload = node.payload();
    const int count_bits = node.store->count_bits;
    const std::uint32_t count_mask = (1u << count_bits) - 1, unit = count_bits == 0;
    const std::size_t width = context.width();
    scratch.cells.assign(2 * slots * width, 0u);
    std::uint64_t* cells = scratch.cells.data();
    double* square = scratch.category_squares.data();
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::size_t slot = slot_of(i);
        const std::uint64_t count = (payload[i] & count_mask) | unit;
        cells[2 * (slot * width + (payload[i] >> count_bits)) + (i & 1)] += count | std::uint64_t{1} << 32;
        if (squares) square[slot] += static_cast<double>(count * count);
    }
    for (std::size_t cell = 0; cell < slots * width; ++cell) {
        const std::uint64_t both = cells[2 * cell] + cells[2 * cell + 1];
        const auto weight = static_cast<double>(both & UINT32_MAX);
        const std::size_t slot = cell / width;
        scratch.category_sums[cell] = weight;
        scratch.category_weight[slot] += weight;
        if (node.store->weighted) scratch.category_rows[slot] += static_cast<double>(both >> 32);
        scratch.present[slot] |= both != 0;
    }
}

// Sums and weights of `slots` slots, and which have rows; slot_of(i) is that of row i of the node. Squared weights are
// summed where the correction for chance will ask for them.
template <class SlotOf>
void sum_slots(const NodeContext& context, std::int32_t feature, std::size_t slots, ScanScratch& scratch,
               SlotOf slot_of) {
    const GrowNode& node = context.node;
    const double* weights = node.weights();
    const bool weighted = node.store->weighted, squares = weights && is_guarded(context, feature);
    const std::size_t width = context.width();
    scratch.category_sums.assign(slots * width, 0.0);
    scratch.category_weight.assign(slots, 0.0);
    if (weights) scratch.category_squares.assign(slots, 0.0);
    if (weighted) scratch.category_rows.assign(slots, 0.0);
    scratch.present.assign(slots, 0);
    if (!node.store->payload.empty() && node.store->counts.empty() && node.weight < UINT32_MAX)
        return count_slots(context, slots, squares, scratch, slot_of);
    double *sums = scratch.category_sums.data(), *total = scratch.category_weight.data();
    double *square = scratch.category_squares.data(), *rows = scratch.category_rows.data();
    const double *counts = node.counts(), *targets = context.regression() ? node.targets() : nullptr;
    const Label* labels = node.labels();
    std::uint8_t* present = scratch.present.data();
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::size_t slot = slot_of(i);
        present[slot] = 1;
        const double w = weights ? weights[i] : 1.0;
        total[slot] += w;
        if (squares) square[slot] += w * w;
        if (weighted) rows[slot] += counts ? counts[i] : 1.0;
        if (targets) {
            sums[slot * width] += w * targets[i];
            sums[slot * width + 1] += w * targets[i] * targets[i];
        } else {
            sums[slot * width + labels[i]] += w;
        }
    }
}

// A slot for every category, and then the empty ones are closed up: one pass over the rows.
Slots gather_few(const NodeContext& context, std::int32_t feature, const std::int32_t* codes, std::uint32_t categories,
                 ScanScratch& scratch) {
    const std::uint32_t* rows = context.node.rows();
    const std::size_t width = context.width();
    sum_slots(context, feature, categories + 1u, scratch, [&](std::uint32_t i) {
        return std::min(static_cast<std::uint32_t>(codes[rows[i]]), categories);  // negative: the last
    });
    const auto& present = scratch.present;
    Slots slots;
    scratch.seen.clear();
    for (std::uint32_t code = 0; code <= categories; ++code) {
        if (!present[code] && code < categories) continue;
        std::copy_n(&scratch.category_sums[code * width], width, &scratch.category_sums[slots.known * width]);
        scratch.category_weight[slots.known] = scratch.category_weight[code];
        if (context.node.weights()) scratch.category_squares[slots.known] = scratch.category_squares[code];
        if (context.node.store->weighted) scratch.category_rows[slots.known] = scratch.category_rows[code];
        if (code == categories) break;
        scratch.seen.push_back(code);
        ++slots.known;
    }
    slots.any_unknown = present[categories] != 0;
    return slots;
}

// Slots for the categories that occur, which takes a pass to find out. Only what is touched is cleared, so that a
// feature of ten thousand categories costs a small node no more than its rows.
Slots gather_many(const NodeContext& context, std::int32_t feature, const std::int32_t* codes, std::uint32_t categories,
                  ScanScratch& scratch) {
    const std::uint32_t* rows = context.node.rows();
    if (scratch.slot_of.size() < categories) scratch.slot_of.resize(categories, unseen);
    auto& seen = scratch.seen;
    seen.clear();
    Slots slots;
    for (std::uint32_t i = 0; i < context.node.size; ++i) {
        const std::int32_t code = codes[rows[i]];
        if (code < 0) {
            slots.any_unknown = true;
        } else if (scratch.slot_of[static_cast<std::size_t>(code)] == unseen) {
            scratch.slot_of[static_cast<std::size_t>(code)] = 0;
            seen.push_back(static_cast<std::uint32_t>(code));
        }
    }
    std::sort(seen.begin(), seen.end());
    for (std::uint32_t s = 0; s < seen.size(); ++s) scratch.slot_of[seen[s]] = s;
    slots.known = seen.size();
    sum_slots(context, feature, seen.size() + 1, scratch, [&](std::uint32_t i) {
        const std::int32_t code = codes[rows[i]];
        return code < 0 ? slots.known : scratch.slot_of[static_cast<std::size_t>(code)];
    });
    for (const std::uint32_t code : seen) scratch.slot_of[code] = unseen;
    return slots;
}

// Sums per present category; rows of unknown value are gathered in one more slot behind the others.
Slots gather(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::int32_t* codes = context.data.code_column(column);
    const std::uint32_t categories = context.data.categories[column];
    Slots slots = categories <= std::max<std::uint32_t>(context.node.size, 16)
                      ? gather_few(context, feature, codes, categories, scratch)
                      : gather_many(context, feature, codes, categories, scratch);
    slots.unknown = scratch.category_weight[slots.known];
    if (context.by_medians()) group_rows(context, {codes, context.data.rows}, scratch);
    return slots;
}

Totals slot_totals(const NodeContext& context, const ScanScratch& scratch, std::size_t slot) {
    return {std::span(scratch.category_sums).subspan(slot * context.width(), context.width()),
            scratch.category_weight[slot]};
}

double slot_purity(const NodeContext& context, const ScanScratch& scratch, std::size_t slot) {
    if (context.by_medians()) return median_purity(context, rows_in(scratch, slot));
    return context.scorer.purity(slot_totals(context, scratch, slot), context.integral);
}

double node_purity(const NodeContext& context) {
    if (context.by_medians()) return -context.node.fit.loss;
    return context.scorer.purity({context.sums, context.weight}, context.integral);
}

// P of two slots together.
double joined_purity(const NodeContext& context, const ScanScratch& scratch, std::size_t a, std::size_t b) {
    if (context.by_medians()) {
        std::vector<std::uint32_t> rows(rows_in(scratch, a).begin(), rows_in(scratch, a).end());
        rows.insert(rows.end(), rows_in(scratch, b).begin(), rows_in(scratch, b).end());
        return median_purity(context, rows);
    }
    const Totals first = slot_totals(context, scratch, a), second = slot_totals(context, scratch, b);
    std::vector<double> sums(first.sums.begin(), first.sums.end());
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += second.sums[c];
    return context.scorer.purity({sums, first.weight + second.weight}, context.integral);
}

// P of the rows of known value, by the same sums a complete column has.
double known_purity(const NodeContext& context, const ScanScratch& scratch, const Slots& slots) {
    if (context.by_medians()) return median_purity(context, rows_before(scratch, slots.known));
    if (!slots.any_unknown) return node_purity(context);
    std::vector<double> sums(context.width(), 0.0);
    double weight = 0;
    for (std::size_t s = 0; s < slots.known; ++s) {
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += scratch.category_sums[s * sums.size() + c];
        weight += scratch.category_weight[s];
    }
    return context.scorer.purity({sums, weight}, context.integral);
}

// Which branch the unknown rows join for the best score, among those that leave two branches large enough.
std::int32_t best_company(const NodeContext& context, const ScanScratch& scratch, const Slots& slots, double& change) {
    std::int32_t branch = -1;
    const std::span<const double> rows = slot_rows(context, scratch);
    const auto large = [&](double weight, double count) { return context.minimum.met(weight, count) ? 1 : 0; };
    int count = 0;
    for (std::size_t s = 0; s < slots.known; ++s) count += large(scratch.category_weight[s], rows[s]);
    for (std::size_t s = 0; s < slots.known; ++s) {
        const Totals own = slot_totals(context, scratch, s), unknown = slot_totals(context, scratch, slots.known);
        const int joined_large = large(own.weight + unknown.weight, rows[s] + rows[slots.known]);
        if (count - large(own.weight, rows[s]) + joined_large < 2) continue;
        const double difference = joined_purity(context, scratch, s, slots.known) - slot_purity(context, scratch, s);
        if (branch < 0 || difference > change) {
            change = difference;
            branch = static_cast<std::int32_t>(s);
        }
    }
    return branch;
}

bool slot_within_bounds(const NodeContext& context, const ScanScratch& scratch, std::size_t slot) {
    if (!context.monotonic()) return true;
    if (context.by_medians()) return context.within_bounds(median_of(context, rows_in(scratch, slot)).value);
    return context.within_bounds(slot_totals(context, scratch, slot).sums.data(), scratch.category_weight[slot]);
}

void scan_multiway(const NodeContext& context, Candidate& candidate, ScanScratch& scratch, const Slots& slots) {
    std::vector<double>& weights = scratch.share;
    weights.assign(scratch.category_weight.begin(),
                   scratch.category_weight.begin() + static_cast<std::ptrdiff_t>(slots.known));
    const std::span<const double> known_rows = slot_rows(context, scratch).first(slots.known);
    std::vector<double> rows(known_rows.begin(), known_rows.end());
    double score = 0;
    for (std::size_t s = 0; s < slots.known; ++s) score += slot_purity(context, scratch, s);
    double parent = node_purity(context), unknown = 0;
    if (slots.any_unknown) {
        if (context.config.missing == MissingPolicy::fractional) {
            parent = known_purity(context, scratch, slots);
            unknown = slots.unknown;
        } else if (context.config.missing == MissingPolicy::own_branch) {
            score += slot_purity(context, scratch, slots.known);
            weights.push_back(slots.unknown);
            rows.push_back(slot_rows(context, scratch)[slots.known]);
            candidate.missing_branch = static_cast<std::int32_t>(slots.known);
        } else {
            double change = 0;
            candidate.missing_branch = best_company(context, scratch, slots, change);
            if (candidate.missing_branch < 0) return;
            score += change;
            weights[static_cast<std::size_t>(candidate.missing_branch)] += slots.unknown;
            rows[static_cast<std::size_t>(candidate.missing_branch)] += slot_rows(context, scratch)[slots.known];
        }
    }
    int large = 0;
    for (std::size_t b = 0; b < weights.size(); ++b) large += context.minimum.met(weights[b], rows[b]);
    if (large < 2) return;
    for (std::size_t s = 0; s < slots.known; ++s)
        if (!slot_within_bounds(context, scratch, s)) return;
    judge(context, candidate, score - parent, 0, weights, unknown);
}

// Whether more than half of the rows would have a value of their own. Such a feature names the rows: some division of
// its values always fits them, and says nothing of any other row.
bool names_the_rows(const NodeContext& context, const ScanScratch& scratch, const Slots& slots) {
    const double rows = context.node.count - slot_rows(context, scratch)[slots.known];
    return slots.known > 2 && 2.0 * static_cast<double>(slots.known) > rows;
}

void scan_subset(const NodeContext& context, Candidate& candidate, ScanScratch& scratch, const Slots& slots) {
    const bool joins = slots.any_unknown && context.config.missing == MissingPolicy::learned;
    const SubsetSplit split = best_subset(context, slots.known + (joins ? 1 : 0), scratch);
    if (!split.found) return;
    double parent = node_purity(context), unknown = 0;
    double score = split.score;
    std::vector<double> weights{split.left_weight, split.right_weight};
    if (joins) {
        candidate.missing_branch = split.side[slots.known];
    } else if (slots.any_unknown && context.config.missing == MissingPolicy::fractional) {
        parent = known_purity(context, scratch, slots);
        unknown = slots.unknown;
    } else if (slots.any_unknown) {
        score += slot_purity(context, scratch, slots.known);
        weights.push_back(slots.unknown);
        candidate.missing_branch = 2;
    }
    judge(context, candidate, score - parent, 0, weights, unknown);
}

}  // namespace

Candidate scan_nominal(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    return scan_nominal(context, feature, gather(context, feature, scratch), scratch);
}

Candidate scan_nominal(const NodeContext& context, std::int32_t feature, const Slots& slots, ScanScratch& scratch) {
    Candidate candidate;
    candidate.feature = feature;
    if (slots.known + (slots.any_unknown ? 1 : 0) < 2) return candidate;
    const bool subset = context.config.nominal_split == NominalSplit::subset;
    const bool guarded = is_guarded(context, feature);
    if (subset && !guarded && names_the_rows(context, scratch, slots)) return candidate;
    const double part = guarded ? expected_part(context, scratch, slots.known) : 1.0;
    if (part <= 0) return candidate;
    if (subset) {
        scan_subset(context, candidate, scratch, slots);
    } else {
        scan_multiway(context, candidate, scratch, slots);
    }
    candidate.gain *= part;
    candidate.worth *= part;
    return candidate;
}

NominalBranches nominal_branches(const NodeContext& context, const Candidate& candidate, ScanScratch& scratch) {
    return nominal_branches(context, candidate, gather(context, candidate.feature, scratch), scratch);
}

NominalBranches nominal_branches(const NodeContext& context, const Candidate& candidate, const Slots& slots,
                                 ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(candidate.feature)].column;
    NominalBranches result;
    result.branch.assign(context.data.categories[column], -1);
    const std::vector<std::uint32_t> seen = scratch.seen;
    if (context.config.nominal_split == NominalSplit::multiway) {
        for (std::size_t s = 0; s < slots.known; ++s) result.branch[seen[s]] = static_cast<std::int32_t>(s);
        result.branches = static_cast<std::int32_t>(slots.known);
    } else {
        const bool joins = slots.any_unknown && context.config.missing == MissingPolicy::learned;
        const SubsetSplit split = best_subset(context, slots.known + (joins ? 1 : 0), scratch);
        for (std::size_t s = 0; s < slots.known; ++s) result.branch[seen[s]] = split.side[s];
        result.branches = 2;
    }
    if (candidate.missing_branch == result.branches) ++result.branches;
    return result;
}

}  // namespace vaglio
