// Rows are moved within their store where every row goes to one branch. Where rows go to several branches, the children
// get stores of their own.
#include "tree/partition/partition.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "tree/partition/order_split.hpp"
#include "tree/table/outputs.hpp"

namespace vaglio::tree {
namespace {

const auto mark_sides = VAGLIO_LEVELS(mark_sides).best();
const auto split_by_blocks = VAGLIO_LEVELS(split_by_blocks).best();
const auto split_by_places = VAGLIO_LEVELS(split_by_places).best();

// Where each row of the node goes: its position within the child, by branch.
struct Moves {
    std::vector<std::uint32_t> position;  // in the one branch, or among the rows that go into every branch
    std::vector<std::vector<std::uint32_t>> shared_position;  // per branch and place
};

Moves place_rows(const GrowNode& node, const Partition& partition, PartitionScratch& scratch) {
    Moves moves;
    moves.position = std::move(scratch.position);
    moves.position.resize(node.size);
    std::vector<std::uint32_t> next(static_cast<std::size_t>(partition.branches), 0);
    if (partition.spread) moves.shared_position.resize(next.size());
    std::uint32_t shared = 0;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::int32_t b = partition.branch[i];
        if (b >= 0) {
            moves.position[i] = next[static_cast<std::size_t>(b)]++;
            continue;
        }
        moves.position[i] = shared++;
        for (std::size_t c = 0; c < next.size(); ++c) moves.shared_position[c].push_back(next[c]++);
    }
    return moves;
}

template <class T>
void reorder(T* data, const GrowNode& node, const Partition& partition, std::vector<T>& buffer) {
    std::vector<std::size_t> next(partition.children.size());
    std::size_t start = 0;
    for (std::size_t b = 0; b < next.size(); ++b) {
        next[b] = start;
        start += partition.children[b].size;
    }
    if (buffer.size() < node.size) buffer.resize(node.size);
    for (std::uint32_t i = 0; i < node.size; ++i)
        buffer[next[static_cast<std::size_t>(partition.branch[i])]++] = data[i];
    std::copy_n(buffer.begin(), node.size, data);
}

void set_known(GrowNode& child, std::size_t column, std::uint32_t length, bool changes, bool keep_constant) {
    const bool useful = changes || (keep_constant && length < child.size && length > 0);
    child.known[column] = useful ? length : 0;
}

class OrderMover {
 public:
    OrderMover(const GrowNode& node, const std::vector<bool>& wanted, bool keep_constant, PartitionScratch& shared,
               Partition& partition)
        : node_(node), wanted_(wanted), keep_constant_(keep_constant), partition_(partition), shared_(shared) {
        two_ = partition.branches == 2 && !partition.spread;
        large_ = two_ && node.size >= blocks_from;
        if (large_) {
            shared.sides.resize((node.size + 63u) / 64);
            mark_sides(partition.branch.data(), node.size, shared.sides.data());
            return;
        }
        moves_ = place_rows(node, partition, shared);
        if (two_)
            for (std::uint32_t i = 0; i < node.size; ++i)
                moves_.position[i] |= static_cast<std::uint32_t>(partition.branch[i]) << 31;
    }
    ~OrderMover() {
        if (!large_) shared_.position = std::move(moves_.position);
    }
    OrderMover(const OrderMover&) = delete;
    OrderMover& operator=(const OrderMover&) = delete;

    void move(std::size_t column, PartitionScratch& scratch) const {
        if (node_.known[column] == 0) return;
        if (two_) {
            move_two(column, scratch);
        } else {
            move_many(column, scratch);
        }
    }

 private:
    void move_two(std::size_t column, PartitionScratch& scratch) const {
        const std::uint32_t length = node_.known[column];
        std::uint32_t* order = node_.order(static_cast<std::uint32_t>(column));
        if (scratch.entries.size() < length + 1u) scratch.entries.resize(length + 1u);
        const OrderSplit split{
            order, length, node_.entry_position_mask(), node_.entry_label_mask(), order, scratch.entries.data()};
        const SplitLengths halves =
            large_ ? split_by_blocks(split, shared_.sides.data()) : split_by_places(split, moves_.position.data());
        std::memcpy(order + partition_.children[0].size, scratch.entries.data(),
                    halves.length[1] * sizeof(std::uint32_t));
        for (std::size_t b = 0; b < 2; ++b)
            if (wanted_[b])
                set_known(partition_.children[b], column, halves.length[b], halves.changes[b], keep_constant_);
    }

