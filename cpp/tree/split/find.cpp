// Choosing a node's test: the best test of every feature, then the best of these.
#include "tree/split/find.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/split/apply.hpp"
#include "tree/split/chance.hpp"
#include "tree/split/nominal.hpp"
#include "tree/split/oblique.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

Candidate scan_feature(const GrowSetting& setting, const NodeContext& context, std::size_t feature,
                       ScanScratch& scratch) {
    const auto [nominal, column] = setting.data.features[feature];
    const auto f = static_cast<std::int32_t>(feature);
    const GrowNode& node = context.node;
    if (!nominal) return scan_threshold(context, f, node.store->orders ? setting.slot[column] : no_order, scratch);
    if (!node.used.empty() && node.used[column]) return {};
    return scan_nominal(context, f, scratch);
}

// What sifts the features of a node before any row is sorted.
enum class Sieve : std::uint8_t { none, counts, weights, targets };

Sieve sieve_of(const NodeContext& context) {
    if (sieve_applies(context)) return Sieve::counts;
    if (sieves_targets(context)) return Sieve::targets;
    return weighs_rows(context) ? Sieve::weights : Sieve::none;
}

// Whether the sieve can take a feature of a node that it applies to.
bool sieved(const GrowSetting& setting, const NodeContext& context, Sieve sieve, std::uint32_t feature) {
    const auto [nominal, column] = setting.data.features[feature];
    if (sieve == Sieve::none || nominal || (context.node.store->orders && setting.slot[column] != no_order))
        return false;
    if (sieve == Sieve::targets) return true;
    return sieve == Sieve::counts ? sieve_takes(context, column) : weighs_column(context, column);
}

void scan_sifted(const NodeContext& context, Sieve sieve, std::span<const std::uint32_t> features, ScanScratch& scratch,
                 std::span<Candidate> candidates) {
    const auto scan = sieve == Sieve::counts ? scan_sieve : sieve == Sieve::targets ? scan_targets : scan_weighed;
    scan(context, features, scratch, candidates);
}

// The best test of each of these features. Of those that the sieve takes, only what may win is sure to be found.
void scan_part(const GrowSetting& setting, const NodeContext& context, Sieve sieve,
               std::span<const std::uint32_t> features, ScanScratch& scratch, std::span<Candidate> candidates) {
    std::vector<std::uint32_t>& taken = scratch.sieve.features;
    taken.clear();
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (sieved(setting, context, sieve, features[i])) {
            taken.push_back(features[i]);
        } else {
            candidates[i] = scan_feature(setting, context, features[i], scratch);
        }
    }
    if (taken.size() == features.size()) return scan_sifted(context, sieve, taken, scratch, candidates);
    if (taken.empty()) return;
    std::vector<Candidate>& found = scratch.found;
    found.resize(taken.size());
    scan_sifted(context, sieve, taken, scratch, found);
    for (std::size_t i = 0, next = 0; i < features.size() && next < taken.size(); ++i)
        if (features[i] == taken[next]) candidates[i] = std::move(found[next++]);
}

void scan_features(const GrowSetting& setting, const NodeContext& context, std::span<const std::uint32_t> features,
                   const Team& team, std::span<Candidate> candidates) {
    const int threads = helpers(team, context.node, features.size());
    Sieve sieve = sieve_of(context);
    if (std::none_of(features.begin(), features.end(),
                     [&](std::uint32_t feature) { return sieved(setting, context, sieve, feature); }))
        sieve = Sieve::none;
    if (threads == 1) return scan_part(setting, context, sieve, features, team.scan[0], candidates);
    // The sieve compares features: it gets them in as few parts as there are threads.
    const std::size_t parts = sieve != Sieve::none ? static_cast<std::size_t>(threads) : features.size();
    parallel_for(threads, parts, [&](std::size_t part, int worker) {
        const std::size_t first = part * features.size() / parts, end = (part + 1) * features.size() / parts;
        scan_part(setting, context, sieve, features.subspan(first, end - first),
                  team.scan[static_cast<std::size_t>(worker)], candidates.subspan(first, end - first));
    });
}

// A nominal feature of so many values that its gain says little: in C4.5, from 0.3 of the training rows on.
bool many_valued(const GrowSetting& setting, std::size_t feature) {
    const auto [nominal, column] = setting.data.features[feature];
    return nominal && setting.data.categories[column] >= 0.3 * setting.rows;
}

// Gain ratio favours tests that cut off very little; among tests of at least average gain it does not. As in C4.5,
// features of very many values, whose gain is high whatever they tell, have no part in the average unless all features
// are such; and where no other feature can be tested, there is no average and so no split.
double required_gain(const GrowSetting& setting, const std::vector<Candidate>& candidates) {
    constexpr double none = std::numeric_limits<double>::infinity();
    if (setting.config.criterion != Criterion::gain_ratio || !setting.config.average_gain_condition) return -none;
    bool all = true;
    for (std::size_t f = 0; all && f < setting.data.features.size(); ++f) all = many_valued(setting, f);
    double sum = 0;
    std::size_t count = 0;
    for (const Candidate& c : candidates)
        if (c.valid && (all || !many_valued(setting, static_cast<std::size_t>(c.feature)))) {
            sum += c.gain;
            ++count;
        }
    // C4.5's own tolerance: on small nodes many gains are equal but for rounding.
    return count > 0 ? sum / static_cast<double>(count) - 1e-3 : none;
}

