// Class sums per category of a nominal feature, in one pass over the rows of a node.
#include <algorithm>
#include <bit>

#include "tree/loss/categories.hpp"
#include "tree/split/chance.hpp"
#include "tree/split/nominal.hpp"

namespace vaglio::tree {
namespace {

constexpr std::uint32_t unseen = UINT32_MAX;
constexpr std::size_t mask_bits = 64;

template <class T>
void make_room(std::vector<T>& memory, std::size_t size) {
    if (memory.size() < size) memory.resize(size);
}

// Whether weights add up without rounding, in any order: those of the payload, or multiples of a power of two.
bool counts_exactly(const NodeContext& context) {
    return counts_rows(context) || (!context.regression() && context.node.store->exact_units > 0);
}

// Weights that are whole in some unit: class by class, the weight of a slot in the lower bits of a word and its rows in
// the upper ones. Neighbouring rows count apart, so that equal categories do not wait for one another. The counters are
// zero before and after, so that a small node pays for its rows and not for the categories that it does not have.
class SlotCounter {
 public:
    SlotCounter(const NodeContext& context, std::int32_t feature, std::size_t slots, ScanScratch& scratch)
        : node_(context.node),
          scratch_(scratch),
          width_(context.width()),
          squares_(context.node.weighs() && is_guarded(context, feature)),
          by_payload_(counts_rows(context)),
          row_shift_(by_payload_ ? 32 : exact_weight_bits),
          units_(by_payload_ ? 1 : context.node.store->exact_units) {
        make_room(scratch.cells, 2 * slots * width_);
        make_room(scratch.category_sums, slots * width_);
        make_room(scratch.category_weight, slots);
        if (squares_) make_room(scratch.cell_squares, slots);
        if (node_.weighs()) make_room(scratch.category_squares, slots);
        if (node_.store->weighted) make_room(scratch.category_rows, slots);
    }

    // The slots that have rows, as bits, if there are no more than bits in a word.
    template <class SlotOf>
    std::uint64_t count(SlotOf slot_of) {
        if (by_payload_) {
            const std::uint32_t* payload = node_.payload();
            const int count_bits = node_.store->count_bits;
            const std::uint32_t count_mask = (1u << count_bits) - 1, unit = count_bits == 0;
            return add(slot_of, [=](std::uint32_t i) {
                return LabelledWeight{payload[i] >> count_bits, (payload[i] & count_mask) | unit};
            });
        }
        const double *weights = node_.weights(), units = units_;
        const Label* labels = node_.labels();
        return add(slot_of, [=](std::uint32_t i) {
            return LabelledWeight{labels[i], static_cast<std::uint64_t>(weights[i] * units)};
        });
    }

    bool has_rows(std::size_t slot) const {
        const std::uint64_t* first = &scratch_.cells[2 * slot * width_];
        return std::any_of(first, first + 2 * width_, [](std::uint64_t cell) { return cell != 0; });
    }

    // What was counted of a slot becomes the sums of the slot `to`, which is the same or one before it.
    void take(std::size_t slot, std::size_t to) {
        std::uint64_t* cells = &scratch_.cells[2 * slot * width_];
        const std::uint64_t weight_mask = (std::uint64_t{1} << row_shift_) - 1;
        std::uint64_t all = 0;
        for (std::size_t c = 0; c < width_; ++c) {
            const std::uint64_t both = cells[2 * c] + cells[2 * c + 1];
            cells[2 * c] = cells[2 * c + 1] = 0;
            scratch_.category_sums[to * width_ + c] = static_cast<double>(both & weight_mask) / units_;
            all += both;
        }
        scratch_.category_weight[to] = static_cast<double>(all & weight_mask) / units_;
        if (node_.store->weighted) scratch_.category_rows[to] = static_cast<double>(all >> row_shift_);
        if (!squares_) return;
        scratch_.category_squares[to] = scratch_.cell_squares[slot];
        scratch_.cell_squares[slot] = 0;
    }

