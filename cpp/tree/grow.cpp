// Growth by an explicit list of open nodes: a tree may be deeper than the stack allows. Large nodes are split by all
// threads together, small ones become tasks of one thread each, and their trees are put in place in a fixed order.
#include "tree/grow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>

#include "base/parallel.hpp"
#include "tree/loss/fit.hpp"
#include "tree/partition/order.hpp"
#include "tree/prune/prune.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/split/apply.hpp"
#include "tree/split/find.hpp"
#include "tree/table/bins.hpp"
#include "tree/table/outputs.hpp"
#include "tree/table/row_weights.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

// Of n·log2(n): 128 MB. Larger tables of rows compute their logarithms.
constexpr std::size_t largest_table = std::size_t{1} << 24;

// A number near the mean, around which sums of squares lose few digits. It is a multiple of a power of two about as
// large as the range, so that whole targets stay whole: their sums are exact, and equal gains are equal, however rows
// weigh.
double target_centre(const TreeData& data, const RowWeights& weights) {
    double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < data.rows; ++i) {
        const double weight = weights.values.empty() ? 1.0 : weights.values[i];
        if (weight <= 0) continue;
        sum += weight * data.targets[i];
        low = std::min(low, data.targets[i]);
        high = std::max(high, data.targets[i]);
    }
    if (!(weights.total > 0)) return 0;
    const double range = high - low, mean = sum / weights.total;
    if (range == 0) return low;
    if (!std::isfinite(range)) return mean;
    const double unit = std::ldexp(1.0, std::ilogb(range));
    return std::rint(mean / unit) * unit;
}

// Label and weight of each row in one word, if the weights are small whole numbers.
void pack_payload(std::size_t classes, RowStore& store) {
    constexpr double largest_count = 4095;  // twelve bits leave twenty for classes and ranks in a key of 32
    if (classes == 0 || !store.integral) return;
    double largest = 1;
    for (const double w : store.weights) largest = std::max(largest, w);
    if (largest > largest_count) return;
    store.count_bits = store.weights.empty() ? 0 : std::bit_width(static_cast<std::uint32_t>(largest));
    store.payload_bits = store.count_bits + std::bit_width(classes - 1);
    store.payload.resize(store.rows.size());
    for (std::size_t i = 0; i < store.rows.size(); ++i) {
        const std::uint32_t count = store.weights.empty() ? 0 : static_cast<std::uint32_t>(store.weights[i]);
        store.payload[i] = static_cast<std::uint32_t>(store.labels[i]) << store.count_bits | count;
    }
}

std::shared_ptr<RowStore> root_store(const TreeData& data, const RowWeights& weights, double centre) {
    auto store = std::make_shared<RowStore>();
    store->integral = weights.integral;
    store->weighted = weights.weighted;
    store->exact_units = weights.exact_units;
    const bool weighs = !weights.values.empty();
    std::vector<std::uint32_t>& rows = store->rows;
    rows.resize(data.rows);
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < data.rows; ++i) {
        rows[n] = i;
        n += !weighs || weights.values[i] > 0;
    }
    rows.resize(n);
    const auto take = [&](auto& own, const auto& value) {
        own.resize(n);
        for (std::size_t i = 0; i < n; ++i) own[i] = value(rows[i]);
    };
    if (data.classes > 0) {
        take(store->labels, [&](std::uint32_t row) { return static_cast<Label>(data.labels[row]); });
    } else if (!data.outputs) {  // which are read from the table, by the number of the row
        take(store->targets, [&](std::uint32_t row) { return data.targets[row] - centre; });
    }
    if (weighs) take(store->weights, [&](std::uint32_t row) { return weights.values[row]; });
    if (!weights.counts.empty()) take(store->counts, [&](std::uint32_t row) { return weights.counts[row]; });
    store->capacity = n;
    pack_payload(data.classes, *store);
    return store;
}

// The rows of a node whose targets are numbers, alone.
std::shared_ptr<RowStore> own_store(const GrowNode& node) {
    const RowStore& from = *node.store;
    auto store = std::make_shared<RowStore>();
    store->capacity = node.size;
    store->integral = from.integral;
    store->weighted = from.weighted;
    const auto copy = [&](const auto& all, auto& own) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(node.start);
        if (!all.empty()) own.assign(first, first + node.size);
    };
    copy(from.rows, store->rows);
    copy(from.targets, store->targets);
    copy(from.weights, store->weights);
    copy(from.counts, store->counts);
    return store;
}

