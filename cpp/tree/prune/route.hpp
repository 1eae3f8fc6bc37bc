#pragma once
// Training rows (ranks and codes) sent down a tree, as pruning needs it.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio::tree {

struct WeightedRow {
    std::uint32_t row;
    double weight;
};

// What a branch gets of a row of unknown value: the share of its training weight, or that of the rows of known value
// among those that are routed, which is the same once all training rows are.
enum class Shares : std::uint8_t { trained, known };

// Rows go down together: at each node one loop over those that reached it, with one test.
class RowRouter {
 public:
    // Memory that a caller reuses; each thread has its own, so that several may share a router.
    struct Scratch {
        struct Range {
            std::size_t node, begin;
        };
        std::vector<Range> open;
        std::vector<WeightedRow> rows, moved;
        std::vector<std::int32_t> branch;
        std::vector<std::size_t> next;
        std::vector<double> share;
    };

    RowRouter(const Tree& tree, const TreeData& data, Shares shares = Shares::trained)
        : tree_(tree), data_(data), shares_(shares), tests_(tree.size()) {
        for (std::size_t node = 0; node < tree.size(); ++node) update(node);
    }

    // To be called when a node of the tree has got another test or become a leaf.
    void update(std::size_t node) {
        Test& test = tests_[node];
        test = {};
        test.first_child = tree_.first_child[node];
        test.missing_branch = tree_.missing_branch[node];
        test.kind = static_cast<NodeKind>(tree_.kind[node]);
        if (tree_.is_leaf(node) || test.kind == NodeKind::linear) return;
        const Feature feature = data_.features[static_cast<std::size_t>(tree_.feature[node])];
        if (feature.nominal) {
            test.codes = data_.code_column(feature.column);
            test.table = &tree_.tables[static_cast<std::size_t>(tree_.table_start[node])];
        } else {
            test.ranks = data_.rank_column(feature.column);
            test.first_right = values_on_left(node, feature.column);
        }
    }

    // Calls visit(node, rows) for every node from `start` down that some row reaches, leaves included, with the rows in
    // the order given.
    template <class Visit>
    void route(std::size_t start, std::span<const WeightedRow> rows, Scratch& scratch, Visit visit) const {
        scratch.rows.assign(rows.begin(), rows.end());
        scratch.open.assign(1, {start, 0});
        // The open ranges lie end to end, so the last one is all that follows its beginning.
        while (!scratch.open.empty()) {
            const auto [node, begin] = scratch.open.back();
            scratch.open.pop_back();
            if (scratch.rows.size() == begin) continue;
            visit(node, std::span<const WeightedRow>(scratch.rows).subspan(begin));
            if (tests_[node].first_child < 0) {
                scratch.rows.resize(begin);
            } else if (!assign_branches(node, begin, scratch) && tree_.n_children[node] == 2) {
                divide_in_two(node, begin, scratch);
            } else {
                divide(node, begin, scratch);
            }
        }
    }

 private:
    // What routing reads of a node, side by side; a threshold is the first rank on its right.
    struct Test {
        const std::uint32_t* ranks = nullptr;
        const std::int32_t* codes = nullptr;
        const std::uint32_t* table = nullptr;
        std::uint32_t first_right = 0;
        std::int32_t first_child = -1, missing_branch = -1;
        NodeKind kind = NodeKind::leaf;
    };

    std::uint32_t values_on_left(std::size_t node, std::uint32_t column) const {
        const auto values = data_.values[column];
        const double threshold = tree_.threshold[node];
        const bool strict = tree_.strict[node] != 0;
        std::uint32_t left = 0, count = static_cast<std::uint32_t>(values.size());
        while (count > 0) {
            const std::uint32_t half = count / 2;
            const bool below = strict ? values[left + half] < threshold : values[left + half] <= threshold;
            left = below ? left + half + 1 : left;
            count = below ? count - half - 1 : half;
        }
        return left;
    }

