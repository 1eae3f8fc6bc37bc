// Tests on cells. The common tests accept one run of cells, so one unsigned comparison decides.
#include "rules/table.hpp"

#include <algorithm>

namespace vaglio {

namespace {

// at_most, above and equal accept one run of cells [low, low + span]; unsigned wrap-around leaves the missing cell out.
struct Run {
    std::uint32_t low, span;
    bool empty;
};

Run run_of(const RuleColumn& column, const RuleCondition& condition) {
    switch (condition.test) {
        case Test::at_most:
            return {0, condition.cut, false};
        case Test::above:
            if (condition.cut + 1 >= column.n_values) return {0, 0, true};
            return {condition.cut + 1, column.n_values - condition.cut - 2, false};
        default:
            return {condition.cut, 0, false};
    }
}

}  // namespace

RowList rows_meeting(const RuleTable& table, const RuleCondition& condition, std::span<const std::uint32_t> rows) {
    const RuleColumn& column = table.columns[static_cast<std::size_t>(condition.column)];
    const std::uint32_t* cells = column.cells;
    RowList met(rows.size());
    std::size_t count = 0;
    // Each row is written and the place kept only if it meets the test: no branch to mispredict.
    if (condition.test == Test::unequal) {
        for (const std::uint32_t row : rows) {
            met[count] = row;
            count += (cells[row] != condition.cut) & (cells[row] != missing_cell);
        }
    } else if (condition.test == Test::one_of) {
        std::vector<std::uint8_t> accepted(column.n_values, 0);
        for (const std::uint32_t code : condition.codes) accepted[code] = 1;
        for (const std::uint32_t row : rows) {
            met[count] = row;
            count += cells[row] != missing_cell && accepted[cells[row]];
        }
    } else {
        const Run run = run_of(column, condition);
        if (run.empty) return {};
        for (const std::uint32_t row : rows) {
            met[count] = row;
            count += cells[row] - run.low <= run.span;
        }
    }
    met.resize(count);
    return met;
}

bool row_meets(const RuleTable& table, const RuleCondition& condition, std::size_t row) {
    const std::uint32_t cell = table.columns[static_cast<std::size_t>(condition.column)].cells[row];
    if (cell == missing_cell) return false;
    switch (condition.test) {
        case Test::at_most:
            return cell <= condition.cut;
        case Test::above:
            return cell > condition.cut;
        case Test::equal:
            return cell == condition.cut;
        case Test::unequal:
            return cell != condition.cut;
        default:
            return std::binary_search(condition.codes.begin(), condition.codes.end(), cell);
    }
}

}  // namespace vaglio
