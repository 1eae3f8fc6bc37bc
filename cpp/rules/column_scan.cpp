// The parts that both scans share.
#include "rules/column_scan.hpp"

#include <algorithm>
#include <limits>

#include "base/logarithm.hpp"

namespace vaglio {

double TopConditions::bar() const {
    return kept_.size() < keep_ ? -std::numeric_limits<double>::infinity() : kept_.back().score;
}

void TopConditions::offer(ScoredCondition&& candidate) {
    if (!would_take(candidate.score, candidate.weight)) return;
    const auto place = std::upper_bound(kept_.begin(), kept_.end(), candidate,
                                        [this](const ScoredCondition& offered, const ScoredCondition& kept) {
                                            return precedes(offered.score, offered.weight, kept);
                                        });
    kept_.insert(place, std::move(candidate));
    if (kept_.size() > keep_) kept_.pop_back();
}

void TopConditions::merge(TopConditions&& other) {
    for (ScoredCondition& candidate : other.kept_) offer(std::move(candidate));
}

ScanInput prepare_scan(const RuleTable& table, std::span<const std::uint32_t> rows, const ScanConfig& config) {
    ScanInput input{table, rows, config, std::vector<std::uint8_t>(rows.size()), {}, 0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        input.positive[i] = table.classes[rows[i]] == config.target;
        const double weight = table.weight(rows[i]);
        input.all += weight;
        if (input.positive[i]) input.positives += weight;
    }
    const bool ordered = std::any_of(table.columns.begin(), table.columns.end(), [](const auto& c) { return c.order; });
    // Walking a whole order pays while the rows covered are not few.
    if (ordered && !table.weights && rows.size() * 8 > table.n_rows) {
        input.mark.assign(table.n_rows, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) input.mark[rows[i]] = input.positive[i] ? 3 : 1;
    }
    if (input.positives > 0) input.log_rate = portable_log2(input.positives / input.all);
    return input;
}

Cut cut_between(const RuleColumn& column, std::uint32_t below, std::uint32_t above) {
    const double low = column.values[below], high = column.values[above];
    double middle = low / 2 + high / 2;
    // Two neighbouring floats have no number between them: the lower one then separates them.
    if (!(middle >= low && middle < high)) middle = low;
    const double* end = std::upper_bound(column.values + below, column.values + above, middle);
    return {middle, static_cast<std::uint32_t>(end - column.values) - 1};
}

std::uint8_t allowed_tests(const ScanConfig& config, std::size_t column) {
    constexpr std::uint8_t plain = test_bit(Test::at_most) | test_bit(Test::above) | test_bit(Test::equal);
    return config.allowed ? config.allowed[column] : plain;
}

void sort_by_cell(const ScanInput& input, const RuleColumn& column, Scratch& scratch) {
    const std::size_t n = input.rows.size();
    scratch.order.clear();
    if (column.n_values <= 4 * n) {
        // Counting sort: one pass to count, one to place.
        scratch.counts.assign(static_cast<std::size_t>(column.n_values) + 1, 0);
        std::size_t known = 0;
        for (const std::uint32_t row : input.rows) {
            if (column.cells[row] == missing_cell) continue;
            ++scratch.counts[column.cells[row] + 1];
            ++known;
        }
        for (std::size_t v = 1; v <= column.n_values; ++v) scratch.counts[v] += scratch.counts[v - 1];
        scratch.order.resize(known);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t cell = column.cells[input.rows[i]];
            if (cell != missing_cell) scratch.order[scratch.counts[cell]++] = static_cast<std::uint32_t>(i);
        }
        return;
    }
    scratch.keys.clear();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t cell = column.cells[input.rows[i]];
        if (cell != missing_cell) scratch.keys.push_back((static_cast<std::uint64_t>(cell) << 32) | i);
    }
    std::sort(scratch.keys.begin(), scratch.keys.end());
    for (const std::uint64_t key : scratch.keys) scratch.order.push_back(static_cast<std::uint32_t>(key));
}

RowFilter::RowFilter(const ScanConfig& config, const RuleColumn& column) {
    if (config.meets_row >= 0) {
        has_meet_ = true;
        meet_ = column.cells[config.meets_row];
        possible_ = meet_ != missing_cell;
    }
    if (config.excludes_row >= 0) {
        exclude_ = column.cells[config.excludes_row];
        has_exclude_ = exclude_ != missing_cell;  // a missing cell meets no condition
    }
}

}  // namespace vaglio
