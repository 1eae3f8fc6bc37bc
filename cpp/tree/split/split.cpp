#include "tree/split/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "tree/partition/order.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/split/chi_square.hpp"
#include "tree/split/oblique.hpp"

namespace vaglio {
namespace {

// Below this many cells a node is not worth waking other threads for.
constexpr std::size_t shared_cells = 1u << 16;

int helpers(const Team& team, const GrowNode& node, std::size_t columns) {
    return static_cast<std::size_t>(node.size) * columns >= shared_cells ? team.threads : 1;
}

Candidate scan_feature(const GrowSetting& setting, const NodeContext& context, std::size_t feature,
                       ScanScratch& scratch) {
    const auto [nominal, column] = setting.data.features[feature];
    const auto f = static_cast<std::int32_t>(feature);
    const GrowNode& node = context.node;
    if (nominal) {
        if (!node.used.empty() && node.used[column]) return {};
        return scan_nominal(context, f, scratch);
    }
    const bool whole = counts_whole(context);
    const std::uint32_t slot = node.store->orders ? setting.slot[column] : no_order;
    if (slot == no_order) {
        if (const auto candidate = whole ? scan_counts(context, f, scratch) : scan_values(context, f, scratch))
            return *candidate;
        return scan_numeric(context, f, sort_column(context, column, scratch), scratch);
    }
    if (node.known[slot] == 0) return {};
    const std::span<const std::uint32_t> order(node.order(slot), node.known[slot]);
    if (whole && order.size() == node.size) return scan_counts(context, f, order, scratch);
    if (!node.store->labelled) return scan_numeric(context, f, order, scratch);
    scratch.entries.assign(order.begin(), order.end());
    for (std::uint32_t& entry : scratch.entries) entry &= ~entry_labels;
    return scan_numeric(context, f, scratch.entries, scratch);
}

// Whether the sieve can take a feature of a node that it applies to.
bool sieved(const GrowSetting& setting, const NodeContext& context, std::uint32_t feature) {
    const auto [nominal, column] = setting.data.features[feature];
    const bool ordered = context.node.store->orders && setting.slot[column] != no_order;
    return !nominal && !ordered && sieve_takes(context, column);
}

// The best test of each of these features. Of those that the sieve takes, only what may win is sure to be found.
void scan_part(const GrowSetting& setting, const NodeContext& context, bool sieve,
               std::span<const std::uint32_t> features, ScanScratch& scratch, std::span<Candidate> candidates) {
    std::vector<std::uint32_t>& taken = scratch.sieve.features;
    taken.clear();
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (sieve && sieved(setting, context, features[i])) {
            taken.push_back(features[i]);
        } else {
            candidates[i] = scan_feature(setting, context, features[i], scratch);
        }
    }
    if (taken.size() == features.size()) return scan_sieve(context, taken, scratch, candidates);
    if (taken.empty()) return;
    std::vector<Candidate> found(taken.size());
    scan_sieve(context, taken, scratch, found);
    for (std::size_t i = 0, next = 0; i < features.size() && next < taken.size(); ++i)
        if (features[i] == taken[next]) candidates[i] = std::move(found[next++]);
}

void scan_features(const GrowSetting& setting, const NodeContext& context, std::span<const std::uint32_t> features,
                   const Team& team, std::span<Candidate> candidates) {
    const int threads = helpers(team, context.node, features.size());
    const bool sieve = sieve_applies(context);
    if (threads == 1) return scan_part(setting, context, sieve, features, team.scan[0], candidates);
    // The sieve compares features: it gets them in as few parts as there are threads.
    const std::size_t parts = sieve ? static_cast<std::size_t>(threads) : features.size();
    parallel_for(threads, parts, [&](std::size_t part, int worker) {
        const std::size_t first = part * features.size() / parts, end = (part + 1) * features.size() / parts;
        scan_part(setting, context, sieve, features.subspan(first, end - first),
                  team.scan[static_cast<std::size_t>(worker)], candidates.subspan(first, end - first));
    });
}

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

// Gain ratio favours tests that cut off very little; among tests of at least average gain it does not.
double required_gain(const GrowSetting& setting, const std::vector<Candidate>& candidates) {
    double sum = 0;
    std::size_t count = 0;
    for (const Candidate& c : candidates)
        if (c.valid) {
            sum += c.gain;
            ++count;
        }
    const bool applies = setting.config.criterion == Criterion::gain_ratio && setting.config.average_gain_condition;
    // C4.5's own tolerance: on small nodes many gains are equal but for rounding.
    return applies && count > 0 ? sum / static_cast<double>(count) - 1e-3 : -std::numeric_limits<double>::infinity();
}

// The best candidate; of those equal but for rounding, the first feature's.
const Candidate* pick(const GrowSetting& setting, const std::vector<Candidate>& candidates, double weight) {
    const double required = required_gain(setting, candidates);
    const auto allowed = [&](const Candidate& c) { return c.valid && c.gain >= required; };
    double most = -std::numeric_limits<double>::infinity();
    for (const Candidate& c : candidates)
        if (allowed(c)) most = std::max(most, c.worth);
    if (setting.config.criterion == Criterion::gain_ratio && most <= 0) return nullptr;
    // Entropies of whole counts are rounded to the table's fixed point: equal gains may differ by a few units of it.
    const double units = setting.scorer.entropy() ? 32.0 / LogTable::scale / weight : 0.0;
    const double slack = std::max(1e-12 * std::abs(most), units);
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates)
        if (allowed(c) && c.worth >= most - slack && (!best || c.feature < best->feature)) best = &c;
    return best;
}

