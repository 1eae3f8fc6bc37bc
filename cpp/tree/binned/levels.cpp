// Nodes are decided as soon as their sums are there. Rows that were spread leave the sums of the branches open: these
// are known with the next sums.
#include "tree/binned/levels.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "tree/binned/gather.hpp"
#include "tree/binned/grow.hpp"
#include "tree/split/find.hpp"

namespace vaglio::tree {

// One tree: its upper part, with what sends rows down, and finished parts that wait for their place.
struct LevelGrower::Growing {
    BinnedSetting setting;
    std::vector<std::uint32_t> features;
    Tree tree;
    struct Test {
        BranchOf branch;
        std::vector<double> shares;
    };
    std::vector<Test> tests;  // by node
    std::vector<std::pair<std::int32_t, Tree>> finished;

    Growing(const TreeData& layout, const TreeConfig& config, const GrowthWeights& amounts, bool drawn,
            std::vector<std::uint32_t> chosen)
        : setting(layout, config, amounts, drawn), features(std::move(chosen)) {}
};

struct LevelGrower::Open {
    std::size_t tree = 0;
    GrowNode head;
    bool known = false;         // whether weight, count and sums are exact
    bool all_features = false;  // the drawn ones had no test
};

namespace {

// The slots that cells stand for.
Slots slots_of_cells(const CellLayout& layout, const double* cells, std::uint32_t bins, bool squares,
                     ScanScratch& scratch) {
    const std::size_t size = layout.size(squares), width = layout.classes > 0 ? layout.classes : 2;
    scratch.seen.clear();
    scratch.category_sums.clear();
    scratch.category_weight.clear();
    scratch.category_rows.clear();
    scratch.category_squares.clear();
    Slots slots;
    for (std::uint32_t code = 0; code <= bins; ++code) {
        const double* cell = cells + code * size;
        const double weight = layout.classes > 0 ? std::accumulate(cell, cell + width, 0.0) : cell[0];
        if (weight <= 0 && code < bins) continue;
        const double* sums = layout.classes > 0 ? cell : cell + 1;
        scratch.category_sums.insert(scratch.category_sums.end(), sums, sums + width);
        scratch.category_weight.push_back(weight);
        if (layout.rows) scratch.category_rows.push_back(cell[layout.width()]);
        if (squares) scratch.category_squares.push_back(cell[layout.size(false)]);
        if (code == bins) {
            slots.any_unknown = weight > 0;
            break;
        }
        scratch.seen.push_back(code);
    }
    slots.known = scratch.seen.size();
    slots.unknown = scratch.category_weight[slots.known];
    return slots;
}

void read_totals(const CellLayout& layout, const double* cell, GrowNode& node) {
    if (layout.classes > 0) {
        node.sums.assign(cell, cell + layout.classes);
        node.weight = std::accumulate(cell, cell + layout.classes, 0.0);
    } else {
        node.sums.assign(cell + 1, cell + 3);
        node.weight = cell[0];
    }
    node.count = layout.rows ? cell[layout.width()] : node.weight;
}

// Rows [start, start + size) of a table.
BinnedTable rows_from(const BinnedTable& table, std::size_t start, std::size_t size) {
    BinnedTable part = table;
    part.layout.rows = size;
    for (BinnedColumn& column : part.columns)
        with_codes(column, [&](const auto* codes) { column.codes = codes + start; });
    if (part.labels) part.labels += start;
    if (part.targets) part.targets += start;
    return part;
}

std::uint32_t bins_of(const TreeData& layout, std::size_t feature) {
    const auto [nominal, column] = layout.features[feature];
    return nominal ? layout.categories[column] : static_cast<std::uint32_t>(layout.values[column].size());
}

}  // namespace

LevelGrower::LevelGrower(const TreeData& layout, const TreeConfig& config, const GrowthWeights& amounts,
                         const TreesPlan& plan)
    : layout_(layout), config_(config), amounts_(amounts), cells_{layout.classes, amounts.weighted} {
    const bool unequal = plan.drawn() || amounts.weighted || config.missing == MissingPolicy::fractional;
    for (const auto& [nominal, column] : layout.features)
        squares_.push_back(nominal && unequal && static_cast<double>(layout.categories[column]) > config.guarded_from);
    for (const TreePlan& each : plan.trees) {
        TreeData own = layout;
        own.features.clear();
        for (const std::uint32_t feature : each.features) own.features.push_back(layout.features[feature]);
        trees_.push_back(std::make_unique<Growing>(own, config, amounts, plan.drawn(), each.features));
        Growing& growing = *trees_.back();
        growing.tree.width = std::max<std::size_t>(layout.classes, 1);
        growing.tree.append(1);
        Open root;
        root.tree = trees_.size() - 1;
        root.head = growing.setting.root(mix(each.seed));
        root.head.count = amounts.bounds.rows;
        open_.push_back(std::move(root));
    }
}

LevelGrower::~LevelGrower() = default;

bool LevelGrower::done() const { return open_.empty(); }

// The ways to the open nodes that are asked for.
Frontier LevelGrower::routes(const std::vector<std::size_t>& asked) const {
    Frontier frontier;
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        std::vector<std::pair<std::int32_t, std::int32_t>> here;  // node and slot
        for (std::size_t s = 0; s < asked.size(); ++s)
            if (open_[asked[s]].tree == t) here.emplace_back(open_[asked[s]].head.id, static_cast<std::int32_t>(s));
        if (here.empty()) continue;
        const Growing& growing = *trees_[t];
        const auto base = static_cast<std::int32_t>(frontier.feature.size());
        frontier.tree_start.push_back(base);
        frontier.tree_number.push_back(static_cast<std::int32_t>(t));
        for (std::size_t node = 0; node < growing.tree.size(); ++node) {
            const bool leaf = growing.tree.is_leaf(node);
            const Growing::Test test = leaf ? Growing::Test{} : growing.tests[node];
            const auto feature = static_cast<std::size_t>(std::max(0, growing.tree.feature[node]));
            frontier.feature.push_back(leaf ? -1 : static_cast<std::int32_t>(growing.features[feature]));
            frontier.first_child.push_back(leaf ? -1 : base + growing.tree.first_child[node]);
            frontier.n_children.push_back(static_cast<std::int32_t>(test.shares.size()));
            frontier.missing.push_back(test.branch.missing);
            frontier.last_left.push_back(test.branch.last_left);
            frontier.table_start.push_back(
                test.branch.table.empty() ? -1 : static_cast<std::int64_t>(frontier.branches.size()));
            frontier.branches.insert(frontier.branches.end(), test.branch.table.begin(), test.branch.table.end());
            frontier.share_start.push_back(static_cast<std::int64_t>(frontier.shares.size()));
            frontier.shares.insert(frontier.shares.end(), test.shares.begin(), test.shares.end());
            frontier.slot.push_back(-1);
        }
        for (const auto& [node, slot] : here) frontier.slot[static_cast<std::size_t>(base + node)] = slot;
    }
    frontier.tree_start.push_back(static_cast<std::int32_t>(frontier.feature.size()));
    return frontier;
}

