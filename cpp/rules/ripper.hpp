#pragma once
// RIPPER (Cohen 1995): rules grown on one part of the rows and pruned on another, stopped by description length, then
// revised in optimisation passes; class by class from the rarest, the most frequent one left as the default.
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "rules/table.hpp"

namespace vaglio {

struct RipperConfig {
    int optimizations = 2;
    int folds = 3;  // one of so many parts prunes, the others grow
    bool prune = true;
    bool check_error = true;    // refuse rules that are wrong at least half the time
    double min_positive = 2.0;  // a condition must leave so many rows of the class covered
    double mdl_slack = 64.0;    // bits above the best description so far at which rules stop
    int max_rules = 1 << 30;    // of each class
    int max_conditions = 1 << 30;
    std::vector<int> first_columns;         // the columns a rule must test, in this order, before any other
    const std::uint8_t* allowed = nullptr;  // (classes, columns): bits of the tests allowed
    std::uint64_t seed = 0;
    int threads = 1;
};

struct LearnedRule {
    int label;
    std::vector<RuleCondition> conditions;
};

std::vector<LearnedRule> learn_ripper(RuleTable table, const RipperConfig& config, Control& control);

}  // namespace vaglio
