// Every row goes down every tree anew: the nodes above the open ones are few, and nothing has to be kept of the rows.
#include "tree/binned/frontier.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tree/partition/partition.hpp"

namespace vaglio::tree {
namespace {

// Rows that go down a tree before they are added: their codes stay in the cache.
constexpr std::size_t block_rows = std::size_t{1} << 13;

// One row at one open node.
struct Arrival {
    std::uint32_t row;
    std::int32_t slot;
    double weight, count;
};

class Router {
 public:
    Router(const Frontier& frontier, const PartOfTable& part, const WeightSummary& amounts)
        : frontier_(frontier), part_(part), amounts_(amounts) {}

    // Calls use(arrivals) with where the rows of the part arrive in one tree, row by row, some rows at a time.
    template <class Use>
    void route(std::size_t tree, Use use) {
        const auto root = frontier_.tree_start[tree];
        if (root == frontier_.tree_start[tree + 1]) return;
        const std::size_t rows = part_.table.layout.rows;
        const std::vector<std::uint16_t> bag =
            rows_of_tree(part_.plan, static_cast<std::size_t>(frontier_.tree_number[tree]), part_.all_rows, part_.start,
                         part_.start + rows);
        for (std::size_t first = 0; first < rows; first += block_rows) {
            arrivals_.clear();
            for (std::size_t row = first; row < std::min(rows, first + block_rows); ++row) {
                const double drawn = bag.empty() ? 1.0 : bag[row];
                if (drawn <= 0) continue;
                const double weight = part_.table.weights ? part_.table.weights[row] * drawn : drawn;
                descend(static_cast<std::uint32_t>(row), root, weight, drawn, arrivals_);
            }
            use(std::as_const(arrivals_));
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
    const WeightSummary& amounts_;
    std::vector<Arrival> arrivals_;
};

// Adds one row to cells.
class CellAdder {
 public:
    CellAdder(const PartOfTable& part, const WeightSummary& amounts)
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

    // Adds rows of one slot to the cells of one feature.
    void add_all(std::span<const Arrival> rows, const BinnedColumn& column, double* cells, bool squares) const {
        const std::size_t size = layout_.size(squares);
        with_codes(column, [&](const auto* codes) {
            if (layout_.classes == 0 || layout_.rows || squares) {
                for (const Arrival& at : rows) add(at, cells + codes[at.row] * size, squares);
            } else if ((column.bins + 1) * size <= few_cells && rows.size() >= few_cells) {
                add_in_turns(rows, codes, cells, (column.bins + 1) * size);
            } else {
                for (const Arrival& at : rows) cells[codes[at.row] * size + part_.table.labels[at.row]] += at.weight;
            }
        });
    }

 private:
    static constexpr std::size_t few_cells = 64, turns = 4;

    // Rows that follow each other often meet in one of few cells, where each addition would wait for the one before it:
    // they take turns in several copies of the cells.
    template <class Code>
    void add_in_turns(std::span<const Arrival> rows, const Code* codes, double* cells, std::size_t count) const {
        double copies[turns][few_cells] = {};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t row = rows[i].row;
            copies[i % turns][codes[row] * layout_.classes + part_.table.labels[row]] += rows[i].weight;
        }
        for (const auto& copy : copies) {
            for (std::size_t cell = 0; cell < count; ++cell) cells[cell] += copy[cell];
        }
    }

    const PartOfTable& part_;
    const WeightSummary& amounts_;
    CellLayout layout_;
};

// Puts what arrives in the order of the slots: the sums of a slot and feature then stay near while rows are added.
class BySlot {
 public:
    explicit BySlot(std::size_t slots) : next_(slots) {}

    // Calls use(slot, arrivals) for each slot that has some.
    template <class Use>
    void each(const std::vector<Arrival>& arrivals, Use use) {
        seen_.clear();
        for (const Arrival& at : arrivals) {
            if (next_[slot_of(at)]++ == 0) seen_.push_back(slot_of(at));
        }
        std::uint32_t begin = 0;
        for (const std::size_t slot : seen_) begin += std::exchange(next_[slot], begin);
        sorted_.resize(arrivals.size());
        for (const Arrival& at : arrivals) sorted_[next_[slot_of(at)]++] = at;
        begin = 0;
        for (const std::size_t slot : seen_) {
            const std::uint32_t end = std::exchange(next_[slot], 0);
            use(slot, std::span<const Arrival>(sorted_).subspan(begin, end - begin));
            begin = end;
        }
    }

 private:
    static std::size_t slot_of(const Arrival& at) { return static_cast<std::size_t>(at.slot); }

    std::vector<std::uint32_t> next_;
    std::vector<std::size_t> seen_;
    std::vector<Arrival> sorted_;
};

}  // namespace

std::vector<double> sum_frontier(const Frontier& frontier, const PartOfTable& part, const WeightSummary& amounts) {
    std::vector<double> sums(static_cast<std::size_t>(frontier.cells), 0.0);
    Router router(frontier, part, amounts);
    const CellAdder adder(part, amounts);
    BySlot by_slot(frontier.slots());
    const auto add = [&](std::size_t slot, std::span<const Arrival> rows) {
        double* totals = &sums[static_cast<std::size_t>(frontier.totals[slot])];
        for (const Arrival& at : rows) adder.add(at, totals, false);
        for (auto i = static_cast<std::size_t>(frontier.feature_start[slot]);
             i < static_cast<std::size_t>(frontier.feature_start[slot + 1]); ++i) {
            const auto feature = static_cast<std::size_t>(frontier.features[i]);
            adder.add_all(rows, part.table.columns[feature], &sums[static_cast<std::size_t>(frontier.offset[i])],
                          part.squares[feature] != 0);
        }
    };
    for (std::size_t tree = 0; tree + 1 < frontier.tree_start.size(); ++tree) {
        router.route(tree, [&](const std::vector<Arrival>& arrivals) { by_slot.each(arrivals, add); });
    }
    return sums;
}

GatheredRows gather_frontier(const Frontier& frontier, const PartOfTable& part, const WeightSummary& amounts) {
    Router router(frontier, part, amounts);
    std::vector<Arrival> all;
    GatheredRows gathered;
    gathered.start.assign(frontier.slots() + 1, 0);
    for (std::size_t tree = 0; tree + 1 < frontier.tree_start.size(); ++tree) {
        router.route(tree, [&](const std::vector<Arrival>& arrivals) {
            all.insert(all.end(), arrivals.begin(), arrivals.end());
        });
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

}  // namespace vaglio::tree