// The features whose sums decide an open node: the drawn ones, and all if these had no test.
std::vector<std::uint32_t> LevelGrower::wanted_features(const Open& open) const {
    std::vector<std::uint32_t> wanted = draw_features(trees_[open.tree]->setting.growth(), open.head);
    if (config_.max_features > 0 && config_.max_features < wanted.size() && !open.all_features)
        wanted.resize(config_.max_features);
    for (std::uint32_t& feature : wanted) feature = trees_[open.tree]->features[feature];
    return wanted;
}

std::size_t LevelGrower::cells_of(std::span<const std::uint32_t> wanted) const {
    std::size_t cells = cells_.size(false);
    for (const std::uint32_t f : wanted) cells += (bins_of(layout_, f) + std::size_t{1}) * cell_size(f);
    return cells;
}

// Whether a node is finished with its rows, because these take less of a pass than the sums of the node and, unless
// they are leaves, of its branches. Of the rows of a pass, a node has a quarter at most: they are copied when it grows.
bool LevelGrower::takes_rows(const Open& open, const PassSize& most) const {
    if (open.head.count * 4 > most.rows) return false;
    const double levels = open.head.depth + 1 < config_.max_depth ? 3.0 : 1.0;
    const auto cells = static_cast<double>(cells_of(wanted_features(open)));
    return open.head.count / most.rows <= levels * cells / static_cast<double>(most.cells);
}

