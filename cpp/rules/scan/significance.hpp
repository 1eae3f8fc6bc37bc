#pragma once
// The likelihood-ratio test of CN2: do the classes of the covered rows differ from what the priors would give?
#include <cmath>

#include "base/logarithm.hpp"
#include "rules/scan/scan.hpp"

namespace vaglio {

class Significance {
 public:
    explicit Significance(const ScanConfig& config) : config_(config) {}

    bool is_asked() const { return config_.proof != Proof::none; }

    // One class against the rest. A class that is rarer than before is no reason for a rule of it.
    bool of_one(int c, double count, double all) const {
        const double prior = config_.priors[c], rest = all - count;
        if (count < prior * all) return false;
        double bits = xlog2x(count) + xlog2x(rest) - xlog2x(all) - count * portable_log2(prior);
        if (rest > 0) bits -= rest * portable_log2(1 - prior);
        return bits * two_ln_2 >= config_.min_ratio_of_one;
    }

    // All classes, given their counts.
    template <class Classes, class Counts>
    bool of_all(const Classes& present, const Counts& counts, double all) const {
        double bits = -xlog2x(all);
        for (const int c : present) {
            const double count = counts[static_cast<std::size_t>(c)];
            if (count > 0) bits += xlog2x(count) - count * portable_log2(config_.priors[c]);
        }
        return bits * two_ln_2 >= config_.min_ratio;
    }

    // Whether so many rows of a class, and none of another, would pass: the most that further conditions can make of
    // them. Of one class against the rest this is a bound; over all classes it is a rule of thumb.
    bool in_reach(int c, double count, double needed) const {
        return count > 0 && -count * portable_log2(config_.priors[c]) * two_ln_2 >= needed;
    }

 private:
    static constexpr double two_ln_2 = 1.38629436111989061883;
    const ScanConfig& config_;
};

}  // namespace vaglio
