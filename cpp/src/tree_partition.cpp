#include "vaglio/tree_partition.hpp"

#include <algorithm>
#include <cstring>

#include "vaglio/parallel.hpp"

namespace vaglio {
namespace {

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

// One stable pass over a column's order. An entry that opens a new value does so for every branch, whichever
// branch the row itself goes to: `carried` keeps the mark until the branch's next entry.
void split_order_two(const std::uint32_t* order, std::uint32_t length, const std::uint32_t* target, std::uint32_t* left,
                     std::uint32_t* right, std::uint32_t lengths[2], bool changes[2]) {
    std::uint32_t l = 0, r = 0, left_mark = 0, right_mark = 0, left_seen = 0, right_seen = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t entry = order[i], to = target[entry & position_mask];
        const std::uint32_t side = to >> 31, mark = entry & new_value;
        left_mark |= mark;
        right_mark |= mark;
        left[l] = (to & position_mask) | left_mark;
        right[r] = (to & position_mask) | right_mark;
        left_seen |= l > 0 && side == 0 ? left_mark : 0;
        right_seen |= r > 0 && side == 1 ? right_mark : 0;
        left_mark &= 0u - side;
        right_mark &= side - 1u;
        l += 1 - side;
        r += side;
    }
    lengths[0] = l;
    lengths[1] = r;
    changes[0] = left_seen != 0;
    changes[1] = right_seen != 0;
}

void set_known(GrowNode& child, std::size_t column, std::uint32_t length, bool changes, bool keep_constant) {
    const bool useful = changes || (keep_constant && length < child.size && length > 0);
    child.known[column] = useful ? length : 0;
}

class OrderMover {
 public:
    OrderMover(const GrowNode& node, const Moves& moves, const std::vector<bool>& wanted, bool keep_constant,
               std::vector<std::uint32_t>& target, Partition& partition)
        : node_(node),
          moves_(moves),
          wanted_(wanted),
          keep_constant_(keep_constant),
          partition_(partition),
          target_(target) {
        target_.clear();
        if (partition.branches == 2 && !partition.spread) {
            target_.resize(node.size);
            for (std::uint32_t i = 0; i < node.size; ++i)
                target_[i] = moves.position[i] | static_cast<std::uint32_t>(partition.branch[i]) << 31;
        }
    }

    void move(std::size_t column, PartitionScratch& scratch) const {
        if (node_.known[column] == 0) return;
        if (!target_.empty()) {
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
        std::uint32_t lengths[2];
        bool changes[2];
        split_order_two(order, length, target_.data(), order, scratch.entries.data(), lengths, changes);
        std::memcpy(order + partition_.children[0].size, scratch.entries.data(), lengths[1] * sizeof(std::uint32_t));
        for (std::size_t b = 0; b < 2; ++b)
            if (wanted_[b]) set_known(partition_.children[b], column, lengths[b], changes[b], keep_constant_);
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
        const auto put = [&](std::size_t b, std::uint32_t position) {
            if (!out[b]) return;
            if (length[b] > 0) seen[b] |= mark[b];
            out[b][length[b]++] = position | mark[b];
            mark[b] = 0;
        };
        for (std::uint32_t i = 0; i < node_.known[column]; ++i) {
            const std::uint32_t entry = order[i], row = entry & position_mask;
            if (entry & new_value) std::fill(mark.begin(), mark.end(), new_value);
            const std::int32_t b = partition_.branch[row];
            if (b >= 0) {
                put(static_cast<std::size_t>(b), moves_.position[row]);
            } else {
                for (std::size_t all = 0; all < branches; ++all)
                    put(all, moves_.shared_position[all][moves_.position[row]]);
            }
        }
        if (!partition_.spread) std::memcpy(node_.order(c), scratch.entries.data(), node_.size * sizeof(std::uint32_t));
        for (std::size_t b = 0; b < branches; ++b)
            if (wanted_[b]) set_known(partition_.children[b], column, length[b], seen[b] != 0, keep_constant_);
    }

    const GrowNode& node_;
    const Moves& moves_;
    const std::vector<bool>& wanted_;
    bool keep_constant_;
    Partition& partition_;
    std::vector<std::uint32_t>& target_;
};

// Rows that go into several branches: each child that will be split again gets a store of its own.
void fill_own_stores(const GrowNode& node, const std::vector<bool>& wanted, std::size_t slots, Partition& partition) {
    const RowStore& from = *node.store;
    for (std::size_t b = 0; b < partition.children.size(); ++b) {
        if (!wanted[b]) continue;
        GrowNode& child = partition.children[b];
        auto store = std::make_shared<RowStore>();
        store->capacity = child.size;
        store->integral = false;
        store->rows.reserve(child.size);
        store->weights.reserve(child.size);
        for (std::uint32_t i = 0; i < node.size; ++i) {
            const std::int32_t branch = partition.branch[i];
            if (branch >= 0 && branch != static_cast<std::int32_t>(b)) continue;
            const double w = node.weights() ? node.weights()[i] : 1.0;
            store->rows.push_back(node.rows()[i]);
            store->weights.push_back(branch >= 0 ? w : w * partition.share[b]);
            if (!from.labels.empty()) store->labels.push_back(node.labels()[i]);
            if (!from.targets.empty()) store->targets.push_back(node.targets()[i]);
        }
        if (from.orders) store->orders = std::make_unique_for_overwrite<std::uint32_t[]>(child.size * slots);
        child.store = std::move(store);
        child.start = 0;
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
    std::size_t start = node.start;
    for (GrowNode& child : partition.children) {
        child.store = node.store;
        child.start = start;
        start += child.size;
    }
}

}  // namespace

void measure_branches(const GrowNode& node, bool regression, Partition& partition) {
    const auto branches = static_cast<std::size_t>(partition.branches);
    partition.children.resize(branches);
    for (GrowNode& child : partition.children) child.sums.assign(node.sums.size(), 0.0);
    std::vector<double> spread_sums(node.sums.size(), 0.0);
    double spread_weight = 0, known = 0;
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
        } else {
            spread_weight += w;
            ++spread_rows;
        }
        if (regression) {
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
        for (std::size_t c = 0; c < spread_sums.size(); ++c) child.sums[c] += spread_sums[c] * partition.share[b];
    }
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
    Moves moves = place_rows(node, partition, scratch[0]);
    for (std::size_t b = 0; b < wanted.size(); ++b)
        if (wanted[b]) partition.children[b].known.assign(slots, 0);
    const OrderMover mover(node, moves, wanted, keep_constant, scratch[0].target, partition);
    parallel_for(threads, slots, [&](std::size_t column, int worker) {
        mover.move(column, scratch[static_cast<std::size_t>(worker)]);
    });
    scratch[0].position = std::move(moves.position);
}

}  // namespace vaglio
