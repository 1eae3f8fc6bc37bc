#pragma once
// The one scorer behind all rule learners: class counts over the covered rows, for every value of a nominal column and
// every threshold of a numeric one, in one pass per column; it gives the best next conditions by a measure.
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "rules/table.hpp"

namespace vaglio {

// What makes a rule good. The first three look at one class against the rest, the last three at all classes.
enum class Measure : std::uint8_t {
    foil_gain = 0,        // p'·(log2((p' + s)/(p' + n' + s)) − log2 of the rate before), s = smoothing
    target_laplace = 1,   // (p' + 1) / (p' + n' + K)
    target_m = 2,         // (p' + m·prior) / (p' + n' + m)
    target_entropy = 3,   // −entropy of {p', n'}; entropy − 2 where the class is the lesser part
    precision_pairs = 4,  // p' − n': more of the class, fewer of the others
    entropy = 5,          // −entropy of the class distribution
    laplace = 6,          // (largest + 1) / (all + K)
    m_estimate = 7,       // max over classes of (count + m·prior) / (all + m)
};

// What a condition must prove by the likelihood-ratio test: nothing; that further conditions may make it significant;
// that it is significant.
enum class Proof : std::uint8_t { none = 0, in_reach = 1, significant = 2 };

// Rows per slot of a packed table (packed.hpp), and those of a class among them; empty: not counted.
using PackedCounts = std::vector<std::uint32_t>;

struct ScanConfig {
    Measure measure = Measure::foil_gain;
    int target = 0;                  // the class, for measures of one class
    double smoothing = 0.0;          // of foil_gain
    double m = 2.0;                  // of the m-estimate
    const double* priors = nullptr;  // class shares, for the m-estimate and the test of significance
    double min_rows = 0.0;           // a condition must leave so many rows covered, whatever they weigh
    double min_positive = 0.0;       // and so many of the target (measures of one class)
    std::size_t keep = 1;            // how many conditions to return
    const std::uint8_t* allowed =
        nullptr;  // one byte per column: bits of the tests it may be given; null allows all but ≠ and sets
    std::int64_t meets_row = -1;     // only conditions this row meets
    std::int64_t excludes_row = -1;  // only conditions this row does not meet
    Proof proof = Proof::none;       // needs priors
    double min_ratio = 0.0;          // likelihood ratio over all classes that is significant
    double min_ratio_of_one = 0.0;   // and of one class against the rest: measures of one class, or few rows
    double few = 0.0;                // so little weight is tested as one class against the rest
    int threads = 1;
    const PackedCounts* counts = nullptr;  // of the rows, where they are known already; null: not
};

struct ScoredCondition {
    RuleCondition condition;
    double score = 0.0;
    double weight = 0.0;      // covered
    double positive = 0.0;    // of the target, or of the largest class
    bool significant = true;  // unless it had to prove it and could not
};

// Empty where the table is not packed or rows have weights.
PackedCounts count_packed(const RuleTable& table, std::span<const std::uint32_t> rows, int target, int threads);

// The best conditions that leave some of the rows out, best first; ties: lower column, then the order of the scan
// (thresholds ascending, "at most" before "above"; codes ascending). `rows` are the rows covered so far.
std::vector<ScoredCondition> best_conditions(const RuleTable& table, std::span<const std::uint32_t> rows,
                                             const ScanConfig& config, const Control& control);

}  // namespace vaglio