    // Any number of branches, rows in several of them included. Without such rows the children share the parent's
    // store, so the entries pass through a buffer.
    void move_many(std::size_t column, PartitionScratch& scratch) const {
        const auto c = static_cast<std::uint32_t>(column);
        const std::size_t branches = partition_.children.size();
        const std::uint32_t* order = node_.order(c);
        std::vector<std::uint32_t*> out(branches, nullptr);
        std::vector<std::uint32_t> length(branches, 0), mark(branches, 0), seen(branches, 0);
        if (scratch.entries.size() < node_.size) scratch.entries.resize(node_.size);
        std::size_t start = 0;
        for (std::size_t b = 0; b < branches; ++b) {
            if (partition_.spread) {
                if (wanted_[b]) out[b] = partition_.children[b].order(c);
            } else {
                out[b] = scratch.entries.data() + start;
                start += partition_.children[b].size;
            }
        }
        // Rows that go into several branches no longer count one, so their classes are not written on.
        const std::uint32_t positions = node_.entry_position_mask();
        const std::uint32_t labels = partition_.spread ? 0 : node_.entry_label_mask();
        const auto put = [&](std::size_t b, std::uint32_t moved) {
            if (!out[b]) return;
            if (length[b] > 0) seen[b] |= mark[b];
            out[b][length[b]++] = moved | mark[b];
            mark[b] = 0;
        };
        for (std::uint32_t i = 0; i < node_.known[column]; ++i) {
            const std::uint32_t entry = order[i], row = entry & positions;
            if (entry & new_value) std::fill(mark.begin(), mark.end(), new_value);
            const std::int32_t b = partition_.branch[row];
            if (b >= 0) {
                put(static_cast<std::size_t>(b), moves_.position[row] | (entry & labels));
            } else {
                for (std::size_t all = 0; all < branches; ++all)
                    put(all, moves_.shared_position[all][moves_.position[row]]);
            }
        }
        if (!partition_.spread) std::memcpy(node_.order(c), scratch.entries.data(), node_.size * sizeof(std::uint32_t));
        for (std::size_t b = 0; b < branches; ++b)
            if (wanted_[b]) set_known(partition_.children[b], column, length[b], seen[b] != 0, keep_constant_);
    }

    // From so many rows on, their places no longer fit the cache nearest to a core.
    static constexpr std::uint32_t blocks_from = 1u << 16;

    const GrowNode& node_;
    const std::vector<bool>& wanted_;
    bool keep_constant_, two_, large_;
    Partition& partition_;
    PartitionScratch& shared_;
    Moves moves_;
};

// Room for the rows of a child that gets a store of its own.
std::shared_ptr<RowStore> make_own_store(const RowStore& from, std::uint32_t size, std::size_t slots) {
    auto store = std::make_shared<RowStore>();
    store->capacity = size;
    store->integral = false;
    store->weighted = from.weighted;
    store->rows.resize(size);
    store->weights.resize(size);
    if (from.weighted) store->counts.resize(size);
    if (!from.labels.empty()) store->labels.resize(size);
    if (!from.targets.empty()) store->targets.resize(size);
    if (from.orders) store->orders = make_large_array<std::uint32_t>(size * slots);
    return store;
}

// Rows that go into several branches: each child that will be split again gets a store of its own. One pass over the
// rows fills all of them: a multiway test has many branches.
void fill_own_stores(const GrowNode& node, const std::vector<bool>& wanted, std::size_t slots, Partition& partition) {
    const RowStore& from = *node.store;
    const std::size_t branches = partition.children.size();
    std::vector<RowStore*> to(branches, nullptr);
    std::vector<std::uint32_t> next(branches, 0);
    for (std::size_t b = 0; b < branches; ++b) {
        if (!wanted[b]) continue;
        GrowNode& child = partition.children[b];
        child.store = make_own_store(from, child.size, slots);
        child.start = 0;
        to[b] = child.store.get();
    }
    const auto put = [&](std::size_t b, std::uint32_t i, double share) {
        if (!to[b]) return;
        RowStore& store = *to[b];
        const std::uint32_t at = next[b]++;
        store.rows[at] = node.rows()[i];
        store.weights[at] = (node.weights() ? node.weights()[i] : 1.0) * share;
        if (from.weighted) store.counts[at] = (node.counts() ? node.counts()[i] : 1.0) * share;
        if (!from.labels.empty()) store.labels[at] = node.labels()[i];
        if (!from.targets.empty()) store.targets[at] = node.targets()[i];
    };
    for (std::uint32_t i = 0; i < node.size; ++i) {
        if (const std::int32_t branch = partition.branch[i]; branch >= 0) {
            put(static_cast<std::size_t>(branch), i, 1.0);
        } else {
            for (std::size_t b = 0; b < branches; ++b) put(b, i, partition.share[b]);
        }
    }
}

void reorder_in_place(const GrowNode& node, PartitionScratch& scratch, Partition& partition) {
    RowStore& store = *node.store;
    reorder(store.rows.data() + node.start, node, partition, scratch.words);
    if (!store.payload.empty()) reorder(store.payload.data() + node.start, node, partition, scratch.words);
    if (!store.labels.empty()) {
        reorder(store.labels.data() + node.start, node, partition, scratch.labels);
    }
    if (!store.targets.empty()) reorder(store.targets.data() + node.start, node, partition, scratch.numbers);
    if (!store.weights.empty()) reorder(store.weights.data() + node.start, node, partition, scratch.numbers);
    if (!store.counts.empty()) reorder(store.counts.data() + node.start, node, partition, scratch.numbers);
    std::size_t start = node.start;
    for (GrowNode& child : partition.children) {
        child.store = node.store;
        child.start = start;
        start += child.size;
    }
}

}  // namespace