class ExactGrower {
 public:
    ExactGrower(const TreeData& data, const TreeConfig& config, int threads, Control& control, GrowScratch& scratch)
        : threads_(std::max(1, threads)),
          control_(control),
          data_(data),
          weights_(combine_weights(data)),
          setting_{data_,
                   config,
                   Scorer(config.criterion, log_table(table_size(config)), data.outputs),
                   weights_.total,
                   weights_.rows,
                   {},
                   weights_.unit,
                   0,
                   {},
                   0},
          scan_(scratch.scan),
          partition_(scratch.partition) {
        scan_.resize(std::max(scan_.size(), static_cast<std::size_t>(threads_)));
        partition_.resize(std::max(partition_.size(), static_cast<std::size_t>(threads_)));
        // Fractions that add up to a whole row may fall short of it by their rounding. Whole rows do not: then the
        // least weight is exactly this number, as in scikit-learn, also where 0.1 times 150 is a little more than 15.
        const double least = config.missing == MissingPolicy::fractional ? 1 - 1e-9 : 1.0;
        const double least_weight = config.min_weight_fraction * weights_.total;
        setting_.minimum = weights_.weighted ? Minimum{least * least_weight, least * config.min_rows_leaf}
                                             : Minimum{least * std::max(config.min_rows_leaf, least_weight), 0};
        // Counts are no differences: only errors are the same around any number.
        if (data.classes == 0 && !data.outputs && config.criterion != Criterion::poisson)
            setting_.target_centre = target_centre(data, weights_);
    }

    Tree grow() {
        Tree tree;
        tree.width = data_.outputs ? data_.outputs->values() : std::max<std::size_t>(data_.classes, 1);
        tree.append(1);
        GrowNode root = make_root();
        control_.expect(root.size);
        describe_node(setting_, root, root.store->integral, tree);
        if (!is_terminal(setting_, root)) {
            if (setting_.config.max_leaf_nodes > 0) {
                grow_best_first(std::move(root), tree);
            } else {
                grow_depth_first(std::move(root), tree);
            }
        }
        return compact(tree);
    }

 private:
    std::size_t table_size(const TreeConfig& config) const {
        const bool entropy = config.criterion == Criterion::gain || config.criterion == Criterion::gain_ratio;
        if (!entropy || !weights_.integral || weights_.total > static_cast<double>(largest_table)) return 1;
        return static_cast<std::size_t>(weights_.total);
    }

    GrowNode make_root() {
        const TreeData& data = setting_.data;
        GrowNode root;
        root.store = root_store(data, weights_, setting_.target_centre);
        root.size = static_cast<std::uint32_t>(root.store->rows.size());
        root.key = mix(setting_.config.seed);
        root.sums.assign(std::max<std::size_t>(data.classes, 2), 0.0);
        if (data.classes > 0) root.sums.assign(data.classes, 0.0);
        if (data.outputs) root.sums.assign(data.outputs->sums(), 0.0);
        for (std::uint32_t i = 0; i < root.size; ++i) {
            const double w = root.weights() ? root.weights()[i] : 1.0;
            root.weight += w;
            root.count += root.counts() ? root.counts()[i] : 1.0;
            if (data.outputs) {
                data.outputs->add(root.rows()[i], w, root.sums.data());
            } else if (data.classes > 0) {
                root.sums[root.labels()[i]] += w;
            } else {
                root.sums[0] += w * root.targets()[i];
                root.sums[1] += w * root.targets()[i] * root.targets()[i];
            }
        }
        if (fits_rows(setting_.config.criterion)) fit_node(setting_.config.criterion, data.outputs, root);
        if (!setting_.config.reuse_nominal) root.used.assign(data.categories.size(), false);
        choose_orders(root);
        if (sieves_targets(setting_.context(root))) {
            lay_out_rows();
        } else if (setting_.slots > 0) {
            sort_columns(root);
        } else if (rows_as_weights(root) && payload_suffices(setting_, root)) {
            root.store->packed = true;
            lay_out_rows();
            root.store->labels = {};
            root.store->weights = {};
        }
        return root;
    }