double threshold_between(const GrowSetting& setting, const Candidate& candidate) {
    if (candidate.only_missing) return std::numeric_limits<double>::infinity();
    const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const auto values = setting.data.values[column];
    const auto& lowest = setting.data.lowest.empty() ? setting.data.values : setting.data.lowest;
    const double low = values[candidate.lower], high = lowest[column][candidate.upper];
    if (candidate.drawn && !setting.config.strict) return candidate.threshold;
    if (candidate.drawn && candidate.threshold > low) return candidate.threshold;
    const double middle = low / 2 + high / 2;
    // Between neighbouring doubles the midpoint is one of them, and between infinities it is none.
    if (setting.config.strict) return middle > low && middle <= high ? middle : high;
    return middle >= low && middle < high ? middle : low;
}

// Branch of every row by a numeric test.
void assign_numeric(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                    Partition& partition) {
    const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const std::uint32_t* ranks = setting.data.rank_column(column);
    const std::uint32_t last_left = candidate.only_missing ? missing_rank - 1 : candidate.lower;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[node.rows()[i]];
        partition.branch[i] =
            rank == missing_rank ? candidate.missing_branch : static_cast<std::int32_t>(rank > last_left);
    }
    partition.branches = std::max(2, candidate.missing_branch + 1);
}

void assign_nominal(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                    const NominalBranches& branches, Partition& partition) {
    const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const std::int32_t* codes = setting.data.code_column(column);
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::int32_t code = codes[node.rows()[i]];
        partition.branch[i] = code < 0 ? candidate.missing_branch : branches.branch[static_cast<std::size_t>(code)];
    }
    partition.branches = branches.branches;
}

Partition divide(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team,
                 NominalBranches& nominal) {
    Partition partition;
    if (node.store->packed) {
        const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
        split_packed(node, setting.data.ranks_for(column, node.size), candidate.lower, team.partition[0].words,
                     partition);
        return partition;
    }
    partition.branch = std::move(team.partition[0].branch);
    partition.branch.resize(node.size);
    if (candidate.linear) {
        assign_linear(setting.data, node, candidate, partition.branch);
        partition.branches = 2;
    } else if (setting.data.features[static_cast<std::size_t>(candidate.feature)].nominal) {
        nominal = nominal_branches(setting.context(node), candidate, team.scan[0]);
        assign_nominal(setting, node, candidate, nominal, partition);
    } else {
        assign_numeric(setting, node, candidate, partition);
    }
    measure_branches(node, setting.data.classes == 0, partition);
    return partition;
}

bool significant(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team) {
    if (setting.config.chi2_alpha >= 1 || setting.data.classes == 0) return true;
    NominalBranches nominal;
    const Partition partition = divide(setting, node, candidate, team, nominal);
    std::vector<double> table;
    for (const GrowNode& child : partition.children) table.insert(table.end(), child.sums.begin(), child.sums.end());
    return chi_square_test(table, node.sums.size()) < setting.config.chi2_alpha;
}

std::int32_t heaviest_branch(const Partition& partition) {
    const auto& children = partition.children;
    const auto heaviest = std::max_element(children.begin(), children.end(),
                                           [](const GrowNode& a, const GrowNode& b) { return a.weight < b.weight; });
    return static_cast<std::int32_t>(heaviest - children.begin());
}

