#include "tree/loss/fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/logarithm.hpp"

namespace vaglio::tree {
namespace {

double total_weight(const std::vector<WeightedTarget>& rows) {
    double total = 0;
    for (const WeightedTarget& row : rows) total += row.weight;
    return total;
}

Fit fit_median(std::vector<WeightedTarget>& rows) {
    std::sort(rows.begin(), rows.end(),
              [](const WeightedTarget& a, const WeightedTarget& b) { return a.target < b.target; });
    const double half = total_weight(rows) / 2, slack = half_slack * half;
    std::size_t i = 0;
    double below = rows[0].weight;
    while (below < half - slack && i + 1 < rows.size()) below += rows[++i].weight;
    const bool between = below <= half + slack && i + 1 < rows.size();
    const double median = between ? (rows[i].target + rows[i + 1].target) / 2 : rows[i].target;
    double loss = 0;
    for (const WeightedTarget& row : rows) loss += row.weight * std::abs(row.target - median);
    return {median, loss};
}

Fit fit_counts(const std::vector<WeightedTarget>& rows) {
    double sum = 0;
    for (const WeightedTarget& row : rows) sum += row.weight * row.target;
    const double mean = sum / total_weight(rows);
    double loss = 0;
    for (const WeightedTarget& row : rows)
        if (row.target > 0) loss += row.weight * row.target * portable_log(row.target / mean);
    return {mean, std::max(0.0, loss)};
}

double weight_of(const GrowNode& node, std::uint32_t i) { return node.weights() ? node.weights()[i] : 1.0; }

// A row of a node by its position, with what it weighs in a set of rows.
struct Part {
    std::uint32_t position;
    double weight;
};

// Writes the fit of some rows of a node, for each output where there are several.
void fit_parts(Criterion criterion, const Outputs* outputs, const GrowNode& node, const std::vector<Part>& parts,
               GrowNode& to) {
    std::vector<WeightedTarget> rows(parts.size());
    const auto fit_target = [&](auto target) {
        for (std::size_t i = 0; i < parts.size(); ++i) rows[i] = {target(parts[i].position), parts[i].weight};
        return fit_rows(criterion, rows);
    };
    if (!outputs) {
        to.fit = fit_target([&](std::uint32_t i) { return node.targets()[i]; });
        return;
    }
    to.fits.clear();
    to.fit = {};
    for (std::size_t k = 0; k < outputs->count; ++k) {
        const Fit found = fit_target([&](std::uint32_t i) { return outputs->targets_of(node.rows()[i])[k]; });
        to.fits.push_back(found.value);
        to.fit.loss += found.loss / static_cast<double>(outputs->count);
    }
}

}  // namespace

Fit fit_rows(Criterion criterion, std::vector<WeightedTarget>& rows) {
    if (rows.empty()) return {};
    return criterion == Criterion::absolute_error ? fit_median(rows) : fit_counts(rows);
}

void fit_node(Criterion criterion, const Outputs* outputs, GrowNode& node) {
    std::vector<Part> parts(node.size);
    for (std::uint32_t i = 0; i < node.size; ++i) parts[i] = {i, weight_of(node, i)};
    fit_parts(criterion, outputs, node, parts, node);
}

void fit_branches(Criterion criterion, const Outputs* outputs, const GrowNode& node, Partition& partition) {
    std::vector<Part> parts;
    for (std::size_t b = 0; b < partition.children.size(); ++b) {
        parts.clear();
        for (std::uint32_t i = 0; i < node.size; ++i) {
            const bool shared = partition.branch[i] == every_branch;
            if (!shared && partition.branch[i] != static_cast<std::int32_t>(b)) continue;
            parts.push_back({i, weight_of(node, i) * (shared ? partition.share[b] : 1.0)});
        }
        fit_parts(criterion, outputs, node, parts, partition.children[b]);
    }
}

}  // namespace vaglio::tree
