#pragma once
// What an optimal tree is searched for: rows with what each label would gain there, and columns with their tests.
// Numbers to predict have sums in place of labels (optimal/gain.hpp).
//
// A leaf gives all its rows one label. With label j a row costs between 0 and `most`, its dearest label; what it gains
// against that is its gain for j. A leaf costs the sum of `most` less the greatest sum of gains, and a price of its
// own. Costs are whole numbers: sums do not depend on their order, and a bound is not a matter of rounding.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "optimal/marks.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio::optimal {

using Cost = std::int64_t;
constexpr Cost unbounded = INT64_MAX / 4;
constexpr std::uint32_t no_code = UINT32_MAX;

// A column as the search sees it: every row has a code, a missing value too.
struct Column {
    std::uint32_t feature = 0;
    // Ordered: a test is a place in the order, where codes up to one go left. Where values are missing there are two
    // columns of the feature: one with missing values before all others, one with them behind.
    bool ordered = true;
    std::uint32_t values = 0;         // codes, that of missing values included
    std::uint32_t missing = no_code;  // the code of missing values
    // Not ordered: every set of values is a test, or (of many values) every value alone, with or without the missing
    // ones, and the sets of the tree that the search starts from.
    bool all_sets = false;
    std::vector<std::vector<bool>> sets;
};

struct Test {
    enum class Kind : std::uint8_t { none, cut, value, value_or_missing, mask, set };
    Kind kind = Kind::none;
    std::uint32_t column = 0;
    std::uint32_t code = 0;  // cut: the last code on the left; value: the code; mask: a bit per code; set: its number

    bool goes_left(const Column& where, std::uint32_t value) const {
        switch (kind) {
            case Kind::cut:
                return value <= code;
            case Kind::value:
                return value == code;
            case Kind::value_or_missing:
                return value == code || value == where.missing;
            case Kind::mask:
                return code >> value & 1u;
            default:
                return where.sets[code][value];
        }
    }
};

// What a row gains with a label. A row has an entry for each label that gains something; the first has its `most`.
struct Entry {
    std::uint32_t row;
    std::uint16_t label;
    Cost gain;
    Cost most;
};

struct Problem {
    std::size_t rows = 0, labels = 0;
    bool numbers = false;  // whether leaves say numbers, and the labels are their sums
    std::vector<Column> columns;
    std::vector<std::vector<std::uint32_t>> codes;  // per column and row
    Marks marks;                                    // the columns of two values
    std::vector<Entry> entries;                     // by row
    Cost leaf_price = 0;
    std::uint32_t depth = 0, leaves = 0;
};

// Sets of up to so many values (missing ones are a value) fit the bits of a mask.
constexpr std::uint32_t most_mask_values = 16;

struct Limits {
    std::uint32_t depth, leaves;
    std::uint32_t set_values;  // nominal columns of up to so many values are tested by every set of them
    Cost leaf_price;
};

// The columns that are not `used` are not tested.
Problem make_problem(const tree::TreeData& data, std::span<const std::uint8_t> used, std::vector<Entry> entries,
                     const Limits& limits);

// Adds the sets that a grown tree tests to the tests of the columns, so that the search knows every test of it.
void add_sets(Problem& problem, const tree::Tree& start);

// The test of a node of that tree.
Test test_of(const Problem& problem, const tree::TreeData& data, const tree::Tree& start, std::size_t node);

}  // namespace vaglio::optimal
