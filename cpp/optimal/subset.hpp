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
    std::vector<std::vector<std::uint32_t>> codes;   // per column and entry: the number of the code among those here
    std::vector<std::vector<std::uint32_t>> values;  // per column: the codes that are here, ascending
    std::vector<Cost> total;                         // gains per label
    Cost all_most = 0;
    Key key;

    std::uint32_t distinct(std::uint32_t column) const { return static_cast<std::uint32_t>(values[column].size()); }
    // What it costs to give all rows the best label.
    Cost leaf_cost() const;
};

Subset whole(const Problem& problem);

// The rows that go left and those that go right.
std::pair<Subset, Subset> divide(const Subset& subset, const Test& test);

}  // namespace vaglio::optimal