// The table of a nominal test. Categories without a row here go, under a multiway test, to a branch of their own
// that is an empty leaf, so that the rules of the tree cover them; under a subset test, the heavier way.
bool write_nominal_table(const NominalBranches& nominal, bool multiway, std::int32_t absent_branch, Tree& tree,
                         std::size_t id) {
    tree.table_start[id] = static_cast<std::int64_t>(tree.tables.size());
    bool absent = false;
    const std::size_t first = tree.tables.size();
    tree.tables.resize(first + (multiway ? nominal.branch.size() : (nominal.branch.size() + 31) / 32), 0u);
    for (std::size_t category = 0; category < nominal.branch.size(); ++category) {
        std::int32_t b = nominal.branch[category];
        if (b < 0) {
            absent = true;
            b = absent_branch;
        }
        if (multiway) {
            tree.tables[first + category] = static_cast<std::uint32_t>(b);
        } else {
            tree.tables[first + category / 32] |= static_cast<std::uint32_t>(b) << (category % 32);
        }
    }
    return absent;
}

// Below a monotonic test no branch may cross the middle of the two.
void tighten_bounds(const GrowSetting& setting, const GrowNode& node, std::int32_t feature, Partition& partition) {
    for (GrowNode& child : partition.children) {
        child.lower = node.lower;
        child.upper = node.upper;
    }
    const int sign = setting.config.monotonic[static_cast<std::size_t>(feature)];
    if (sign == 0 || partition.children.size() != 2) return;
    const std::size_t c = setting.data.classes == 0 ? 0 : 1;
    GrowNode& left = partition.children[0];
    GrowNode& right = partition.children[1];
    const double middle = (left.sums[c] / left.weight + right.sums[c] / right.weight) / 2;
    (sign > 0 ? left.upper : left.lower) = middle;
    (sign > 0 ? right.lower : right.upper) = middle;
}

void write_linear(const LinearTest& test, Tree& tree, std::size_t id) {
    tree.kind[id] = static_cast<std::uint8_t>(NodeKind::linear);
    tree.feature[id] = -1;
    tree.threshold[id] = test.threshold;
    tree.linear_start[id] = static_cast<std::int64_t>(tree.linear_feature.size());
    tree.linear_terms[id] = static_cast<std::int32_t>(test.features.size());
    tree.linear_feature.insert(tree.linear_feature.end(), test.features.begin(), test.features.end());
    tree.linear_coef.insert(tree.linear_coef.end(), test.coefficients.begin(), test.coefficients.end());
}

void write_test(const GrowSetting& setting, const Candidate& candidate, const Partition& partition,
                const NominalBranches& nominal, Tree& tree, std::size_t id) {
    const bool is_nominal = setting.data.features[static_cast<std::size_t>(candidate.feature)].nominal;
    const bool multiway = setting.config.nominal_split == NominalSplit::multiway;
    std::int32_t children = partition.branches;
    tree.feature[id] = candidate.feature;
    tree.gain[id] = candidate.gain;
    tree.missing_branch[id] = candidate.missing_branch;
    if (candidate.missing_branch < 0 && setting.config.missing != MissingPolicy::fractional)
        tree.missing_branch[id] = heaviest_branch(partition);
    if (candidate.linear) {
        write_linear(*candidate.linear, tree, id);
    } else if (!is_nominal) {
        tree.kind[id] = static_cast<std::uint8_t>(NodeKind::threshold);
        tree.threshold[id] = threshold_between(setting, candidate);
        tree.strict[id] = setting.config.strict && !candidate.only_missing;
    } else {
        tree.kind[id] = static_cast<std::uint8_t>(multiway ? NodeKind::multiway : NodeKind::subset);
        const std::int32_t absent_branch = multiway ? partition.branches : std::min(heaviest_branch(partition), 1);
        if (write_nominal_table(nominal, multiway, absent_branch, tree, id) && multiway) ++children;
    }
    const std::int32_t first = tree.append(static_cast<std::size_t>(children));
    tree.first_child[id] = first;
    tree.n_children[id] = children;
    if (children > partition.branches) {
        const auto empty = static_cast<std::size_t>(first + partition.branches);
        std::copy_n(&tree.value[id * tree.width], tree.width, &tree.value[empty * tree.width]);
        tree.impurity[empty] = tree.impurity[id];
    }
}

}  // namespace

