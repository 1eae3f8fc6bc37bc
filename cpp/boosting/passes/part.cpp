#include "boosting/passes/part.hpp"

#include <span>

#include "boosting/histogram.hpp"

namespace vaglio::boosting {
namespace {

std::vector<std::uint32_t> drawn_rows(const PartOfRows& part, const RoundDraw& draw) {
    std::vector<std::uint32_t> rows;
    rows.reserve(part.target.rows);
    for (std::size_t i = 0; i < part.target.rows; ++i) {
        if (part.learns(i) && draw.takes(part.start + i)) rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
}

// The rows of each slot of a tree, side by side: those of slot s end at ends[s].
struct BySlot {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> ends;

    BySlot(const FlatTrees& trees, std::size_t tree, const PartOfRows& part, const std::vector<std::uint32_t>& drawn)
        : ends(trees.slots() + 1, 0) {
        const TreeWalk walk(trees, tree, part.table);
        std::vector<std::int32_t> slots(drawn.size());
        const std::int32_t* own = trees.slot.data() + trees.start[tree];
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            slots[i] = own[walk.leaf(drawn[i])];
            ++ends[static_cast<std::size_t>(slots[i] + 1)];
        }
        // Rows of no slot come first, and are left out.
        std::size_t total = 0;
        for (std::size_t& end : ends) end = total += end;
        std::vector<std::size_t> at{0};
        at.insert(at.end(), ends.begin(), ends.end() - 1);
        rows.resize(drawn.size());
        for (std::size_t i = 0; i < drawn.size(); ++i) rows[at[static_cast<std::size_t>(slots[i] + 1)]++] = drawn[i];
    }
    std::span<const std::uint32_t> of(std::size_t slot) const {
        return {rows.data() + ends[slot], ends[slot + 1] - ends[slot]};
    }
};

}  // namespace

NodeSums sum_nodes(const FlatTrees& trees, const PartOfRows& part, const RoundDraw& draw, const FixedPoint& unit) {
    const std::size_t slots = trees.slots(), bins = part.table.slots(), n = part.target.rows;
    NodeSums found{std::vector<GradientSums>(slots * trees.outputs * bins), std::vector<SquareSum>(trees.trees())};
    Gradients gradients;
    gradients.compute(part.target, unit, 1);
    const std::vector<std::uint32_t> drawn = drawn_rows(part, draw);
    const HistogramBuilder builder(part.table, 1);
    for (std::size_t t = 0; t < trees.trees(); ++t) {
        const BySlot by_slot(trees, t, part, drawn);
        for (std::size_t k = 0; k < trees.outputs; ++k) {
            const RowGradient* own = gradients.rows.data() + (static_cast<std::size_t>(trees.output[t]) + k) * n;
            for (const std::uint32_t row : drawn) found.squares[t].add(own[row].gradient);
            for (std::size_t s = 0; s < slots; ++s) {
                GradientSums* to = found.sums.data() + (s * trees.outputs + k) * bins;
                if (!by_slot.of(s).empty())
                    builder.add_rows(own, unit, by_slot.of(s), 0, part.table.groups().size(), to);
            }
        }
    }
    return found;
}

LeafSums sum_leaves(const FlatTrees& trees, const PartOfRows& part, const RoundDraw& draw, const FixedPoint& unit) {
    const std::size_t nodes = trees.feature.size(), n = part.target.rows;
    LeafSums found{std::vector<GradientSums>(nodes * trees.outputs), std::vector<double>(nodes, 0.0)};
    Gradients gradients;
    gradients.compute(part.target, unit, 1);
    const std::vector<std::uint32_t> drawn = drawn_rows(part, draw);
    for (std::size_t t = 0; t < trees.trees(); ++t) {
        const TreeWalk walk(trees, t, part.table);
        const auto output = static_cast<std::size_t>(trees.output[t]);
        for (const std::uint32_t row : drawn) {
            const std::size_t leaf = static_cast<std::size_t>(trees.start[t]) + walk.leaf(row);
            found.weights[leaf] += part.target.weight ? part.target.weight[row] : 1.0;
            for (std::size_t k = 0; k < trees.outputs; ++k) {
                const RowGradient& own = gradients.rows[(output + k) * n + row];
                found.sums[leaf * trees.outputs + k] += {own.gradient, own.hessian + unit.one_row()};
            }
        }
    }
    return found;
}

std::vector<double> add_trees(const FlatTrees& trees, const PartOfRows& part) {
    const std::size_t n = part.target.rows;
    std::vector<double> raw(part.target.raw, part.target.raw + part.target.outputs * n);
    for (std::size_t t = 0; t < trees.trees(); ++t) {
        const TreeWalk walk(trees, t, part.table);
        const double* values = trees.values.data() + static_cast<std::size_t>(trees.start[t]) * trees.outputs;
        double* to = raw.data() + static_cast<std::size_t>(trees.output[t]) * n;
        for (std::size_t i = 0; i < n; ++i) {
            const double* own = values + walk.leaf(i) * trees.outputs;
            for (std::size_t k = 0; k < trees.outputs; ++k) to[k * n + i] += own[k];
        }
    }
    return raw;
}

PartLosses sum_losses(const PartOfRows& part) {
    PartLosses found;
    for (std::size_t i = 0; i < part.target.rows; ++i) {
        LossSum& to = part.learns(i) ? found.training : found.watched;
        to.add(row_loss(part.target, i), part.target.weight ? part.target.weight[i] : 1.0);
    }
    return found;
}

BaselineSums sum_baseline(const PartOfRows& part, double least) {
    BaselineSums found(part.target);
    for (std::size_t i = 0; i < part.target.rows; ++i) {
        if (part.learns(i)) found.add(part.target.y[i], least, part.target.weight ? part.target.weight[i] : 1.0);
    }
    return found;
}

}  // namespace vaglio::boosting
