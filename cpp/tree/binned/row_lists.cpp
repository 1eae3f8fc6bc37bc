#include "tree/binned/row_lists.hpp"

#include <algorithm>
#include <array>

namespace vaglio::tree {
namespace {

// Rows whose branches are found before their lists are divided.
constexpr std::size_t piece = 4096;

// The rows of the first branch close up in place; those of the others leave it. No branch depends on where a row goes.
template <class T>
void divide(std::vector<T>& list, std::size_t start, std::size_t kept, std::size_t gone,
            std::span<const std::int32_t> branch, Buffer<T>& spare, std::size_t capacity, std::size_t first) {
    if (list.empty()) return;
    T* to = list.data() + start;
    T* away = spare.fit(capacity);
    const T* from = to + first;
    for (std::size_t i = 0; i < branch.size(); ++i) {
        const T value = from[i];
        to[kept] = value;
        away[gone] = value;
        kept += branch[i] == 0;
        gone += branch[i] != 0;
    }
}

// Puts rows that left behind the first branch, branch by branch.
template <class T>
void put_back(std::vector<T>& list, std::size_t start, std::size_t gone, std::span<const std::size_t> place,
              Buffer<T>& spare, const std::int32_t* branch) {
    if (list.empty() || gone == 0) return;
    const T* from = spare.fit(gone);
    T* to = list.data() + start;
    if (place.size() == 2) {
        std::copy_n(from, gone, to + place[1]);
        return;
    }
    std::vector<std::size_t> next(place.begin(), place.end());
    for (std::size_t i = 0; i < gone; ++i) to[next[static_cast<std::size_t>(branch[i])]++] = from[i];
}

// Calls use(list, spare) for each of the lists.
template <class Use>
void each_list(RowLists& lists, SpareRows& spare, Use use) {
    use(lists.rows, spare.rows);
    use(lists.labels, spare.labels);
    use(lists.drawn, spare.drawn);
    use(lists.weights, spare.weights);
    use(lists.counts, spare.counts);
}

}  // namespace

void RowLists::reserve(const BinnedSetting& setting, const BinnedTable& table, bool real, std::size_t size) {
    rows.reserve(size);
    if (table.layout.classes > 0) labels.reserve(size);
    if (real) weights.reserve(size);
    if (!real && !setting.equal()) drawn.reserve(size);
    if (setting.weighted()) counts.reserve(size);
}

void RowLists::append(const BinnedSetting& setting, const BinnedTable& table, const RowsGiven& given, std::size_t begin,
                      std::size_t end) {
    const bool real = !given.weights.empty() || table.weights;
    for (std::size_t row = begin; row < end; ++row) {
        const std::size_t i = row - begin;
        const std::uint16_t times = given.drawn.empty() ? std::uint16_t{1} : given.drawn[i];
        if (times == 0) continue;
        rows.push_back(static_cast<std::uint32_t>(row));
        if (table.layout.classes > 0) labels.push_back(table.labels[row]);
        if (!real && !given.drawn.empty()) drawn.push_back(times);
        if (real) weights.push_back(given.weights.empty() ? table.weights[row] * times : given.weights[i]);
        if (setting.weighted()) counts.push_back(given.counts.empty() ? times : given.counts[i]);
    }
}

RowLists all_rows(const BinnedSetting& setting, const BinnedTable& table, const RowsGiven& given) {
    RowLists lists;
    lists.reserve(setting, table, !given.weights.empty() || table.weights, table.layout.rows);
    lists.append(setting, table, given, 0, table.layout.rows);
    return lists;
}

std::vector<std::size_t> sort_by_branch(RowLists& lists, std::size_t start, std::size_t size,
                                        const BinnedColumn& column, const BranchOf& branch_of, std::size_t branches,
                                        SpareRows& spare) {
    std::vector<std::size_t> sizes(branches, 0);
    std::array<std::int32_t, piece> branch;
    std::int32_t* away = branches > 2 ? spare.branch.fit(size) : nullptr;
    std::size_t gone = 0;
    for (std::size_t first = 0; first < size; first += piece) {
        const std::size_t n = std::min(piece, size - first), kept = sizes[0], left = gone;
        const std::uint32_t* rows = lists.rows.data() + start + first;
        with_codes(column, [&](const auto* codes) {
            for (std::size_t i = 0; i < n; ++i) branch[i] = branch_of(codes[rows[i]]);
        });
        for (std::size_t i = 0; i < n; ++i) {
            ++sizes[static_cast<std::size_t>(branch[i])];
            if (away && branch[i] != 0) away[gone++] = branch[i];
        }
        each_list(lists, spare, [&](auto& list, auto& buffer) {
            divide(list, start, kept, left, std::span(branch).first(n), buffer, size, first);
        });
        gone = first + n - sizes[0];
    }
    std::vector<std::size_t> place(branches, 0);
    for (std::size_t b = 1; b < branches; ++b) place[b] = place[b - 1] + sizes[b - 1];
    each_list(lists, spare, [&](auto& list, auto& buffer) { put_back(list, start, gone, place, buffer, away); });
    return sizes;
}

std::vector<std::shared_ptr<RowLists>> spread_rows(const BinnedSetting& setting, const BinnedTable& table,
                                                   const RowLists& lists, std::size_t start, std::size_t size,
                                                   std::size_t feature, const BranchOf& branch_of,
                                                   std::span<const double> shares) {
    const BinnedColumn& column = table.columns[feature];
    std::vector<std::size_t> sizes(shares.size(), 0);
    std::size_t open = 0;
    for (std::size_t i = start; i < start + size; ++i) {
        const std::int32_t b = branch_of(column.at(lists.rows[i]));
        ++(b >= 0 ? sizes[static_cast<std::size_t>(b)] : open);
    }
    std::vector<std::shared_ptr<RowLists>> branches;
    for (const std::size_t own : sizes) {
        branches.push_back(std::make_shared<RowLists>());
        branches.back()->reserve(setting, table, true, own + open);
    }
    const auto put = [&](std::size_t b, std::size_t i, double weight, double count) {
        if (weight <= 0) return;
        RowLists& to = *branches[b];
        to.rows.push_back(lists.rows[i]);
        if (!lists.labels.empty()) to.labels.push_back(lists.labels[i]);
        to.weights.push_back(weight);
        if (setting.weighted()) to.counts.push_back(count);
    };
    const WeightSummary& amounts = setting.amounts();
    for (std::size_t i = start; i < start + size; ++i) {
        const double times = lists.drawn.empty() ? 1.0 : lists.drawn[i];
        const double weight = lists.weights.empty() ? times : lists.weights[i];
        const double count = lists.counts.empty() ? 0.0 : lists.counts[i];
        const std::int32_t b = branch_of(column.at(lists.rows[i]));
        if (b >= 0) {
            put(static_cast<std::size_t>(b), i, weight, count);
            continue;
        }
        for (std::size_t c = 0; c < shares.size(); ++c)
            put(c, i, amounts.weight(weight * shares[c]), amounts.rows(count * shares[c]));
    }
    return branches;
}

}  // namespace vaglio::tree