// Beside the purposes of other random numbers of a node (0, the numbers of its branches, oblique tests).
constexpr std::uint64_t tie_purpose = 0x71e5;

bool significant(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team) {
    if (setting.config.chi2_alpha >= 1 || setting.data.classes == 0) return true;
    NominalBranches nominal;
    return significant(setting, divide(setting, node, candidate, team, nominal));
}

}  // namespace

// Features in the order in which they are tried: all of them, or a random order of which the first few count.
std::vector<std::uint32_t> draw_features(const GrowSetting& setting, const GrowNode& node) {
    std::vector<std::uint32_t> features(setting.data.features.size());
    std::iota(features.begin(), features.end(), 0u);
    const std::uint32_t wanted = setting.config.max_features;
    if (wanted == 0 || wanted >= features.size()) return features;
    Random random(key_of(node.key, 0));
    for (std::size_t i = 0; i + 1 < features.size(); ++i)
        std::swap(features[i], features[i + random.below(features.size() - i)]);
    return features;
}

const Candidate* pick(const GrowSetting& setting, const std::vector<Candidate>& candidates, const GrowNode& node) {
    const double required = required_gain(setting, candidates);
    const auto allowed = [&](const Candidate& c) { return c.valid && c.gain >= required; };
    double most = -std::numeric_limits<double>::infinity();
    for (const Candidate& c : candidates)
        if (allowed(c)) most = std::max(most, c.worth);
    if (setting.config.criterion == Criterion::gain_ratio && most <= 0) return nullptr;
    // Entropies of whole counts are rounded to the table's fixed point: equal gains may differ by a few units of it.
    const double units = setting.scorer.entropy() ? 32.0 / LogTable::scale / node.weight : 0.0;
    const double slack = std::max(1e-12 * std::abs(most), units);
    // A feature's place among its equals: by its number, or by numbers drawn for the node, so that it depends neither
    // on the order of the scans nor on which other features were scanned.
    const std::uint64_t key = key_of(node.key, tie_purpose);
    const auto place = [&](const Candidate& c) {
        const auto feature = static_cast<std::uint64_t>(c.feature);
        return setting.config.draw_ties ? key_of(key, feature) : feature;
    };
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates)
        if (allowed(c) && c.worth >= most - slack && (!best || place(c) < place(*best))) best = &c;
    return best;
}

bool significant(const GrowSetting& setting, const Partition& partition) {
    if (setting.config.chi2_alpha >= 1 || setting.data.classes == 0) return true;
    std::vector<double> table;
    for (const GrowNode& child : partition.children) table.insert(table.end(), child.sums.begin(), child.sums.end());
    for (double& count : table) count *= setting.unit;
    return chi_square_test(table, setting.data.classes) < setting.config.chi2_alpha;
}

bool payload_suffices(const GrowSetting& setting, const GrowNode& node) {
    const NodeContext context = setting.context(node);
    if (!sieve_applies(context)) return false;
    const TreeConfig& config = setting.config;
    const bool two_branches = config.nominal_split == NominalSplit::subset && config.missing == MissingPolicy::learned;
    const bool counted = two_branches && counts_rows(context);
    for (std::uint32_t f = 0; f < setting.data.features.size(); ++f)
        if (setting.data.features[f].nominal ? !counted : !sieved(setting, context, Sieve::counts, f)) return false;
    return true;
}

std::vector<Candidate> scan_drawn(const GrowSetting& setting, const GrowNode& node, const ScanFeatures& scan) {
    const std::vector<std::uint32_t> features = draw_features(setting, node);
    const bool all = setting.config.max_features == 0 || setting.config.max_features >= features.size();
    const std::size_t first = all ? features.size() : setting.config.max_features;
    std::vector<Candidate> candidates(first);
    scan(std::span(features).first(first), candidates);
    // A random choice that holds no usable feature is widened until one is found.
    const auto usable = [](const Candidate& c) { return c.valid; };
    for (std::size_t i = first; i < features.size() && std::none_of(candidates.begin(), candidates.end(), usable);
         ++i) {
        candidates.emplace_back();
        scan(std::span(features).subspan(i, 1), std::span(candidates).last(1));
    }
    return candidates;
}

bool removes_enough(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate) {
    if (candidate.gain < setting.config.min_gain) return false;
    const double decrease = candidate.gain * node.weight / setting.total_weight;
    return decrease + 1e-15 >= setting.config.min_impurity_decrease;
}

std::optional<Candidate> find_split(const GrowSetting& setting, const GrowNode& node, const Team& team) {
    const NodeContext context = setting.context(node);
    const std::vector<Candidate> candidates =
        scan_drawn(setting, node, [&](std::span<const std::uint32_t> features, std::span<Candidate> found) {
            scan_features(setting, context, features, team, found);
        });
    const Candidate* best = pick(setting, candidates, node);
    std::optional<Candidate> linear;
    if (setting.config.oblique) linear = search_linear(context, candidates, best, team.scan[0]);
    if (linear) best = &*linear;
    if (!best || !removes_enough(setting, node, *best)) return std::nullopt;
    Candidate chosen = *best;
    read_ranks(context, chosen);
    if (!significant(setting, node, chosen, team)) return std::nullopt;
    return chosen;
}

}  // namespace vaglio::tree