bool all_sieved(const GrowSetting& setting, const GrowNode& node) {
    const NodeContext context = setting.context(node);
    if (!sieve_applies(context)) return false;
    for (std::uint32_t f = 0; f < setting.data.features.size(); ++f)
        if (!sieved(setting, context, f)) return false;
    return true;
}

bool is_terminal(const GrowSetting& setting, const GrowNode& node) {
    const TreeConfig& config = setting.config;
    if (node.depth >= config.max_depth || node.size < 2) return true;
    if (node.weight < config.min_rows_split || node.weight < 2 * setting.min_leaf) return true;
    if (setting.data.classes == 0) {
        const double mean = node.sums[0] / node.weight;
        return node.sums[1] / node.weight - mean * mean <= 1e-14 * (1 + mean * mean);
    }
    const double largest = *std::max_element(node.sums.begin(), node.sums.end());
    return largest >= node.weight * (1 - 1e-12);
}

std::optional<Candidate> find_split(const GrowSetting& setting, const GrowNode& node, const Team& team) {
    const NodeContext context = setting.context(node);
    const std::vector<std::uint32_t> features = draw_features(setting, node);
    const bool all = setting.config.max_features == 0 || setting.config.max_features >= features.size();
    const std::size_t first = all ? features.size() : setting.config.max_features;
    std::vector<Candidate> candidates(first);
    scan_features(setting, context, std::span(features).first(first), team, candidates);
    // A random choice that holds no usable feature is widened until one is found.
    const auto usable = [](const Candidate& c) { return c.valid; };
    for (std::size_t i = first; i < features.size() && std::none_of(candidates.begin(), candidates.end(), usable);
         ++i) {
        candidates.emplace_back();
        scan_features(setting, context, std::span(features).subspan(i, 1), team, std::span(candidates).last(1));
    }
    const Candidate* best = pick(setting, candidates, node.weight);
    std::optional<Candidate> linear;
    if (setting.config.oblique) linear = search_linear(context, candidates, best);
    if (linear) best = &*linear;
    if (!best || best->gain < setting.config.min_gain) return std::nullopt;
    const double decrease = best->gain * node.weight / setting.total_weight;
    if (decrease + 1e-15 < setting.config.min_impurity_decrease) return std::nullopt;
    if (!significant(setting, node, *best, team)) return std::nullopt;
    return *best;
}

std::vector<GrowNode> apply_split(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                                  const Team& team, Tree& tree) {
    NominalBranches nominal;
    Partition partition = divide(setting, node, candidate, team, nominal);
    const auto id = static_cast<std::size_t>(node.id);
    write_test(setting, candidate, partition, nominal, tree, id);
    const auto [is_nominal, column] = setting.data.features[static_cast<std::size_t>(candidate.feature)];
    std::vector<bool> wanted;
    for (std::size_t b = 0; b < partition.children.size(); ++b) {
        GrowNode& child = partition.children[b];
        child.id = tree.first_child[id] + static_cast<std::int32_t>(b);
        child.depth = node.depth + 1;
        child.key = key_of(node.key, b + 1);
        child.used = node.used;
        if (is_nominal && !child.used.empty()) child.used[column] = true;
        describe_node(setting, child, node.store->integral && !partition.spread, tree);
        wanted.push_back(!is_terminal(setting, child));
    }
    if (!setting.config.monotonic.empty()) tighten_bounds(setting, node, candidate.feature, partition);
    if (!node.store->packed) {
        const bool keep_constant = setting.config.missing != MissingPolicy::fractional;
        move_rows(node, wanted, setting.slots, keep_constant, helpers(team, node, setting.slots), team.partition,
                  partition);
        team.partition[0].branch = std::move(partition.branch);
    }
    std::vector<GrowNode> open;
    for (std::size_t b = 0; b < wanted.size(); ++b)
        if (wanted[b]) open.push_back(std::move(partition.children[b]));
    return open;
}

void describe_node(const GrowSetting& setting, const GrowNode& node, bool integral, Tree& tree) {
    const auto id = static_cast<std::size_t>(node.id);
    tree.weight[id] = node.weight;
    integral = integral && node.weight < static_cast<double>(setting.scorer.table().size());
    tree.impurity[id] = setting.scorer.impurity({node.sums, node.weight}, integral);
    if (setting.data.classes == 0) {
        tree.value[id] = setting.target_mean + (node.weight > 0 ? node.sums[0] / node.weight : 0);
    } else {
        std::copy(node.sums.begin(), node.sums.end(), &tree.value[id * tree.width]);
    }
}

}  // namespace vaglio
