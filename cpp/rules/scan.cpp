// Columns are scanned one by one, or by several threads, each with a list of its own; the lists are merged in the order
// of the columns, so the threads do not show in the result.
#include "rules/scan.hpp"

#include "base/parallel.hpp"
#include "rules/column_scan.hpp"
#include "rules/packed.hpp"

namespace vaglio {

namespace {

bool is_of_one_class(Measure measure) { return measure < Measure::entropy; }

void scan_column(const ScanInput& input, int column, Scratch& scratch, TopConditions& top) {
    if (is_of_one_class(input.config.measure)) {
        scan_target(input, column, scratch, top);
    } else {
        scan_distribution(input, column, scratch, top);
    }
}

}  // namespace

std::vector<ScoredCondition> best_conditions(const RuleTable& table, std::span<const std::uint32_t> rows,
                                             const ScanConfig& config, const Control& control) {
    const std::size_t n_columns = table.columns.size();
    const ScanInput input = prepare_scan(table, rows, config);
    TopConditions best(config);
    // Below some ten thousand cells, waking other threads costs more than it saves; so it does where all is counted.
    if (config.threads <= 1 || rows.size() * n_columns < 40000 || !input.counts.empty()) {
        Scratch scratch;
        const auto scan_some = [&](bool coarse) {
            for (std::size_t column = 0; column < n_columns; ++column) {
                const bool is_coarse = !input.counts.empty() && table.packed->column(column).coarse();
                if (is_coarse != coarse || !allowed_tests(config, column)) continue;
                control.check();
                scan_column(input, static_cast<int>(column), scratch, best);
            }
        };
        // Columns of many values last: the better the best gain so far, the less of them is looked at.
        scan_some(false);
        scan_some(true);
        return best.take();
    }
    std::vector<TopConditions> tops(n_columns, TopConditions(config));
    std::vector<Scratch> scratch(static_cast<std::size_t>(config.threads));
    parallel_for(config.threads, n_columns, [&](std::size_t column, int worker) {
        control.check();
        if (!allowed_tests(config, column)) return;
        scan_column(input, static_cast<int>(column), scratch[static_cast<std::size_t>(worker)], tops[column]);
    });
    for (TopConditions& top : tops) best.merge(std::move(top));
    return best.take();
}

}  // namespace vaglio