void measure_branches(const GrowNode& node, const TreeData& data, Partition& partition) {
    const auto branches = static_cast<std::size_t>(partition.branches);
    partition.children.resize(branches);
    for (GrowNode& child : partition.children) child.sums.assign(node.sums.size(), 0.0);
    std::vector<double> spread_sums(node.sums.size(), 0.0);
    double spread_weight = 0, known = 0, spread_count = 0;
    const bool weighted = node.store->weighted;
    const double* counts = node.counts();
    std::uint32_t spread_rows = 0;
    const double* weights = node.weights();
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::int32_t b = partition.branch[i];
        const double w = weights ? weights[i] : 1.0;
        GrowNode* child = b >= 0 ? &partition.children[static_cast<std::size_t>(b)] : nullptr;
        std::vector<double>& sums = child ? child->sums : spread_sums;
        if (child) {
            child->weight += w;
            ++child->size;
            known += w;
            if (weighted) child->count += counts ? counts[i] : 1.0;
        } else {
            spread_weight += w;
            ++spread_rows;
            if (weighted) spread_count += counts ? counts[i] : 1.0;
        }
        if (data.outputs) {
            data.outputs->add(node.rows()[i], w, sums.data());
        } else if (data.classes == 0) {
            const double y = node.targets()[i];
            sums[0] += w * y;
            sums[1] += w * y * y;
        } else {
            sums[node.labels()[i]] += w;
        }
    }
    partition.spread = spread_rows > 0;
    partition.share.assign(branches, 0.0);
    for (std::size_t b = 0; b < branches; ++b) {
        GrowNode& child = partition.children[b];
        partition.share[b] = known > 0 ? child.weight / known : 1.0 / static_cast<double>(branches);
        if (!partition.spread) continue;
        child.size += spread_rows;
        child.weight += spread_weight * partition.share[b];
        child.count += spread_count * partition.share[b];
        for (std::size_t c = 0; c < spread_sums.size(); ++c) child.sums[c] += spread_sums[c] * partition.share[b];
    }
    if (!weighted)
        for (GrowNode& child : partition.children) child.count = child.weight;
}

void move_rows(const GrowNode& node, const std::vector<bool>& wanted, std::size_t slots, bool keep_constant,
               int threads, std::span<PartitionScratch> scratch, Partition& partition) {
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
    const bool orders = node.store->orders != nullptr;
    if (partition.spread) {
        fill_own_stores(node, wanted, slots, partition);
    } else {
        reorder_in_place(node, scratch[0], partition);
    }
    if (!orders) return;
    for (std::size_t b = 0; b < wanted.size(); ++b)
        if (wanted[b]) partition.children[b].known.assign(slots, 0);
    const OrderMover mover(node, wanted, keep_constant, scratch[0], partition);
    parallel_for(threads, slots, [&](std::size_t column, int worker) {
        mover.move(column, scratch[static_cast<std::size_t>(worker)]);
    });
}

}  // namespace vaglio::tree
