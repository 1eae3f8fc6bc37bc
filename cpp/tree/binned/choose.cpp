// Rows whose value is missing may be spread over all branches. How much of them each branch gets is known only from the
// rows; the choice itself needs the sums alone.
#include "tree/binned/choose.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "tree/split/find.hpp"

namespace vaglio::tree {
namespace {

// Of n·log2(n): 128 MB. Larger tables of rows compute their logarithms.
constexpr double largest_table = 1 << 24;

Candidate scan_feature(const GrowSetting& setting, const NodeContext& context, std::uint32_t feature,
                       const GatherSlots& gather, BinnedScratch& scratch) {
    const auto [nominal, column] = setting.data.features[feature];
    const auto f = static_cast<std::int32_t>(feature);
    if (nominal && !context.node.used.empty() && context.node.used[column]) return {};
    const Slots slots = gather(feature, scratch);
    return nominal ? scan_nominal(context, f, slots, scratch.scan)
                   : scan_slots(context, f, slots, scratch.scan, scratch.rows);
}

void add_slot(const NodeContext& context, const ScanScratch& scratch, std::size_t slot, double share, GrowNode& to) {
    const std::size_t width = context.width();
    for (std::size_t c = 0; c < width; ++c) to.sums[c] += share * scratch.category_sums[slot * width + c];
    to.weight += share * scratch.category_weight[slot];
    to.count += share * slot_rows(context, scratch)[slot];
}

// Sums, weights and counts of the branches.
void measure(const NodeContext& context, const Slots& slots, const BranchOf& branch_of, const ScanScratch& scratch,
             Partition& partition) {
    const auto branches = static_cast<std::size_t>(partition.branches);
    partition.children.assign(branches, {});
    for (GrowNode& child : partition.children) child.sums.assign(context.width(), 0.0);
    for (std::size_t s = 0; s < slots.known; ++s)
        add_slot(context, scratch, s, 1.0, partition.children[static_cast<std::size_t>(branch_of(scratch.seen[s]))]);
    if (!slots.any_unknown) return;
    if (branch_of.missing >= 0)
        return add_slot(context, scratch, slots.known, 1.0,
                        partition.children[static_cast<std::size_t>(branch_of.missing)]);
    partition.spread = true;
    double known = 0;
    for (const GrowNode& child : partition.children) known += child.weight;
    for (GrowNode& child : partition.children) partition.share.push_back(child.weight / known);
    for (std::size_t b = 0; b < branches; ++b)
        add_slot(context, scratch, slots.known, partition.share[b], partition.children[b]);
}

}  // namespace

BranchOf::BranchOf(const Candidate& candidate, const NominalBranches& nominal, std::uint32_t all)
    : table(nominal.branch),
      last_left(candidate.only_missing ? all : candidate.lower),
      bins(all),
      missing(candidate.missing_branch) {}

std::optional<BinnedChoice> choose_split(const GrowSetting& setting, const GrowNode& node, const GatherSlots& gather,
                                         int threads, std::span<BinnedScratch> scratch) {
    const NodeContext context = setting.context(node);
    const std::vector<Candidate> candidates =
        scan_drawn(setting, node, [&](std::span<const std::uint32_t> features, std::span<Candidate> found) {
            parallel_for(threads, features.size(), [&](std::size_t i, int worker) {
                found[i] =
                    scan_feature(setting, context, features[i], gather, scratch[static_cast<std::size_t>(worker)]);
            });
        });
    const Candidate* best = pick(setting, candidates, node);
    if (!best || !removes_enough(setting, node, *best)) return std::nullopt;
    BinnedChoice choice{*best, {}, {}};
    const auto feature = static_cast<std::size_t>(best->feature);
    const auto [nominal, column] = setting.data.features[feature];
    const Slots slots = gather(static_cast<std::uint32_t>(feature), scratch[0]);
    choice.partition.branches = std::max(2, best->missing_branch + 1);
    std::uint32_t bins =
        static_cast<std::uint32_t>(setting.data.values.empty() ? 0 : setting.data.values[nominal ? 0 : column].size());
    if (nominal) {
        choice.nominal = nominal_branches(context, *best, slots, scratch[0].scan);
        choice.partition.branches = choice.nominal.branches;
        bins = setting.data.categories[column];
    }
    measure(context, slots, BranchOf(*best, choice.nominal, bins), scratch[0].scan, choice.partition);
    if (!significant(setting, choice.partition)) return std::nullopt;
    return choice;
}

namespace {

std::size_t table_size(const TreeConfig& config, bool whole, double weight) {
    const bool entropy = config.criterion == Criterion::gain || config.criterion == Criterion::gain_ratio;
    return entropy && whole && weight <= largest_table ? static_cast<std::size_t>(weight) : 1;
}

}  // namespace

BinnedSetting::BinnedSetting(const TreeData& layout, const TreeConfig& config, const GrowthWeights& amounts, bool drawn)
    : layout_(layout),
      config_(config),
      setting_{layout_,
               config_,
               Scorer(config.criterion, log_table(table_size(config, amounts.whole, amounts.bounds.weight))),
               amounts.bounds.weight,
               amounts.bounds.rows,
               {},
               amounts.unit,
               amounts.middle,
               {},
               0},
      amounts_(amounts.bounds),
      whole_(std::make_shared<RowStore>()),
      real_(std::make_shared<RowStore>()) {
    whole_->integral = amounts.whole;
    real_->integral = false;
    whole_->weighted = real_->weighted = amounts.weighted;
    if (drawn || amounts.weighted) whole_->weights.assign(1, 1.0);
    real_->weights.assign(1, 1.0);
}

void BinnedSetting::set_totals(double weight, double rows) {
    setting_.total_weight = weight;
    setting_.rows = rows;
    // Fractions that add up to a whole row may fall short of it by their rounding.
    const double least_weight = config_.min_weight_fraction * weight;
    setting_.minimum = weighted() ? Minimum{(1 - 1e-9) * least_weight, (1 - 1e-9) * config_.min_rows_leaf}
                                  : Minimum{(1 - 1e-9) * std::max(config_.min_rows_leaf, least_weight), 0};
}

GrowNode BinnedSetting::root(std::uint64_t key) const {
    GrowNode node;
    node.store = whole_;
    node.size = 2;  // one row alone is pure, so that nothing depends on how many rows there are
    node.key = key;
    node.sums.assign(layout_.classes > 0 ? layout_.classes : 2, 0.0);
    if (!config_.reuse_nominal) node.used.assign(layout_.categories.size(), false);
    return node;
}

void BinnedSetting::inherit(const GrowNode& parent, const BinnedChoice& choice, std::size_t branch,
                            GrowNode& child) const {
    const auto [nominal, column] = layout_.features[static_cast<std::size_t>(choice.candidate.feature)];
    child.store = choice.partition.spread ? real_ : parent.store;
    child.size = 2;
    child.depth = parent.depth + 1;
    child.key = key_of(parent.key, branch + 1);
    child.used = parent.used;
    if (nominal && !child.used.empty()) child.used[column] = true;
}

std::vector<BinnedScratch> BinnedSetting::scratch(int threads) const {
    std::vector<BinnedScratch> result;
    for (int i = 0; i < std::max(1, threads); ++i) result.emplace_back(layout_);
    return result;
}

}  // namespace vaglio::tree
