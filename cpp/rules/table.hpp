#pragma once
// What rule learners read of a table: every column as unsigned cells, a rank or a category code, all ones for missing.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

constexpr std::uint32_t missing_cell = 0xFFFFFFFFu;

struct RuleColumn {
    const std::uint32_t* cells = nullptr;
    std::uint32_t n_values = 0;      // ranks or codes run below this
    const double* values = nullptr;  // the numbers the ranks stand for; null for a nominal column

    bool nominal() const { return values == nullptr; }
};

class PackedTable;

struct RuleTable {
    std::size_t n_rows = 0;
    std::vector<RuleColumn> columns;
    const std::int32_t* classes = nullptr;  // class code of each row
    int n_classes = 0;
    const double* weights = nullptr;      // null: every row counts one
    const PackedTable* packed = nullptr;  // makes the search for the best gain faster, changes nothing else

    double weight(std::size_t row) const { return weights ? weights[row] : 1.0; }
};

// Kinds of tests, and the bits by which a column allows them.
enum class Test : std::uint8_t { at_most = 0, above = 1, equal = 2, unequal = 3, one_of = 4 };
constexpr std::uint8_t test_bit(Test test) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(test)); }

// One test on one column. A missing cell meets none.
struct RuleCondition {
    int column = -1;
    Test test = Test::at_most;
    std::uint32_t cut = 0;             // at_most: cell <= cut; above: cell > cut; equal, unequal: the code
    double threshold = 0.0;            // the number that stands for the cut
    std::vector<std::uint32_t> codes;  // one_of: ascending

    bool operator==(const RuleCondition&) const = default;
};

using RowList = std::vector<std::uint32_t>;

// The rows of a list that meet a condition, in order.
RowList rows_meeting(const RuleTable& table, const RuleCondition& condition, std::span<const std::uint32_t> rows);

bool row_meets(const RuleTable& table, const RuleCondition& condition, std::size_t row);

}  // namespace vaglio