    // Whether whole weights say all that is asked of the number of rows: then rows drawn several times need no counts
    // beside their weights.
    bool rows_as_weights(const GrowNode& root) const {
        return !root.store->weighted || (setting_.config.min_rows_split <= 2 && counts_whole(setting_.context(root)));
    }

    // Keeping a column sorted costs a pass over it per level; with few features per split it is cheaper to sort those
    // few when they are asked for, a column of few values needs no order where whole counts per value do, and of a
    // column that the sieve takes most rows are never sorted, which pays with few classes and complete columns.
    void choose_orders(const GrowNode& root) {
        const TreeData& data = setting_.data;
        const std::size_t features = data.features.size(), wanted = setting_.config.max_features;
        const bool keep = wanted == 0 || wanted * 2 >= features;
        const NodeContext context = setting_.context(root);
        const bool whole = counts_whole(context);
        const bool sieve = sieve_applies(context), weighed = weighs_rows(context);
        setting_.slot.assign(data.values.size(), no_order);
        for (std::uint32_t column = 0; keep && column < data.values.size(); ++column) {
            const bool counted = whole && data.values[column].size() <= few_values && data.complete[column];
            const bool sieved =
                (sieve && sieve_spares_order(context, column)) || (weighed && weighs_column(context, column));
            const bool drawn = draws_counts(context, column) || draws_squares(context, column);
            if (!counted && !sieved && !drawn) setting_.slot[column] = static_cast<std::uint32_t>(setting_.slots++);
        }
    }

    void lay_out_rows() {
        if (data_.rank_rows || !RankRows::worthwhile(data_, setting_.config.max_features)) return;
        rank_rows_.emplace(data_, threads_);
        data_.rank_rows = rank_rows_->ranks.data();
        data_.rank_stride = rank_rows_->stride;
    }

    // Below nodes whose features were sieved, orders are kept from where a node is too small for it.
    void prepare(GrowNode& node) {
        if (setting_.slots == 0 || node.store->orders || node.size > fewest_sieved_targets) return;
        node.store = own_store(node);
        node.start = 0;
        sort_columns(node);
    }

    // The node has its store for itself.
    void sort_columns(GrowNode& root) {
        root.store->orders = make_large_array<std::uint32_t>(root.store->capacity * setting_.slots);
        root.known.assign(setting_.slots, 0);
        root.store->labelled = counts_whole(setting_.config, *root.store) && root.store->count_bits == 0 &&
                               setting_.data.classes <= most_entry_labels && root.size <= 1u << entry_label_shift;
        const bool keep_constant = setting_.config.missing != MissingPolicy::fractional;
        parallel_for(threads_, setting_.slot.size(), [&](std::size_t column, int) {
            control_.check();
            const std::uint32_t slot = setting_.slot[column];
            if (slot == no_order) return;
            const KeptOrder kept =
                order_root(setting_.data, static_cast<std::uint32_t>(column), root, root.order(slot));
            const bool useful = kept.distinct > 1 || (kept.distinct == 1 && keep_constant && kept.length < root.size);
            root.known[slot] = useful ? kept.length : 0;
        });
    }

    // Splits nodes until the list is empty or, with other threads at hand, only small nodes are left, which are
    // returned as tasks.
    std::vector<GrowNode> drain(std::vector<GrowNode> open, std::uint32_t task_rows, const Team& team, Tree& tree) {
        std::vector<GrowNode> tasks;
        while (!open.empty()) {
            control_.check();
            GrowNode node = std::move(open.back());
            open.pop_back();
            if (node.size <= task_rows) {
                tasks.push_back(std::move(node));
                continue;
            }
            prepare(node);
            if (const auto candidate = find_split(setting_, node, team)) {
                auto children = apply_split(setting_, node, *candidate, team, tree);
                std::uint32_t kept = 0;
                for (const GrowNode& child : children) kept += child.size;
                if (kept < node.size) control_.advance(node.size - kept);
                // The first child is worked on first; releasing the parent here keeps one path's rows alive only.
                for (auto child = children.rbegin(); child != children.rend(); ++child)
                    open.push_back(std::move(*child));
            } else {
                control_.advance(node.size);
            }
        }
        return tasks;
    }

