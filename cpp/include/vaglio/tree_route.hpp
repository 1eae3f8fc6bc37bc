#pragma once
// Training rows (ranks and codes) sent down a tree, as pruning needs it.
#include <cstdint>
#include <vector>

#include "vaglio/tree.hpp"
#include "vaglio/tree_data.hpp"

namespace vaglio {

struct WeightedRow {
    std::uint32_t row;
    double weight;
};

class RowRouter {
 public:
    RowRouter(const Tree& tree, const TreeData& data) : tree_(tree), data_(data) {}

    // The branch of a row at an inner node, -1 where its weight is spread.
    std::int32_t branch(std::size_t node, std::uint32_t row) const {
        if (tree_.kind[node] == static_cast<std::uint8_t>(NodeKind::linear)) return linear_branch(node, row);
        const TreeFeature feature = data_.features[static_cast<std::size_t>(tree_.feature[node])];
        if (!feature.nominal) {
            const std::uint32_t rank = data_.rank_column(feature.column)[row];
            if (rank == missing_rank) return tree_.missing_branch[node];
            const double x = data_.values[feature.column][rank];
            return tree_.strict[node] ? !(x < tree_.threshold[node]) : !(x <= tree_.threshold[node]);
        }
        const std::int32_t code = data_.code_column(feature.column)[row];
        if (code < 0) return tree_.missing_branch[node];
        const std::uint32_t* table = &tree_.tables[static_cast<std::size_t>(tree_.table_start[node])];
        if (tree_.kind[node] == static_cast<std::uint8_t>(NodeKind::multiway))
            return static_cast<std::int32_t>(table[code]);
        return static_cast<std::int32_t>(table[code / 32] >> (code % 32) & 1u);
    }

    // Calls visit(node, weight) for every node from `start` down that the row reaches, leaves included.
    template <class Visit>
    void descend(std::size_t start, WeightedRow row, Visit visit) {
        stack_.assign(1, {start, row.weight});
        while (!stack_.empty()) {
            auto [node, weight] = stack_.back();
            stack_.pop_back();
            for (;;) {
                visit(node, weight);
                if (tree_.is_leaf(node)) break;
                const auto first = static_cast<std::size_t>(tree_.first_child[node]);
                const std::int32_t b = branch(node, row.row);
                if (b >= 0) {
                    node = first + static_cast<std::size_t>(b);
                    continue;
                }
                spread(node, weight);
                break;
            }
        }
    }

 private:
    struct Pending {
        std::size_t node;
        double weight;
    };

    std::int32_t linear_branch(std::size_t node, std::uint32_t row) const {
        double sum = 0;
        const auto start = static_cast<std::size_t>(tree_.linear_start[node]);
        for (std::size_t t = start; t < start + static_cast<std::size_t>(tree_.linear_terms[node]); ++t) {
            const auto column = data_.features[static_cast<std::size_t>(tree_.linear_feature[t])].column;
            const std::uint32_t rank = data_.rank_column(column)[row];
            if (rank == missing_rank) return tree_.missing_branch[node];
            sum += tree_.linear_coef[t] * data_.values[column][rank];
        }
        return !(sum <= tree_.threshold[node]);
    }

    void spread(std::size_t node, double weight) {
        const auto first = static_cast<std::size_t>(tree_.first_child[node]);
        const auto children = static_cast<std::size_t>(tree_.n_children[node]);
        double total = 0;
        for (std::size_t c = first; c < first + children; ++c) total += tree_.weight[c];
        for (std::size_t c = first; c < first + children; ++c)
            if (tree_.weight[c] > 0) stack_.push_back({c, weight * tree_.weight[c] / total});
    }

    const Tree& tree_;
    const TreeData& data_;
    std::vector<Pending> stack_;
};

}  // namespace vaglio
