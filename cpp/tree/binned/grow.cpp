// Nodes are ranges of lists of rows, which a split reorders; only where rows go into several branches do the children
// get lists of their own. Large nodes are worked on by all threads, feature by feature; small ones become
// tasks of one thread each. Class counts of whole weights are kept per node, so that of two branches only the smaller
// is counted.
#include "tree/binned/grow.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/parallel.hpp"
#include "tree/binned/gather.hpp"

namespace vaglio::tree {
namespace {

// From so many rows on, counts are kept for the branches: below, clearing and subtracting cost more than counting.
constexpr std::size_t subtract_from = 1024;

struct OpenNode {
    GrowNode head;
    std::shared_ptr<RowLists> lists;
    std::size_t start = 0, size = 0;
    std::shared_ptr<std::vector<std::uint32_t>> counted;  // class counts of every feature, or null
};

// Memory of one worker.
struct Bench {
    NodeRows rows;
    SpareRows spare;
};

class BinnedGrower {
 public:
    BinnedGrower(const BinnedSetting& setting, const BinnedTable& table, int threads, Control& control)
        : setting_(setting),
          growth_(setting.growth()),
          table_(table),
          threads_(std::max(1, threads)),
          control_(control),
          scratch_(setting.scratch(threads_)),
          benches_(static_cast<std::size_t>(threads_)) {
        offsets_.push_back(0);
        for (const BinnedColumn& column : table.columns)
            offsets_.push_back(offsets_.back() + (column.bins + std::size_t{1}) * table.layout.classes);
        keeps_counts_ = table.layout.classes > 0 && !table.weights && growth_.config.max_features == 0;
    }

    Tree grow(const GrowNode& start, RowLists lists) {
        Tree tree;
        tree.width = std::max<std::size_t>(table_.layout.classes, 1);
        tree.append(1);
        OpenNode root{start, std::make_shared<RowLists>(std::move(lists)), 0, 0, nullptr};
        root.head.id = 0;
        root.size = root.lists->rows.size();
        control_.expect(root.size);
        describe(root, tree);
        if (is_terminal(growth_, root.head)) return tree;
        if (growth_.config.max_leaf_nodes > 0) {
            grow_best_first(std::move(root), tree);
        } else {
            grow_depth_first(std::move(root), tree);
        }
        return compact(tree);
    }

 private:
    struct Team {
        int threads;
        std::span<BinnedScratch> scratch;
        Bench& bench;
    };

    void describe(const OpenNode& node, Tree& tree) const {
        describe_node(growth_, node.head, node.head.store->integral, tree);
    }

    int helpers(const Team& team, const OpenNode& node) const {
        constexpr std::size_t shared_cells = 1u << 16;  // some tens of microseconds of work
        return node.size * table_.columns.size() >= shared_cells ? team.threads : 1;
    }

    // Whether class counts of every feature are kept for this node and its branches.
    bool keeps_counts(const OpenNode& node) const {
        return keeps_counts_ && node.size >= subtract_from && node.lists->weights.empty() &&
               (setting_.equal() || !any_guarded());
    }
    // Features of many values also need sums of squared weights.
    bool any_guarded() const {
        for (const std::uint32_t categories : table_.layout.categories)
            if (static_cast<double>(categories) > growth_.config.guarded_from) return true;
        return false;
    }

    void count_all(OpenNode& node, const Team& team) {
        node.counted = std::make_shared<std::vector<std::uint32_t>>(offsets_.back(), 0u);
        parallel_for(helpers(team, node), table_.columns.size(), [&](std::size_t f, int) {
            count_codes(table_, team.bench.rows, static_cast<std::uint32_t>(f), node.counted->data() + offsets_[f]);
        });
    }

    std::optional<BinnedChoice> choose(OpenNode& node, const Team& team) {
        view_rows(setting_, table_, *node.lists, node.start, node.size, team.bench.rows);
        if (!node.counted && keeps_counts(node)) count_all(node, team);
        const auto gather = [&](std::uint32_t feature, BinnedScratch& scratch) {
            if (!node.counted) return gather_slots(setting_, table_, team.bench.rows, feature, scratch);
            return slots_of_counts(setting_, node.counted->data() + offsets_[feature], table_.columns[feature].bins,
                                   scratch.scan);
        };
        return choose_split(growth_, node.head, gather, helpers(team, node), team.scratch);
    }

