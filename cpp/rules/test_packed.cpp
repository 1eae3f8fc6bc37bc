// A packed table finds the condition that brute force finds: every cut and value of every column, the rows counted
// anew.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "base/logarithm.hpp"
#include "base/random.hpp"
#include "rules/packed.hpp"
#include "rules/scan.hpp"

using namespace vaglio;

namespace {

// Columns of many values, of few and nominal ones; some cells missing. The class depends a little on some of them.
struct Made {
    std::vector<std::vector<std::uint32_t>> cells;
    std::vector<std::vector<double>> values;
    std::vector<std::int32_t> classes;
    RuleTable table;

    Made(Random& random, std::size_t n_rows, const std::vector<std::uint32_t>& n_values, double missing) {
        table.n_rows = n_rows;
        for (std::size_t j = 0; j < n_values.size(); ++j) {
            std::vector<std::uint32_t> column(n_rows);
            for (std::uint32_t& cell : column) {
                cell =
                    random.uniform() < missing ? missing_cell : static_cast<std::uint32_t>(random.below(n_values[j]));
            }
            cells.push_back(std::move(column));
            values.emplace_back();
            for (std::uint32_t v = 0; v < n_values[j]; ++v) values.back().push_back(v * 0.5);
        }
        for (std::size_t j = 0; j < n_values.size(); ++j) {
            table.columns.push_back({cells[j].data(), n_values[j], j % 3 == 2 ? nullptr : values[j].data()});
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            const bool low = cells[0][i] < n_values[0] / 5;
            classes.push_back(random.uniform() < (low ? 0.6 : 0.3) ? 1 : 0);
        }
        table.classes = classes.data();
        table.n_classes = 2;
    }
};

std::vector<RuleCondition> all_conditions(const RuleTable& table, const RowList& rows, std::size_t j) {
    const RuleColumn& column = table.columns[j];
    std::vector<std::uint8_t> present(column.n_values, 0);
    for (const std::uint32_t row : rows) {
        if (column.cells[row] != missing_cell) present[column.cells[row]] = 1;
    }
    std::vector<RuleCondition> conditions;
    std::optional<std::uint32_t> last;
    for (std::uint32_t v = 0; v < column.n_values; ++v) {
        if (!present[v]) continue;
        const int index = static_cast<int>(j);
        if (column.nominal()) {
            conditions.push_back({index, Test::equal, v, 0.0, {}});
        } else if (last) {
            // The rank of the last value that is at most halfway to the next one in use.
            const std::uint32_t cut = (*last + v) / 2;
            for (const Test test : {Test::at_most, Test::above}) {
                conditions.push_back({index, test, cut, (column.values[*last] + column.values[v]) / 2, {}});
            }
        }
        last = v;
    }
    return conditions;
}

double gain(const RuleTable& table, const RowList& before, const RowList& after, double smoothing) {
    double p0 = 0, p1 = 0;
    for (const std::uint32_t row : before) p0 += table.classes[row] == 1;
    for (const std::uint32_t row : after) p1 += table.classes[row] == 1;
    if (p1 == 0) return 0.0;
    const double rate = (p1 + smoothing) / (static_cast<double>(after.size()) + smoothing);
    return p1 * (portable_log2(rate) - portable_log2(p0 / static_cast<double>(before.size())));
}

void compare(const RuleTable& plain, const RowList& rows, int threads) {
    ScanConfig config;
    config.target = 1;
    config.smoothing = 1.0;
    config.threads = threads;
    double best = -std::numeric_limits<double>::infinity();
    RuleCondition condition;
    for (std::size_t j = 0; j < plain.columns.size(); ++j) {
        for (RuleCondition& each : all_conditions(plain, rows, j)) {
            const RowList met = rows_meeting(plain, each, rows);
            if (met.empty() || met.size() == rows.size()) continue;
            const double score = gain(plain, rows, met, config.smoothing);
            if (score > best) {
                best = score;
                condition = std::move(each);
            }
        }
    }
    const PackedTable packed(plain);
    RuleTable table = plain;
    table.packed = &packed;
    Control control;
    const auto found = best_conditions(table, rows, config, control);
    const auto as_before = best_conditions(plain, rows, config, control);
    if (best <= 0) return;  // no learner takes such a condition
    CHECK(found.size() == 1 && found[0].score == best && found[0].condition == condition);
    CHECK(as_before.size() == 1 && as_before[0].score == best && as_before[0].condition == condition);
}

}  // namespace

int main() {
    Random random(5);
    for (const double missing : {0.0, 0.2}) {
        const Made made(random, 3000, {1500, 40, 7, 700, 2, 3, 2900}, missing);
        for (const double share : {1.0, 0.3, 0.1, 0.02}) {
            RowList rows;
            for (std::uint32_t i = 0; i < 3000; ++i) {
                if (random.uniform() < share) rows.push_back(i);
            }
            compare(made.table, rows, 1);
        }
    }
    // Equal columns: the first one is named. Enough rows for two threads.
    Made twins(random, 9000, {600, 600, 5}, 0.05);
    twins.table.columns[1] = twins.table.columns[0];
    RowList rows;
    for (std::uint32_t i = 0; i < 9000; ++i) rows.push_back(i);
    for (const int threads : {1, 2}) compare(twins.table, rows, threads);
    // A narrow column equal to a wide one in every gain: the lower column is named, whichever is looked at first.
    Made same(random, 2000, {600, 2}, 0.0);
    for (std::size_t i = 0; i < 2000; ++i) {
        same.cells[0][i] = same.classes[i] ? 599 : 0;
        same.cells[1][i] = static_cast<std::uint32_t>(same.classes[i]);
    }
    rows.resize(2000);
    compare(same.table, rows, 1);
    std::swap(same.table.columns[0], same.table.columns[1]);
    compare(same.table, rows, 1);
    return check_result();
}