Frontier LevelGrower::ask_sums(const PassSize& most) {
    asked_.clear();
    std::vector<std::int64_t> feature_start{0}, offset, totals;
    std::vector<std::int32_t> features;
    std::size_t cells = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const Open& open = open_[i];
        if (takes_rows(open, most)) continue;
        const std::vector<std::uint32_t> wanted = wanted_features(open);
        if (!asked_.empty() && cells + cells_of(wanted) > most.cells) break;
        asked_.push_back(i);
        totals.push_back(static_cast<std::int64_t>(cells));
        cells += cells_.size(false);
        for (const std::uint32_t f : wanted) {
            features.push_back(static_cast<std::int32_t>(f));
            offset.push_back(static_cast<std::int64_t>(cells));
            cells += (bins_of(layout_, f) + std::size_t{1}) * cell_size(f);
        }
        feature_start.push_back(static_cast<std::int64_t>(features.size()));
    }
    asked_frontier_ = routes(asked_);
    asked_frontier_.feature_start = std::move(feature_start);
    asked_frontier_.features = std::move(features);
    asked_frontier_.offset = std::move(offset);
    asked_frontier_.totals = std::move(totals);
    asked_frontier_.cells = static_cast<std::int64_t>(cells);
    return asked_frontier_;
}

struct LevelGrower::Decision {
    bool again = false;  // the drawn features had no test: ask for all
    std::optional<BinnedChoice> choice;
};

// The test of an open node whose sums have come.
LevelGrower::Decision LevelGrower::decide(const Open& open, std::span<const double> sums, std::size_t slot,
                                          BinnedScratch& scratch) const {
    const Growing& growing = *trees_[open.tree];
    const Frontier& frontier = asked_frontier_;
    Decision decision;
    if (is_terminal(growing.setting.growth(), open.head)) return decision;
    const auto first = static_cast<std::size_t>(frontier.feature_start[slot]);
    const auto end = static_cast<std::size_t>(frontier.feature_start[slot + 1]);
    const auto gather = [&](std::uint32_t feature, BinnedScratch& own) {
        const auto wanted = static_cast<std::int32_t>(growing.features[feature]);
        for (std::size_t i = first; i < end; ++i) {
            if (frontier.features[i] != wanted) continue;
            const auto g = static_cast<std::size_t>(wanted);
            return slots_of_cells(cells_, sums.data() + frontier.offset[i], bins_of(layout_, g), squares_[g] != 0,
                                  own.scan);
        }
        decision.again = true;
        return Slots{};
    };
    decision.choice = choose_split(growing.setting.growth(), open.head, gather, 1, std::span(&scratch, 1));
    return decision;
}

// Writes a test into the tree; its branches become open nodes unless they are known to be leaves.
void LevelGrower::apply(const Open& open, BinnedChoice& choice) {
    Growing& growing = *trees_[open.tree];
    const GrowSetting& growth = growing.setting.growth();
    const auto id = static_cast<std::size_t>(open.head.id);
    const auto feature = static_cast<std::size_t>(choice.candidate.feature);
    write_test(growth, choice.candidate, choice.partition, choice.nominal, growing.tree, id);
    growing.tests.resize(growing.tree.size());
    Growing::Test& test = growing.tests[id];
    test.branch = BranchOf(choice.candidate, choice.nominal, bins_of(layout_, growing.features[feature]));
    test.shares = choice.partition.share;
    test.shares.resize(choice.partition.children.size(), 0.0);
    if (!config_.monotonic.empty()) tighten_bounds(growth, open.head, choice.candidate.feature, choice.partition);
    for (std::size_t b = 0; b < choice.partition.children.size(); ++b) {
        Open child;
        child.tree = open.tree;
        child.head = choice.partition.children[b];
        growing.setting.inherit(open.head, choice, b, child.head);
        child.head.id = growing.tree.first_child[id] + static_cast<std::int32_t>(b);
        child.known = !choice.partition.spread;
        if (child.known) {
            describe_node(growth, child.head, child.head.store->integral, growing.tree);
            if (is_terminal(growth, child.head)) continue;
        }
        open_.push_back(std::move(child));
    }
}

