// The parts that both scans share.
#include "rules/scan/column_scan.hpp"

#include <algorithm>
#include <limits>

#include "base/logarithm.hpp"
#include "base/parallel.hpp"
#include "rules/scan/packed.hpp"

namespace vaglio {

namespace {

// With fewer, waking another thread costs more than it saves.
constexpr std::size_t rows_per_thread = 4000;

}  // namespace

double TopConditions::bar() const {
    return kept_.size() < keep_ ? -std::numeric_limits<double>::infinity() : kept_.back().score;
}

void TopConditions::offer(ScoredCondition&& candidate) {
    if (!would_take(candidate.score, candidate.weight, candidate.condition.column)) return;
    const auto place = std::upper_bound(
        kept_.begin(), kept_.end(), candidate, [this](const ScoredCondition& offered, const ScoredCondition& kept) {
            return precedes(offered.score, offered.weight, offered.condition.column, kept);
        });
    kept_.insert(place, std::move(candidate));
    if (kept_.size() > keep_) kept_.pop_back();
}

void TopConditions::merge(TopConditions&& other) {
    for (ScoredCondition& candidate : other.kept_) offer(std::move(candidate));
}

namespace {

void weigh_rows(ScanInput& input) {
    const RuleTable& table = input.table;
    input.positive.resize(input.rows.size());
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
        input.positive[i] = table.classes[input.rows[i]] == input.config.target;
        const double weight = table.weight(input.rows[i]);
        input.all += weight;
        if (input.positive[i]) input.positives += weight;
    }
}

// Every row is in some slot of the first column.
double count_positives(const PackedTable& packed, const PackedCounts& counts) {
    const std::uint32_t* targets = counts.data() + packed.n_slots();
    std::uint32_t positives = 0;
    for (std::uint32_t s = 0; s < packed.column(0).n_slots; ++s) positives += targets[s];
    return static_cast<double>(positives);
}

}  // namespace

// A part of the rows for each thread, with counters of its own: whole numbers have the same sum in any order.
PackedCounts count_packed(const RuleTable& table, std::span<const std::uint32_t> rows, int target, int threads) {
    if (!table.packed || table.columns.empty() || table.weights || !table.packed->pays_for(table.n_rows)) return {};
    const std::size_t n = rows.size(), n_counts = 2 * table.packed->n_slots();
    const std::size_t parts = threads <= 1 || n < rows_per_thread ? 1 : static_cast<std::size_t>(threads);
    PackedCounts counts(parts * n_counts);
    parallel_for(static_cast<int>(parts), parts, [&](std::size_t part, int) {
        const std::size_t first = part * n / parts, end = (part + 1) * n / parts;
        table.packed->count(rows.subspan(first, end - first), table.classes, target,
                            std::span(counts).subspan(part * n_counts, n_counts));
    });
    for (std::size_t part = 1; part < parts; ++part) {
        for (std::size_t k = 0; k < n_counts; ++k) counts[k] += counts[part * n_counts + k];
    }
    counts.resize(n_counts);
    return counts;
}

ScanInput prepare_scan(const RuleTable& table, std::span<const std::uint32_t> rows, const ScanConfig& config) {
    ScanInput input{table, rows, config, {}, {}, 0.0, 0.0, 0.0};
    const bool at_once = table.packed && !table.columns.empty() && !table.weights && asks_best_gain(config) &&
                         table.packed->pays_for(rows.size());
    if (at_once) {
        const bool known = config.counts && !config.counts->empty();
        input.counts = known ? *config.counts : count_packed(table, rows, config.target, config.threads);
        input.all = static_cast<double>(rows.size());
        input.positives = count_positives(*table.packed, input.counts);
    } else {
        weigh_rows(input);
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