 private:
    struct LabelledWeight {
        std::size_t label;
        std::uint64_t weight;  // in units
    };

    template <class SlotOf, class RowAt>
    std::uint64_t add(SlotOf slot_of, RowAt row_at) {
        const std::size_t width = width_;
        const std::uint64_t one_row = std::uint64_t{1} << row_shift_;
        std::uint64_t* cells = scratch_.cells.data();
        double* squares = squares_ ? scratch_.cell_squares.data() : nullptr;
        std::uint64_t present = 0;
        for (std::uint32_t i = 0; i < node_.size; ++i) {
            const std::size_t slot = slot_of(i);
            const LabelledWeight row = row_at(i);
            cells[2 * (slot * width + row.label) + (i & 1)] += row.weight | one_row;
            if (squares) {
                const double weight = static_cast<double>(row.weight) / units_;
                squares[slot] += weight * weight;
            }
            present |= std::uint64_t{1} << (slot % mask_bits);
        }
        return present;
    }

    const GrowNode& node_;
    ScanScratch& scratch_;
    std::size_t width_;
    bool squares_;  // the correction for chance will ask for squared weights
    bool by_payload_;
    int row_shift_;
    double units_;  // of a weight of one
};

// Sums and weights of `slots` slots, and which have rows; slot_of(i) is that of row i of the node. Squared weights are
// summed where the correction for chance will ask for them.
template <class SlotOf>
void sum_slots(const NodeContext& context, std::int32_t feature, std::size_t slots, ScanScratch& scratch,
               SlotOf slot_of) {
    const GrowNode& node = context.node;
    const double* weights = node.weights();
    const bool weighted = node.store->weighted, squares = weights && is_guarded(context, feature);
    const std::size_t width = context.width();
    scratch.category_sums.assign(slots * width, 0.0);
    scratch.category_weight.assign(slots, 0.0);
    if (weights) scratch.category_squares.assign(slots, 0.0);
    if (weighted) scratch.category_rows.assign(slots, 0.0);
    scratch.present.assign(slots, 0);
    double *sums = scratch.category_sums.data(), *total = scratch.category_weight.data();
    double *square = scratch.category_squares.data(), *rows = scratch.category_rows.data();
    const double *counts = node.counts(), *targets = context.regression() ? node.targets() : nullptr;
    const Label* labels = node.labels();
    std::uint8_t* present = scratch.present.data();
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::size_t slot = slot_of(i);
        present[slot] = 1;
        const double w = weights ? weights[i] : 1.0;
        total[slot] += w;
        if (squares) square[slot] += w * w;
        if (weighted) rows[slot] += counts ? counts[i] : 1.0;
        if (targets) {
            sums[slot * width] += w * targets[i];
            sums[slot * width + 1] += w * targets[i] * targets[i];
        } else {
            sums[slot * width + labels[i]] += w;
        }
    }
}

// Moves what was summed of a slot to one before it.
void move_slot(const NodeContext& context, std::size_t slot, std::size_t to, ScanScratch& scratch) {
    const std::size_t width = context.width();
    std::copy_n(&scratch.category_sums[slot * width], width, &scratch.category_sums[to * width]);
    scratch.category_weight[to] = scratch.category_weight[slot];
    if (context.node.weights()) scratch.category_squares[to] = scratch.category_squares[slot];
    if (context.node.store->weighted) scratch.category_rows[to] = scratch.category_rows[slot];
}

// A slot for every category, and then the empty ones are closed up: one pass over the rows.
Slots gather_few(const NodeContext& context, std::int32_t feature, const std::int32_t* codes, std::uint32_t categories,
                 ScanScratch& scratch) {
    const std::uint32_t* rows = context.node.rows();
    const auto slot_of = [=](std::uint32_t i) {
        return std::min(static_cast<std::uint32_t>(codes[rows[i]]), categories);  // negative: the last
    };
    Slots slots;
    scratch.seen.clear();
    const auto close_up = [&](std::size_t code, const auto& take) {
        take(code, slots.known++);
        scratch.seen.push_back(static_cast<std::uint32_t>(code));
    };
    if (counts_exactly(context)) {
        SlotCounter counter(context, feature, categories + 1u, scratch);
        std::uint64_t present = counter.count(slot_of);
        const auto take = [&](std::size_t slot, std::size_t to) { counter.take(slot, to); };
        slots.any_unknown = counter.has_rows(categories);
        if (categories < mask_bits) {
            for (present &= (std::uint64_t{1} << categories) - 1; present; present &= present - 1)
                close_up(static_cast<std::size_t>(std::countr_zero(present)), take);
        } else {
            for (std::size_t code = 0; code < categories; ++code)
                if (counter.has_rows(code)) close_up(code, take);
        }
        counter.take(categories, slots.known);
        return slots;
    }
    sum_slots(context, feature, categories + 1u, scratch, slot_of);
    const auto take = [&](std::size_t slot, std::size_t to) { move_slot(context, slot, to, scratch); };
    slots.any_unknown = scratch.present[categories] != 0;
    for (std::size_t code = 0; code < categories; ++code)
        if (scratch.present[code]) close_up(code, take);
    move_slot(context, categories, slots.known, scratch);
    return slots;
}

// Slots for the categories that occur, which takes a pass to find out. Only what is touched is cleared, so that a
// feature of ten thousand categories costs a small node no more than its rows.
Slots gather_many(const NodeContext& context, std::int32_t feature, const std::int32_t* codes, std::uint32_t categories,
                  ScanScratch& scratch) {
    const std::uint32_t* rows = context.node.rows();
    if (scratch.slot_of.size() < categories) scratch.slot_of.resize(categories, unseen);
    auto& seen = scratch.seen;
    seen.clear();
    Slots slots;
    for (std::uint32_t i = 0; i < context.node.size; ++i) {
        const std::int32_t code = codes[rows[i]];
        if (code < 0) {
            slots.any_unknown = true;
        } else if (scratch.slot_of[static_cast<std::size_t>(code)] == unseen) {
            scratch.slot_of[static_cast<std::size_t>(code)] = 0;
            seen.push_back(static_cast<std::uint32_t>(code));
        }
    }
    std::sort(seen.begin(), seen.end());
    for (std::uint32_t s = 0; s < seen.size(); ++s) scratch.slot_of[seen[s]] = s;
    slots.known = seen.size();
    const auto slot_of = [&](std::uint32_t i) {
        const std::int32_t code = codes[rows[i]];
        return code < 0 ? slots.known : scratch.slot_of[static_cast<std::size_t>(code)];
    };
    if (counts_exactly(context)) {
        SlotCounter counter(context, feature, seen.size() + 1, scratch);
        counter.count(slot_of);
        for (std::size_t slot = 0; slot <= slots.known; ++slot) counter.take(slot, slot);
    } else {
        sum_slots(context, feature, seen.size() + 1, scratch, slot_of);
    }
    for (const std::uint32_t code : seen) scratch.slot_of[code] = unseen;
    return slots;
}

}  // namespace

bool counts_rows(const NodeContext& context) {
    const GrowNode& node = context.node;
    return !node.store->payload.empty() && node.store->counts.empty() && node.weight < UINT32_MAX;
}

Slots gather_slots(const NodeContext& context, std::int32_t feature, ScanScratch& scratch) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    const std::int32_t* codes = context.data.code_column(column);
    const std::uint32_t categories = context.data.categories[column];
    // Counters that stay zero, and a word that says which categories occur, cost nothing to begin with.
    const bool cheap = categories < mask_bits && counts_exactly(context);
    Slots slots = cheap || categories <= std::max<std::uint32_t>(context.node.size, 16)
                      ? gather_few(context, feature, codes, categories, scratch)
                      : gather_many(context, feature, codes, categories, scratch);
    slots.unknown = scratch.category_weight[slots.known];
    if (context.by_medians()) group_rows(context, {codes, context.data.rows}, scratch);
    return slots;
}

}  // namespace vaglio::tree