void LevelGrower::take_sums(std::span<const double> sums) {
    for (std::size_t slot = 0; slot < asked_.size(); ++slot) {
        Open& open = open_[asked_[slot]];
        if (open.known) continue;
        Growing& growing = *trees_[open.tree];
        read_totals(cells_, sums.data() + asked_frontier_.totals[slot], open.head);
        open.known = true;
        if (open.head.id == 0) growing.setting.set_totals(open.head.weight, open.head.count);
        describe_node(growing.setting.growth(), open.head, open.head.store->integral, growing.tree);
    }
    std::vector<Decision> decisions(asked_.size());
    std::vector<BinnedScratch> scratch;
    scratch.reserve(trees_.size());
    for (const auto& growing : trees_) scratch.push_back(std::move(growing->setting.scratch(1)[0]));
    for (std::size_t slot = 0; slot < asked_.size(); ++slot)
        decisions[slot] = decide(open_[asked_[slot]], sums, slot, scratch[open_[asked_[slot]].tree]);
    std::vector<Open> before = std::move(open_);
    open_.clear();
    std::vector<bool> gone(before.size(), false);
    for (std::size_t slot = 0; slot < asked_.size(); ++slot) {
        Open& open = before[asked_[slot]];
        gone[asked_[slot]] = !decisions[slot].again;
        if (decisions[slot].again) {
            open.all_features = true;
        } else if (auto& choice = decisions[slot].choice; choice.has_value()) {
            apply(open, *choice);
        }
    }
    std::vector<Open> children = std::move(open_);
    open_.clear();
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!gone[i]) open_.push_back(std::move(before[i]));
    for (Open& child : children) open_.push_back(std::move(child));
}

Frontier LevelGrower::ask_rows(const PassSize& most) {
    asked_.clear();
    double rows = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const double count = open_[i].head.count;
        if (!takes_rows(open_[i], most) || (!asked_.empty() && rows + count > most.rows)) continue;
        rows += count;
        asked_.push_back(i);
    }
    asked_frontier_ = routes(asked_);
    asked_frontier_.totals.assign(asked_.size(), 0);
    asked_frontier_.feature_start.assign(asked_.size() + 1, 0);
    return asked_frontier_;
}

// The part of the tree below an open node, whose rows these are.
Tree LevelGrower::finish(Open& open, const BinnedTable& rows, const RowsGiven& given, int threads,
                         Control& control) const {
    Growing& growing = *trees_[open.tree];
    BinnedTable own = rows;
    own.layout.features.clear();
    own.columns.clear();
    for (const std::uint32_t feature : growing.features) {
        own.layout.features.push_back(rows.layout.features[feature]);
        own.columns.push_back(rows.columns[feature]);
    }
    RowLists lists = all_rows(growing.setting, own, given);
    if (!open.known) {
        measure_rows(growing.setting, own, lists, open.head);
        if (open.head.id == 0) growing.setting.set_totals(open.head.weight, open.head.count);
        open.known = true;
    }
    return grow_binned(growing.setting, own, std::move(lists), open.head, threads, control);
}

void LevelGrower::take_rows(std::span<const std::int64_t> starts, const BinnedTable& rows, const RowsGiven& given,
                            int threads, Control& control) {
    std::vector<Tree> grown(asked_.size());
    const auto grow = [&](std::size_t slot, int own_threads) {
        Open& open = open_[asked_[slot]];
        const auto start = static_cast<std::size_t>(starts[slot]);
        const auto size = static_cast<std::size_t>(starts[slot + 1]) - start;
        const bool real = amounts_.weighted || !open.head.store->integral;
        const auto part = [&](const auto& all, bool used) {
            return used && !all.empty() ? all.subspan(start, size) : all.first(0);
        };
        grown[slot] = finish(open, rows_from(rows, start, size),
                             {part(given.drawn, !real), part(given.weights, real), part(given.counts, real)},
                             own_threads, control);
    };
    // Large nodes one after the other with all threads, small ones beside each other.
    const double large = rows.layout.rows / (4.0 * std::max(1, threads));
    std::vector<std::size_t> small;
    for (std::size_t slot = 0; slot < asked_.size(); ++slot) {
        if (static_cast<double>(starts[slot + 1] - starts[slot]) < large) {
            small.push_back(slot);
        } else {
            grow(slot, threads);
        }
    }
    parallel_for(threads, small.size(), [&](std::size_t i, int) { grow(small[i], 1); });
    std::vector<bool> gone(open_.size(), false);
    for (std::size_t slot = 0; slot < asked_.size(); ++slot) {
        const Open& open = open_[asked_[slot]];
        trees_[open.tree]->finished.emplace_back(open.head.id, std::move(grown[slot]));
        gone[asked_[slot]] = true;
    }
    std::vector<Open> rest;
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (!gone[i]) rest.push_back(std::move(open_[i]));
    open_ = std::move(rest);
    asked_.clear();
}

std::vector<Tree> LevelGrower::take_trees() {
    std::vector<Tree> trees;
    for (auto& growing : trees_) {
        for (const auto& [at, fragment] : growing->finished) graft(fragment, at, growing->tree);
        trees.push_back(compact(growing->tree));
    }
    return trees;
}

}  // namespace vaglio::tree