    // Sends the rows of a node into its branches; where some go into several, these get lists of their own.
    std::vector<OpenNode> divide(const OpenNode& node, BinnedChoice& choice, const Team& team) const {
        const auto feature = static_cast<std::size_t>(choice.candidate.feature);
        const BinnedColumn& column = table_.columns[feature];
        const BranchOf branch_of(choice.candidate, choice.nominal, column.bins);
        std::vector<OpenNode> children(choice.partition.children.size());
        for (std::size_t b = 0; b < children.size(); ++b) children[b].head = choice.partition.children[b];
        if (choice.partition.spread) {
            auto lists = spread_rows(setting_, table_, *node.lists, node.start, node.size, feature, branch_of,
                                     choice.partition.share);
            for (std::size_t b = 0; b < children.size(); ++b) {
                children[b].size = lists[b]->rows.size();
                children[b].lists = std::move(lists[b]);
                measure_rows(setting_, table_, *children[b].lists, children[b].head);
            }
            return children;
        }
        const auto sizes =
            sort_by_branch(*node.lists, node.start, node.size, column, branch_of, children.size(), team.bench.spare);
        for (std::size_t b = 0, start = node.start; b < children.size(); start += sizes[b++]) {
            children[b].lists = node.lists;
            children[b].start = start;
            children[b].size = sizes[b];
        }
        return children;
    }

    // Of the branches, all but the largest are counted, and that one is what is left.
    void hand_on_counts(OpenNode& node, std::vector<OpenNode>& children, const Team& team) {
        if (!node.counted || children.empty() || node.lists != children[0].lists) return;
        std::size_t largest = 0;
        for (std::size_t b = 1; b < children.size(); ++b)
            if (children[b].size > children[largest].size) largest = b;
        if (!keeps_counts(children[largest]) || children[largest].size * 8 < node.size) return;
        children[largest].counted = std::move(node.counted);
        std::vector<std::uint32_t>& rest = *children[largest].counted;
        for (std::size_t b = 0; b < children.size(); ++b) {
            if (b == largest || children[b].size == 0) continue;
            view_rows(setting_, table_, *children[b].lists, children[b].start, children[b].size, team.bench.rows);
            count_all(children[b], team);
            for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= (*children[b].counted)[i];
            if (!keeps_counts(children[b])) children[b].counted.reset();
        }
    }

    std::vector<OpenNode> apply(OpenNode& node, BinnedChoice& choice, const Team& team, Tree& tree) {
        const auto id = static_cast<std::size_t>(node.head.id);
        write_test(growth_, choice.candidate, choice.partition, choice.nominal, tree, id);
        std::vector<OpenNode> children = divide(node, choice, team);
        if (!growth_.config.monotonic.empty())
            tighten_bounds(growth_, node.head, choice.candidate.feature, choice.partition);
        std::vector<bool> wanted(children.size());
        for (std::size_t b = 0; b < children.size(); ++b) {
            GrowNode& head = children[b].head;
            setting_.inherit(node.head, choice, b, head);
            head.id = tree.first_child[id] + static_cast<std::int32_t>(b);
            head.lower = choice.partition.children[b].lower;
            head.upper = choice.partition.children[b].upper;
            describe(children[b], tree);
            wanted[b] = !is_terminal(growth_, head);
        }
        if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) hand_on_counts(node, children, team);
        std::vector<OpenNode> open;
        for (std::size_t b = 0; b < children.size(); ++b)
            if (wanted[b]) open.push_back(std::move(children[b]));
        return open;
    }

    std::vector<OpenNode> drain(std::vector<OpenNode> open, std::size_t task_rows, const Team& team, Tree& tree) {
        std::vector<OpenNode> tasks;
        while (!open.empty()) {
            control_.check();
            OpenNode node = std::move(open.back());
            open.pop_back();
            if (node.size <= task_rows) {
                tasks.push_back(std::move(node));
                continue;
            }
            std::size_t kept = 0;
            if (auto choice = choose(node, team)) {
                auto children = apply(node, *choice, team, tree);
                for (auto child = children.rbegin(); child != children.rend(); ++child) {
                    kept += child->size;
                    open.push_back(std::move(*child));
                }
            }
            if (kept < node.size) control_.advance(node.size - kept);
        }
        return tasks;
    }

