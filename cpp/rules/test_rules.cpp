// The condition scan and RIPPER on a table small enough to check by hand.
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "rules/description_length.hpp"
#include "rules/ripper.hpp"
#include "rules/scan.hpp"

using namespace vaglio;

int main() {
    // One numeric column (values 10, 20, 30; one missing) and one nominal one; class 1 where the number is above 15.
    const std::vector<std::uint32_t> ranks{0, 0, 1, 1, 2, 2, missing_cell, 0};
    const std::vector<double> values{10, 20, 30};
    const std::vector<std::uint32_t> codes{0, 1, 0, 1, 0, 1, 0, 1};
    const std::vector<std::int32_t> classes{0, 0, 1, 1, 1, 1, 0, 0};
    RuleTable table;
    table.n_rows = 8;
    table.columns = {{ranks.data(), 3, values.data()}, {codes.data(), 2, nullptr}};
    table.classes = classes.data();
    table.n_classes = 2;
    Control control;
    const RowList rows{0, 1, 2, 3, 4, 5, 6, 7};

    ScanConfig config;
    config.target = 1;
    const auto best = best_conditions(table, rows, config, control);
    CHECK(best.size() == 1);
    CHECK(best[0].condition.column == 0 && best[0].condition.test == Test::above && best[0].condition.threshold == 15);
    CHECK(std::abs(best[0].score - 4.0) < 1e-12);  // four positives, each one bit better off
    CHECK((rows_meeting(table, best[0].condition, rows) == RowList{2, 3, 4, 5}));
    CHECK(!row_meets(table, best[0].condition, 6));

    // Minimums count rows, however light they are.
    const std::vector<double> light{0.1, 0.2, 0.001, 0.002, 0.003, 0.001, 0.3, 0.7};
    RuleTable weighted = table;
    weighted.weights = light.data();
    for (const Measure measure : {Measure::foil_gain, Measure::target_laplace, Measure::laplace}) {
        ScanConfig limited;
        limited.measure = measure;
        limited.target = 1;
        limited.keep = 20;
        for (const double least : {1.0, 3.0, 4.0, 5.0}) {
            limited.min_rows = least;
            limited.min_positive = measure == Measure::laplace ? 0 : least - 1;
            const auto found = best_conditions(weighted, rows, limited, control);
            CHECK(measure == Measure::laplace || found.empty() == (least == 5));
            for (const ScoredCondition& each : found) {
                const RowList met = rows_meeting(weighted, each.condition, rows);
                CHECK(static_cast<double>(met.size()) >= least && met.size() < rows.size());
                double weight = 0;
                for (const std::uint32_t row : met) weight += light[row];
                CHECK(std::abs(weight - each.weight) < 1e-12);
            }
        }
    }

    CHECK(std::abs(theory_bits(1, 10) - 0.5 * subset_bits(10, 1, 0.1)) < 1e-12);

    RipperConfig ripper;
    ripper.prune = false;
    const auto rules = learn_ripper(table, ripper, control);
    CHECK(rules.size() == 1);
    CHECK(rules[0].conditions.size() == 1);
    control.stop = true;
    bool interrupted = false;
    try {
        learn_ripper(table, ripper, control);
    } catch (const Interrupted&) {
        interrupted = true;
    }
    CHECK(interrupted);
    return check_result();
}