    void grow_depth_first(GrowNode root, Tree& tree) {
        const bool share = threads_ > 1 && !inside_parallel();
        const std::uint32_t task_rows =
            share ? std::max<std::uint32_t>(512, root.size / (8u * static_cast<std::uint32_t>(threads_))) : 0;
        std::vector<GrowNode> open;
        open.push_back(std::move(root));
        std::vector<GrowNode> tasks = drain(std::move(open), task_rows, {threads_, scan_, partition_}, tree);
        std::stable_sort(tasks.begin(), tasks.end(),
                         [](const GrowNode& a, const GrowNode& b) { return a.size > b.size; });
        std::vector<Tree> grown(tasks.size());
        std::vector<std::int32_t> at;
        at.reserve(tasks.size());
        for (const GrowNode& task : tasks) at.push_back(task.id);
        parallel_for(threads_, tasks.size(), [&](std::size_t i, int worker) {
            Tree& fragment = grown[i];
            fragment.width = tree.width;
            GrowNode node = std::move(tasks[i]);
            node.id = fragment.append(1);
            describe_node(setting_, node, node.store->integral, fragment);
            std::vector<GrowNode> start;
            start.push_back(std::move(node));
            const auto own = static_cast<std::size_t>(worker);
            drain(std::move(start), 0, {1, std::span(scan_).subspan(own, 1), std::span(partition_).subspan(own, 1)},
                  fragment);
        });
        for (std::size_t i = 0; i < grown.size(); ++i) graft(grown[i], at[i], tree);
    }

    // The split that lowers the whole impurity most comes first, until the leaves are used up.
    void grow_best_first(GrowNode root, Tree& tree) {
        struct Pending {
            double worth;
            std::uint64_t order;
            std::size_t index;
            bool operator<(const Pending& other) const {
                return worth != other.worth ? worth < other.worth : order > other.order;
            }
        };
        const Team team{threads_, scan_, partition_};
        std::vector<std::pair<GrowNode, Candidate>> store;
        std::priority_queue<Pending> frontier;
        std::uint64_t order = 0;
        const auto consider = [&](GrowNode node) {
            prepare(node);
            const auto candidate = find_split(setting_, node, team);
            if (!candidate) return;
            frontier.push({candidate->gain * node.weight, order++, store.size()});
            store.emplace_back(std::move(node), *candidate);
        };
        consider(std::move(root));
        std::size_t leaves = 1;
        while (!frontier.empty()) {
            control_.check();
            const Pending next = frontier.top();
            frontier.pop();
            GrowNode node = std::move(store[next.index].first);
            auto children = apply_split(setting_, node, store[next.index].second, team, tree);
            leaves += static_cast<std::size_t>(tree.n_children[static_cast<std::size_t>(node.id)]) - 1;
            if (leaves >= setting_.config.max_leaf_nodes) break;
            for (GrowNode& child : children) consider(std::move(child));
        }
    }

    int threads_;
    Control& control_;
    TreeData data_;
    std::optional<RankRows> rank_rows_;
    RowWeights weights_;
    GrowSetting setting_;
    std::vector<ScanScratch>& scan_;
    std::vector<PartitionScratch>& partition_;
};

}  // namespace

Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control) {
    GrowScratch scratch;
    return grow_tree(data, config, threads, control, scratch);
}

Tree grow_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control, GrowScratch& scratch) {
    if (data.complete.size() != data.values.size()) {
        TreeData looked_at = data;
        find_complete(looked_at, threads);
        return grow_tree(looked_at, config, threads, control, scratch);
    }
    if (config.max_bins == 0 || data.values.empty()) return ExactGrower(data, config, threads, control, scratch).grow();
    const BinnedColumns binned = bin_columns(data, config.max_bins, threads);
    TreeData coarse = binned.view(data);
    coarse.orders = nullptr;  // those of the exact ranks
    return ExactGrower(coarse, config, threads, control, scratch).grow();
}

// Pruning comes right after growth, because the rows are at hand and already checked: a trip of the tree to Python and
// back would check every rank of the table again.
Tree learn_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control) {
    Tree tree = grow_tree(data, config, threads, control);
    switch (config.pruning) {
        case Pruning::pessimistic:
            return prune_pessimistic(tree, config.epsilon);
        case Pruning::error_based:
            return prune_error_based(tree, data, config.criterion, config.confidence, config.subtree_raising, threads,
                                     control);
        default:
            return tree;
    }
}

}  // namespace vaglio::tree
