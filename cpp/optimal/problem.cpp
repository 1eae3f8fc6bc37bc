#include "optimal/problem.hpp"

#include <algorithm>
#include <stdexcept>

#include "optimal/gain.hpp"

namespace vaglio::optimal {
namespace {

bool bit_of(const tree::Tree& tree, std::size_t node, std::uint32_t code) {
    const auto start = static_cast<std::size_t>(tree.table_start[node]);
    return tree.tables[start + code / 32] >> (code % 32) & 1u;
}

void add_ordered(Problem& problem, const tree::TreeData& data, std::uint32_t feature) {
    const std::uint32_t from = data.features[feature].column;
    const std::uint32_t* ranks = data.rank_column(from);
    const auto distinct = static_cast<std::uint32_t>(data.values[from].size());
    const bool gaps = std::find(ranks, ranks + data.rows, tree::missing_rank) != ranks + data.rows;
    for (const bool missing_first : {false, true}) {
        if (missing_first && !gaps) break;
        Column column;
        column.feature = feature;
        column.values = distinct + (gaps ? 1 : 0);
        if (gaps) column.missing = missing_first ? 0 : distinct;
        const std::uint32_t shift = missing_first ? 1 : 0;
        std::vector<std::uint32_t> codes(data.rows);
        for (std::size_t i = 0; i < data.rows; ++i)
            codes[i] = ranks[i] == tree::missing_rank ? column.missing : ranks[i] + shift;
        problem.columns.push_back(std::move(column));
        problem.codes.push_back(std::move(codes));
    }
}

void add_nominal(Problem& problem, const tree::TreeData& data, std::uint32_t feature, std::uint32_t set_values) {
    const std::uint32_t from = data.features[feature].column;
    const std::int32_t* given = data.code_column(from);
    Column column;
    column.feature = feature;
    column.ordered = false;
    column.values = data.categories[from];
    if (std::any_of(given, given + data.rows, [](std::int32_t code) { return code < 0; }))
        column.missing = column.values++;
    column.all_sets = column.values <= std::min(set_values, most_mask_values);
    std::vector<std::uint32_t> codes(data.rows);
    for (std::size_t i = 0; i < data.rows; ++i)
        codes[i] = given[i] < 0 ? column.missing : static_cast<std::uint32_t>(given[i]);
    problem.columns.push_back(std::move(column));
    problem.codes.push_back(std::move(codes));
}

std::uint32_t column_of(const Problem& problem, std::int32_t feature, bool missing_left) {
    std::uint32_t found = no_code;
    for (std::uint32_t c = 0; c < problem.columns.size(); ++c) {
        const Column& column = problem.columns[c];
        if (column.feature != static_cast<std::uint32_t>(feature)) continue;
        if (found == no_code || (column.ordered && missing_left && column.missing == 0)) found = c;
    }
    if (found == no_code) throw std::invalid_argument("the tree to start from tests a column that is not used");
    return found;
}

// Which codes go left at a node that tests a set.
std::vector<bool> left_set(const Column& column, const tree::Tree& start, std::size_t node) {
    std::vector<bool> left(column.values);
    for (std::uint32_t code = 0; code < column.values; ++code)
        left[code] = code == column.missing ? start.missing_branch[node] == 0 : !bit_of(start, node, code);
    return left;
}

}  // namespace

Problem make_problem(const tree::TreeData& data, std::span<const std::uint8_t> used, std::vector<Entry> entries,
                     const Limits& limits) {
    Problem problem;
    problem.rows = data.rows;
    problem.numbers = data.classes == 0;
    problem.labels = problem.numbers ? number_sums : data.classes;
    problem.entries = std::move(entries);
    problem.leaf_price = limits.leaf_price;
    problem.depth = limits.depth;
    problem.leaves = limits.leaves;
    for (std::uint32_t feature = 0; feature < data.features.size(); ++feature) {
        if (!used[feature]) continue;
        if (data.features[feature].nominal) {
            add_nominal(problem, data, feature, limits.set_values);
        } else {
            add_ordered(problem, data, feature);
        }
    }
    std::vector<std::uint32_t> values;
    values.reserve(problem.columns.size());
    for (const Column& column : problem.columns) values.push_back(column.values);
    problem.marks = Marks(problem.rows, values, problem.codes);
    return problem;
}

void add_sets(Problem& problem, const tree::Tree& start) {
    for (std::size_t node = 0; node < start.size(); ++node) {
        if (start.kind[node] != static_cast<std::uint8_t>(tree::NodeKind::subset)) continue;
        Column& column = problem.columns[column_of(problem, start.feature[node], false)];
        if (!column.all_sets) column.sets.push_back(left_set(column, start, node));
    }
}

Test test_of(const Problem& problem, const tree::TreeData& data, const tree::Tree& start, std::size_t node) {
    const std::uint32_t number = column_of(problem, start.feature[node], start.missing_branch[node] == 0);
    const Column& column = problem.columns[number];
    if (column.ordered) {
        const tree::RankedValues& values = data.values[data.features[column.feature].column];
        std::uint32_t below = 0, above = static_cast<std::uint32_t>(values.size());
        while (below < above) {
            const std::uint32_t middle = below + (above - below) / 2;
            const bool left =
                start.strict[node] ? values[middle] < start.threshold[node] : values[middle] <= start.threshold[node];
            (left ? below : above) = left ? middle + 1 : middle;
        }
        // `below` values are on the left, and before them what is missing if it comes first.
        const std::uint32_t codes = below + (column.missing == 0 ? 1 : 0);
        return {Test::Kind::cut, number, codes == 0 ? no_code : codes - 1};
    }
    const std::vector<bool> left = left_set(column, start, node);
    if (column.all_sets) {
        std::uint32_t mask = 0;
        for (std::uint32_t code = 0; code < column.values; ++code)
            mask |= static_cast<std::uint32_t>(left[code]) << code;
        return {Test::Kind::mask, number, mask};
    }
    const auto same = std::find(column.sets.begin(), column.sets.end(), left);
    return {Test::Kind::set, number, static_cast<std::uint32_t>(same - column.sets.begin())};
}

}  // namespace vaglio::optimal
