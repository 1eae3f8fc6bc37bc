#pragma once
// Some of the rows, laid out for counting: side by side, with the codes of each column numbered through anew.
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/problem.hpp"

namespace vaglio::optimal {

// Names a set of rows, whatever way led to it: a sum of random numbers of the rows.
struct Key {
    std::uint64_t first = 0, second = 0;
    bool operator==(const Key&) const = default;
};

struct Subset {
    const Problem* problem = nullptr;
    std::size_t size = 0;  // entries
    std::vector<std::uint32_t> row;
    std::vector<std::uint16_t> label;
    std::vector<Cost> gain, most;
    // Per column and entry the number of the code among those here; none for columns of two values.
    std::vector<std::vector<std::uint32_t>> codes;
    std::vector<std::vector<std::uint32_t>> values;  // per column: the codes that are here, ascending
    std::vector<Cost> total;                         // gains per label
    // Of the entries with a mark: how many, what is at stake in them, and the gains per mark and label.
    std::vector<std::uint32_t> marked;
    std::vector<Cost> marked_stakes, marked_gains;
    Cost all_most = 0;
    Key key;

    std::uint32_t distinct(std::uint32_t column) const { return static_cast<std::uint32_t>(values[column].size()); }
    // The number of the code of an entry, whatever the column.
    std::uint32_t number(std::uint32_t column, std::size_t entry) const {
        if (problem->marks.of_column(column) == Marks::none) return codes[column][entry];
        return values[column].size() < 2 ? 0 : problem->codes[column][row[entry]];
    }
    // What a pass over all columns reads: entries, and of columns of two values those with the mark.
    std::uint64_t cells() const;
    // What it costs to give all rows the best label.
    Cost leaf_cost() const;
};

Subset whole(const Problem& problem);

// The rows that go left and those that go right.
std::pair<Subset, Subset> divide(const Subset& subset, const Test& test);

}  // namespace vaglio::optimal
