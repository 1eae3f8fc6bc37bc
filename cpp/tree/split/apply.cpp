// Carrying out a test: rows go to their branches, and the tree gets the test and the children.
#include "tree/split/apply.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/binned/edges.hpp"
#include "tree/loss/fit.hpp"
#include "tree/split/oblique.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {
namespace {

double threshold_between(const GrowSetting& setting, const Candidate& candidate) {
    if (candidate.only_missing) return candidate.drawn ? candidate.threshold : std::numeric_limits<double>::infinity();
    if (candidate.drawn && !setting.config.strict) return candidate.threshold;
    const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const auto values = setting.data.values[column];
    const auto& lowest = setting.data.lowest.empty() ? setting.data.values : setting.data.lowest;
    const double low = values[candidate.lower], high = lowest[column][candidate.upper];
    if (candidate.drawn && candidate.threshold > low) return candidate.threshold;
    return parting_number(low, high, setting.config.strict);
}

// The greatest rank of branch 0, missing values apart.
std::uint32_t last_left(const Candidate& candidate) {
    return candidate.only_missing ? missing_rank - 1 : candidate.lower;
}

// Branch of every row by a numeric test.
void assign_numeric(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate,
                    Partition& partition) {
    const std::uint32_t column = setting.data.features[static_cast<std::size_t>(candidate.feature)].column;
    const RankColumn ranks = setting.data.ranks_for(column, node.size);
    if (candidate.by_threshold) {
        const RankedValues& values = setting.data.values[column];
        for (std::uint32_t i = 0; i < node.size; ++i) {
            const std::uint32_t row = node.rows()[i];
            partition.branch[i] = values.of_row(row, [&] { return ranks[row]; }) > candidate.threshold;
        }
        partition.branches = 2;
        return;
    }
    const std::uint32_t last = last_left(candidate);
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::uint32_t rank = ranks[node.rows()[i]];
        partition.branch[i] = rank == missing_rank ? candidate.missing_branch : static_cast<std::int32_t>(rank > last);
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

void write_linear(const LinearTest& test, Tree& tree, std::size_t id) {
    tree.kind[id] = static_cast<std::uint8_t>(NodeKind::linear);
    tree.feature[id] = -1;
    tree.threshold[id] = test.threshold;
    tree.linear_start[id] = static_cast<std::int64_t>(tree.linear_feature.size());
    tree.linear_terms[id] = static_cast<std::int32_t>(test.features.size());
    tree.linear_feature.insert(tree.linear_feature.end(), test.features.begin(), test.features.end());
    tree.linear_coef.insert(tree.linear_coef.end(), test.coefficients.begin(), test.coefficients.end());
}

}  // namespace

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
    const bool medians = setting.config.criterion == Criterion::absolute_error;
    const double middle = medians ? (left.fit.value + right.fit.value) / 2
                                  : (left.sums[c] / left.weight + right.sums[c] / right.weight) / 2;
    (sign > 0 ? left.upper : left.lower) = middle;
    (sign > 0 ? right.lower : right.upper) = middle;
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

Partition divide(const GrowSetting& setting, const GrowNode& node, const Candidate& candidate, const Team& team,
                 NominalBranches& nominal) {
    Partition partition;
    const auto [is_nominal, column] = setting.data.features[static_cast<std::size_t>(candidate.feature)];
    if (is_nominal) nominal = nominal_branches(setting.context(node), candidate, team.scan[0]);
    if (node.store->packed) {
        std::vector<std::uint32_t>& buffer = team.partition[0].words;
        const bool missing_left = candidate.missing_branch == 0;
        if (is_nominal) {
            split_packed(node, setting.data.code_column(column), nominal.branch, missing_left, buffer, partition);
        } else {
            split_packed(node, setting.data.ranks_for(column, node.size), last_left(candidate), missing_left, buffer,
                         partition);
        }
        return partition;
    }
    partition.branch = std::move(team.partition[0].branch);
    partition.branch.resize(node.size);
    if (candidate.linear) {
        assign_linear(setting.data, node, candidate, partition.branch);
        partition.branches = 2;
    } else if (is_nominal) {
        assign_nominal(setting, node, candidate, nominal, partition);
    } else {
        assign_numeric(setting, node, candidate, partition);
    }
    measure_branches(node, setting.data, partition);
    if (fits_rows(setting.config.criterion))
        fit_branches(setting.config.criterion, setting.data.outputs, node, partition);
    return partition;
}

bool is_terminal(const GrowSetting& setting, const GrowNode& node) {
    const TreeConfig& config = setting.config;
    if (node.depth >= config.max_depth || node.size < 2) return true;
    if (node.count < config.min_rows_split) return true;
    if (!setting.minimum.met(node.weight / 2, node.count / 2)) return true;
    // What is lost to rounding is a share of the numbers themselves: a target in small units is not pure for that.
    if (fits_rows(config.criterion)) return node.fit.loss <= 1e-14 * node.weight * std::abs(node.fit.value);
    if (setting.data.outputs) return setting.data.outputs->pure(node.sums, node.weight);
    if (setting.data.classes == 0) {
        const double mean = node.sums[0] / node.weight;
        return node.sums[1] / node.weight - mean * mean <= 1e-14 * mean * mean;
    }
    const double largest = *std::max_element(node.sums.begin(), node.sums.end());
    return largest >= node.weight * (1 - 1e-12);
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
    tree.weight[id] = node.weight * setting.unit;
    if (fits_rows(setting.config.criterion)) {
        tree.impurity[id] = node.weight > 0 ? node.fit.loss / node.weight : 0;
        tree.value[id * tree.width] = setting.target_centre + node.fit.value;
        std::copy(node.fits.begin(), node.fits.end(), &tree.value[id * tree.width]);
        return;
    }
    integral = integral && node.weight < static_cast<double>(setting.scorer.table().size());
    tree.impurity[id] = setting.scorer.impurity({node.sums, node.weight}, integral);
    if (setting.data.outputs && !setting.data.outputs->classes()) {
        for (std::size_t k = 0; k < tree.width; ++k) tree.value[id * tree.width + k] = node.sums[k] / node.weight;
    } else if (setting.data.classes == 0 && !setting.data.outputs) {
        tree.value[id] = setting.target_centre + (node.weight > 0 ? node.sums[0] / node.weight : 0);
    } else {
        for (std::size_t c = 0; c < node.sums.size(); ++c)
            tree.value[id * tree.width + c] = node.sums[c] * setting.unit;
    }
}

}  // namespace vaglio::tree
