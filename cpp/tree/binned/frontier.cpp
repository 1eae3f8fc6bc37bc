// Every row goes down every tree anew: the nodes above the open ones are few, and nothing has to be kept of the rows.
#include "tree/binned/frontier.hpp"

#include <numeric>

#include "tree/partition/partition.hpp"

namespace vaglio {
namespace {

// One row at one open node.
struct Arrival {
    std::uint32_t row;
    std::int32_t slot;
    double weight, count;
};

class Router {
 public:
    Router(const Frontier& frontier, const PartOfTable& part, const Amounts& amounts)
        : frontier_(frontier), part_(part), amounts_(amounts) {}

    // Where the rows of the part arrive in one tree, row by row.
    void route(std::size_t tree, std::vector<Arrival>& arrivals) const {
        arrivals.clear();
        const auto root = frontier_.tree_start[tree];
        if (root == frontier_.tree_start[tree + 1]) return;
        const std::size_t rows = part_.table.layout.rows;
        const std::vector<std::uint16_t> bag =
            rows_of_tree(part_.plan, static_cast<std::size_t>(frontier_.tree_number[tree]), part_.all_rows, part_.start,
                         part_.start + rows);
        for (std::uint32_t row = 0; row < rows; ++row) {
            const double drawn = bag.empty() ? 1.0 : bag[row];
            if (drawn <= 0) continue;
            descend(row, root, part_.table.weights ? part_.table.weights[row] * drawn : drawn, drawn, arrivals);
        }
    }

 private:
    void descend(std::uint32_t row, std::int32_t from, double weight, double count,
                 std::vector<Arrival>& arrivals) const {
        auto node = static_cast<std::size_t>(from);
        while (frontier_.feature[node] >= 0) {
            const std::int32_t branch = branch_of(node, row);
            if (branch == every_branch) return spread(row, node, weight, count, arrivals);
            node = static_cast<std::size_t>(frontier_.first_child[node] + branch);
        }
        if (frontier_.slot[node] >= 0) arrivals.push_back({row, frontier_.slot[node], weight, count});
    }

    std::int32_t branch_of(std::size_t node, std::uint32_t row) const {
        const BinnedColumn& column = part_.table.columns[static_cast<std::size_t>(frontier_.feature[node])];
        const std::uint32_t code = column.at(row);
        if (code >= column.bins) return frontier_.missing[node];
        if (frontier_.table_start[node] < 0) return code > frontier_.last_left[node];
        return frontier_.branches[static_cast<std::size_t>(frontier_.table_start[node]) + code];
    }

    // Depth is bounded by that of the tree above its open nodes.
    void spread(std::uint32_t row, std::size_t node, double weight, double count,  // NOLINT(misc-no-recursion)
                std::vector<Arrival>& arrivals) const {
        const auto share = static_cast<std::size_t>(frontier_.share_start[node]);
        for (std::int32_t b = 0; b < frontier_.n_children[node]; ++b) {
            const double part = frontier_.shares[share + static_cast<std::size_t>(b)];
            const double own = amounts_.weight(weight * part);
            if (own > 0)
                descend(row, frontier_.first_child[node] + b, own, part_.weighted ? amounts_.rows(count * part) : count,
                        arrivals);
        }
    }

    const Frontier& frontier_;
    const PartOfTable& part_;
    const Amounts& amounts_;
};

// Adds one row to cells.
class CellAdder {
 public:
    CellAdder(const PartOfTable& part, const Amounts& amounts)
        : part_(part), amounts_(amounts), layout_{part.table.layout.classes, part.weighted} {}

    void add(const Arrival& at, double* cell, bool squares) const {
        if (layout_.classes > 0) {
            cell[part_.table.labels[at.row]] += at.weight;
        } else {
            const double y = part_.table.targets[at.row];
            cell[0] += at.weight;
            cell[1] += amounts_.target(at.weight * y);
            cell[2] += amounts_.square(at.weight * y * y);
        }
        if (layout_.rows) cell[layout_.width()] += at.count;
        if (squares) cell[layout_.size(false)] += amounts_.square_weight(at.weight * at.weight);
    }
    const CellLayout& layout() const { return layout_; }

 private:
    const PartOfTable& part_;
    const Amounts& amounts_;
    CellLayout layout_;
};

}  // namespace

std::vector<double> sum_frontier(const Frontier& frontier, const PartOfTable& part, const Amounts& amounts) {
    std::vector<double> sums(static_cast<std::size_t>(frontier.cells), 0.0);
    const Router router(frontier, part, amounts);
    const CellAdder adder(part, amounts);
    std::vector<Arrival> arrivals;
    for (std::size_t tree = 0; tree + 1 < frontier.tree_start.size(); ++tree) {
        router.route(tree, arrivals);
        for (const Arrival& at : arrivals) {
            const auto slot = static_cast<std::size_t>(at.slot);
            adder.add(at, &sums[static_cast<std::size_t>(frontier.totals[slot])], false);
            for (auto i = static_cast<std::size_t>(frontier.feature_start[slot]);
                 i < static_cast<std::size_t>(frontier.feature_start[slot + 1]); ++i) {
                const auto feature = static_cast<std::size_t>(frontier.features[i]);
                const bool squares = part.squares[feature] != 0;
                const std::size_t code = part.table.columns[feature].at(at.row);
                adder.add(at, &sums[static_cast<std::size_t>(frontier.offset[i]) + code * adder.layout().size(squares)],
                          squares);
            }
        }
    }
    return sums;
}

GatheredRows gather_frontier(const Frontier& frontier, const PartOfTable& part, const Amounts& amounts) {
    const Router router(frontier, part, amounts);
    std::vector<Arrival> all, arrivals;
    GatheredRows gathered;
    gathered.start.assign(frontier.slots() + 1, 0);
    for (std::size_t tree = 0; tree + 1 < frontier.tree_start.size(); ++tree) {
        router.route(tree, arrivals);
        all.insert(all.end(), arrivals.begin(), arrivals.end());
    }
    for (const Arrival& at : all) ++gathered.start[static_cast<std::size_t>(at.slot) + 1];
    std::partial_sum(gathered.start.begin(), gathered.start.end(), gathered.start.begin());
    gathered.row.resize(all.size());
    gathered.weight.resize(all.size());
    gathered.count.resize(all.size());
    std::vector<std::int64_t> next = gathered.start;
    for (const Arrival& at : all) {
        const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(at.slot)]++);
        gathered.row[to] = at.row;
        gathered.weight[to] = at.weight;
        gathered.count[to] = at.count;
    }
    return gathered;
}

}  // namespace vaglio
