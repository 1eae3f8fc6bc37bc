#include "additive/columns.hpp"

#include <cstring>

#include "base/compiler.hpp"

namespace vaglio::additive {
namespace {

using boosting::GradientSums;
using boosting::RowGradient;

// So many columns are read side by side: what belongs to a row is then read and written once for all of them.
constexpr std::size_t most = 4;

// Both sums of a slot in one addition, where the compiler has vectors: it does not find this by itself.
VAGLIO_INLINE void add_to(GradientSums* slot, const GradientSums& sums) {
#if defined(__GNUC__)
    using Both __attribute__((vector_size(sizeof(GradientSums)))) = long long;
    Both own, more;
    std::memcpy(&own, slot, sizeof own);
    std::memcpy(&more, &sums, sizeof more);
    own += more;
    std::memcpy(static_cast<void*>(slot), &own, sizeof own);
#else
    *slot += sums;
#endif
}

template <class Slot>
const Slot* slots_of(const SlotColumn& column, std::size_t first) {
    return static_cast<const Slot*>(column.data) + first;
}

template <class Slot, std::size_t count>
void work(const ColumnValues* columns, std::size_t first, std::size_t rows, double* to) {
    const Slot* slots[count];
    const double* values[count];
    for (std::size_t c = 0; c < count; ++c) {
        slots[c] = slots_of<Slot>(columns[c].column, first);
        values[c] = columns[c].values;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = to[i];
#pragma GCC unroll 4
        for (std::size_t c = 0; c < count; ++c) sum += values[c][slots[c][i]];
        to[i] = sum;
    }
}

// Columns of bytes often have few slots, and one addition to a slot waits for the one before it: every other row is
// added to a second copy of the slots.
constexpr std::size_t byte_slots = 256;
template <class Slot>
constexpr bool twice = sizeof(Slot) == 1;

template <class Slot, std::size_t count>
void work(const ColumnSums* columns, std::size_t first, std::size_t rows, const RowGradient* derivatives) {
    const Slot* slots[count];
    GradientSums *sums[count], *others[count];
    GradientSums copies[twice<Slot> ? count * byte_slots : 1];
    for (std::size_t c = 0; c < count; ++c) {
        slots[c] = slots_of<Slot>(columns[c].column, first);
        sums[c] = columns[c].sums;
        others[c] = twice<Slot> ? copies + c * byte_slots : sums[c];
    }
    const auto add = [&](std::size_t i, GradientSums* const* to) {
        const GradientSums own{derivatives[i].gradient, derivatives[i].hessian};
#pragma GCC unroll 4
        for (std::size_t c = 0; c < count; ++c) add_to(to[c] + slots[c][i], own);
    };
    std::size_t i = 0;
    for (; i + 2 <= rows; i += 2) {
        add(i, sums);
        add(i + 1, others);
    }
    if (i < rows) add(i, sums);
    for (std::size_t c = 0; twice<Slot> && c < count; ++c) {
        for (std::size_t slot = 0; slot < columns[c].column.slots; ++slot) add_to(sums[c] + slot, others[c][slot]);
    }
}

template <class Slot, class Columns, class Rows>
void work_on(const Columns* columns, std::size_t count, std::size_t first, std::size_t rows, Rows* of_rows) {
    switch (count) {
        case 1:
            return work<Slot, 1>(columns, first, rows, of_rows);
        case 2:
            return work<Slot, 2>(columns, first, rows, of_rows);
        case 3:
            return work<Slot, 3>(columns, first, rows, of_rows);
        default:
            return work<Slot, most>(columns, first, rows, of_rows);
    }
}

// Takes the columns in their order, as many of one width together as there are and as may be.
template <class Columns, class Rows>
void in_turn(std::span<const Columns> columns, std::size_t first, std::size_t rows, Rows* of_rows) {
    for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
        const bool wide = columns[begin].column.wide;
        while (end < columns.size() && end - begin < most && columns[end].column.wide == wide) ++end;
        if (wide) {
            work_on<std::uint16_t>(&columns[begin], end - begin, first, rows, of_rows);
        } else {
            work_on<std::uint8_t>(&columns[begin], end - begin, first, rows, of_rows);
        }
    }
}

}  // namespace

void add_values(std::span<const ColumnValues> columns, std::size_t first, std::size_t rows, double* to) {
    in_turn(columns, first, rows, to);
}

void add_derivatives(std::span<const ColumnSums> columns, std::size_t first, std::size_t rows,
                     const RowGradient* derivatives) {
    in_turn(columns, first, rows, derivatives);
}

}  // namespace vaglio::additive
