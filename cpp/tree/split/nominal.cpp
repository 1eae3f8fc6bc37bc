// The best test of a nominal feature, from the sums per category (slots.cpp): one branch per category, or the best
// division of the categories into two sets.
#include "tree/split/nominal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tree/loss/categories.hpp"
#include "tree/split/chance.hpp"

namespace vaglio::tree {
namespace {

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
    if (!context.limited(0)) return true;
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
    return scan_nominal(context, feature, gather_slots(context, feature, scratch), scratch);
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
    return nominal_branches(context, candidate, gather_slots(context, candidate.feature, scratch), scratch);
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

}  // namespace vaglio::tree