    void grow_depth_first(OpenNode root, Tree& tree) {
        const bool share = threads_ > 1 && !inside_parallel();
        const std::size_t task_rows =
            share ? std::max<std::size_t>(512, root.size / (8u * static_cast<std::size_t>(threads_))) : 0;
        std::vector<OpenNode> open;
        open.push_back(std::move(root));
        std::vector<OpenNode> tasks = drain(std::move(open), task_rows, {threads_, scratch_, benches_[0]}, tree);
        std::stable_sort(tasks.begin(), tasks.end(),
                         [](const OpenNode& a, const OpenNode& b) { return a.size > b.size; });
        std::vector<Tree> grown(tasks.size());
        std::vector<std::int32_t> at;
        at.reserve(tasks.size());
        for (const OpenNode& task : tasks) at.push_back(task.head.id);
        parallel_for(threads_, tasks.size(), [&](std::size_t i, int worker) {
            grown[i].width = tree.width;
            OpenNode node = std::move(tasks[i]);
            node.head.id = grown[i].append(1);
            describe(node, grown[i]);
            std::vector<OpenNode> start;
            start.push_back(std::move(node));
            const auto own = static_cast<std::size_t>(worker);
            drain(std::move(start), 0, {1, std::span(scratch_).subspan(own, 1), benches_[own]}, grown[i]);
        });
        for (std::size_t i = 0; i < grown.size(); ++i) graft(grown[i], at[i], tree);
    }

    // The split that lowers the whole impurity most comes first, until the leaves are used up.
    void grow_best_first(OpenNode root, Tree& tree) {
        struct Pending {
            double worth;
            std::uint64_t order;
            bool operator<(const Pending& other) const {
                return worth != other.worth ? worth < other.worth : order > other.order;
            }
        };
        const Team team{threads_, scratch_, benches_[0]};
        std::vector<std::pair<OpenNode, BinnedChoice>> store;
        std::priority_queue<Pending> frontier;
        const auto consider = [&](OpenNode node) {
            auto choice = choose(node, team);
            if (!choice) return;
            frontier.push({choice->candidate.gain * node.head.weight, store.size()});
            store.emplace_back(std::move(node), std::move(*choice));
        };
        consider(std::move(root));
        std::size_t leaves = 1;
        while (!frontier.empty()) {
            control_.check();
            const Pending next = frontier.top();
            frontier.pop();
            auto [node, choice] = std::move(store[next.order]);
            auto children = apply(node, choice, team, tree);
            leaves += static_cast<std::size_t>(tree.n_children[static_cast<std::size_t>(node.head.id)]) - 1;
            if (leaves >= growth_.config.max_leaf_nodes) break;
            for (OpenNode& child : children) consider(std::move(child));
        }
    }

    const BinnedSetting& setting_;
    const GrowSetting& growth_;
    const BinnedTable& table_;
    int threads_;
    Control& control_;
    std::vector<BinnedScratch> scratch_;
    std::vector<Bench> benches_;
    std::vector<std::size_t> offsets_;  // of each feature in kept counts
    bool keeps_counts_ = false;
};

}  // namespace

void measure_rows(const BinnedSetting& setting, const BinnedTable& table, const RowLists& lists, GrowNode& node) {
    NodeRows rows;
    view_rows(setting, table, lists, 0, lists.rows.size(), rows);
    add_up(setting, rows, node);
}

Tree grow_binned(const BinnedSetting& setting, const BinnedTable& table, RowLists lists, const GrowNode& start,
                 int threads, Control& control) {
    return BinnedGrower(setting, table, threads, control).grow(start, std::move(lists));
}

Tree grow_from_root(BinnedSetting& setting, const BinnedTable& table, RowLists lists, std::uint64_t seed, int threads,
                    Control& control) {
    GrowNode root = setting.root(mix(seed));
    measure_rows(setting, table, lists, root);
    setting.set_totals(root.weight, root.count);
    return grow_binned(setting, table, std::move(lists), root, threads, control);
}

}  // namespace vaglio::tree
