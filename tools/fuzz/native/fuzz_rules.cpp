// The best conditions and the rules of any small table: every condition found is one that some rows do not meet.
#include "input.hpp"
#include "rules/packed.hpp"
#include "rules/ripper.hpp"
#include "rules/scan.hpp"

using namespace vaglio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    vaglio_fuzz::Input input(data, size);
    const vaglio_fuzz::Table table(input);
    RuleTable rules;
    rules.n_rows = table.rows;
    std::vector<std::vector<double>> values(table.n_numeric);
    std::vector<std::vector<std::uint32_t>> cells(table.n_nominal);
    for (std::size_t j = 0; j < table.n_numeric; ++j) {
        for (const std::uint32_t row : table.ranked.firsts[j])
            values[j].push_back(table.numbers[row * table.n_numeric + j] + 0.0);
        rules.columns.push_back({table.ranked.ranks.data() + j * table.rows,
                                 static_cast<std::uint32_t>(values[j].size()), values[j].data()});
        if (values[j].empty()) rules.columns.pop_back();
    }
    for (std::size_t j = 0; j < table.n_nominal; ++j) {
        for (std::size_t i = 0; i < table.rows; ++i)
            cells[j].push_back(static_cast<std::uint32_t>(table.codes[j * table.rows + i]));
        rules.columns.push_back({cells[j].data(), table.arity[j], nullptr});
    }
    const std::vector<std::int32_t> classes(table.labels.begin(), table.labels.end());
    rules.classes = classes.data();
    rules.n_classes = static_cast<int>(table.classes);
    if (input.flag()) rules.weights = table.weights.data();
    const PackedTable packed(rules);
    if (input.flag()) rules.packed = &packed;
    Control control;
    RowList rows;
    for (std::uint32_t i = 0; i < table.rows; ++i)
        if (!input.flag()) rows.push_back(i);
    const std::vector<double> priors(table.classes, 1.0 / static_cast<double>(table.classes));
    ScanConfig scan;
    scan.measure = static_cast<Measure>(input.below(8));
    scan.target = static_cast<int>(input.below(table.classes));
    scan.priors = priors.data();
    scan.min_rows = static_cast<double>(input.below(4));
    scan.min_positive = static_cast<double>(input.below(3));
    scan.keep = 1 + input.below(6);
    scan.proof = static_cast<Proof>(input.below(3));
    scan.min_ratio = scan.min_ratio_of_one = static_cast<double>(input.below(8));
    const auto found = best_conditions(rules, rows, scan, control);
    PROMISE(found.size() <= scan.keep);
    for (const ScoredCondition& each : found) PROMISE(rows_meeting(rules, each.condition, rows).size() < rows.size());
    RipperConfig config;
    config.optimizations = static_cast<int>(input.below(3));
    config.folds = static_cast<int>(2 + input.below(3));
    config.prune = input.flag();
    config.check_error = input.flag();
    config.max_rules = 20;
    config.seed = input.byte();
    std::vector<std::uint8_t> allowed;
    for (int c = 0; c < rules.n_classes; ++c)
        for (const RuleColumn& column : rules.columns)
            allowed.push_back(column.nominal() ? test_bit(Test::equal)
                                               : test_bit(Test::at_most) | test_bit(Test::above));
    config.allowed = allowed.data();
    for (const LearnedRule& rule : learn_ripper(rules, config, control))
        PROMISE(rule.label >= 0 && rule.label < rules.n_classes);
    return 0;
}