    // The branch of every row from `begin` on, -1 where its weight is spread; true when there is such a row.
    bool assign_branches(std::size_t node, std::size_t begin, Scratch& scratch) const {
        const Test test = tests_[node];
        switch (test.kind) {
            case NodeKind::threshold:
                return assign(begin, scratch, [=](std::uint32_t row) {
                    const std::uint32_t rank = test.ranks[row];
                    return rank == missing_rank ? test.missing_branch
                                                : static_cast<std::int32_t>(rank >= test.first_right);
                });
            case NodeKind::multiway:
                return assign(begin, scratch, [=](std::uint32_t row) {
                    const std::int32_t code = test.codes[row];
                    return code < 0 ? test.missing_branch : static_cast<std::int32_t>(test.table[code]);
                });
            case NodeKind::subset:
                return assign(begin, scratch, [=](std::uint32_t row) {
                    const std::int32_t code = test.codes[row];
                    return code < 0 ? test.missing_branch
                                    : static_cast<std::int32_t>(test.table[code / 32] >> (code % 32) & 1u);
                });
            default:
                return assign(begin, scratch, [&](std::uint32_t row) { return linear_branch(node, row); });
        }
    }

    template <class Branch>
    static bool assign(std::size_t begin, Scratch& scratch, Branch branch_of) {
        const std::size_t n = scratch.rows.size() - begin;
        if (scratch.branch.size() < n) scratch.branch.resize(n);
        std::int32_t any = 0;
        for (std::size_t i = 0; i < n; ++i) {
            scratch.branch[i] = branch_of(scratch.rows[begin + i].row);
            any |= scratch.branch[i];
        }
        return any < 0;
    }

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

    // Every row into one of two branches: the left ones close up where they are.
    void divide_in_two(std::size_t node, std::size_t begin, Scratch& scratch) const {
        const std::size_t n = scratch.rows.size() - begin;
        if (scratch.moved.size() < n) scratch.moved.resize(n);
        WeightedRow* rows = scratch.rows.data() + begin;
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const WeightedRow row = rows[i];
            const auto side = static_cast<std::size_t>(scratch.branch[i]);
            rows[left] = row;
            scratch.moved[right] = row;
            left += 1 - side;
            right += side;
        }
        std::copy_n(scratch.moved.begin(), right, rows + left);
        const auto first = static_cast<std::size_t>(tests_[node].first_child);
        scratch.open.push_back({first, begin});
        scratch.open.push_back({first + 1, begin + left});
    }

    // Any number of branches; a row of unknown value goes into each that training rows reached.
    void divide(std::size_t node, std::size_t begin, Scratch& scratch) const {
        const auto first = static_cast<std::size_t>(tests_[node].first_child);
        const auto children = static_cast<std::size_t>(tree_.n_children[node]);
        const std::size_t n = scratch.rows.size() - begin;
        auto& next = scratch.next;
        auto& share = scratch.share;
        next.assign(children, 0);
        share.assign(children, 0.0);
        std::size_t spread = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (scratch.branch[i] < 0) {
                ++spread;
            } else {
                const auto c = static_cast<std::size_t>(scratch.branch[i]);
                ++next[c];
                share[c] += scratch.rows[begin + i].weight;
            }
        }
        if (shares_ == Shares::trained || spread == n)
            std::copy_n(tree_.weight.begin() + static_cast<std::ptrdiff_t>(first), children, share.begin());
        const double total = std::accumulate(share.begin(), share.end(), 0.0);
        std::size_t size = 0;
        for (std::size_t c = 0; c < children; ++c) {
            scratch.open.push_back({first + c, begin + size});
            const std::size_t count = next[c] + (share[c] > 0 ? spread : 0);
            next[c] = size;
            size += count;
        }
        if (scratch.moved.size() < size) scratch.moved.resize(size);
        for (std::size_t i = 0; i < n; ++i) {
            const WeightedRow row = scratch.rows[begin + i];
            if (scratch.branch[i] >= 0) {
                scratch.moved[next[static_cast<std::size_t>(scratch.branch[i])]++] = row;
                continue;
            }
            for (std::size_t c = 0; c < children; ++c)
                if (share[c] > 0) scratch.moved[next[c]++] = {row.row, row.weight * share[c] / total};
        }
        scratch.rows.resize(begin + size);
        std::copy_n(scratch.moved.begin(), size, scratch.rows.data() + begin);
    }

    const Tree& tree_;
    const TreeData& data_;
    Shares shares_;
    std::vector<Test> tests_;
};

}  // namespace vaglio::tree
