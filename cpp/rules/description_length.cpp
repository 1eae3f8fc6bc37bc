// Cohen's description length with the portable logarithm: whether a rule is kept must not depend on the C library.
#include "rules/description_length.hpp"

#include <algorithm>

#include "base/logarithm.hpp"

namespace vaglio {

double subset_bits(double t, double k, double p) {
    double bits = 0.0;
    if (k > 0 && p > 0) bits -= k * portable_log2(p);
    if (t - k > 0 && p < 1) bits -= (t - k) * portable_log2(1.0 - p);
    return bits;
}

double theory_bits(double k, double possible) {
    if (k <= 0) return 0.0;
    // The length k itself, in the universal code for integers.
    double bits = portable_log2(k);
    if (k > 1) bits += 2.0 * portable_log2(bits);
    return 0.5 * (bits + subset_bits(possible, k, std::min(1.0, k / possible)));
}

double exception_bits(double expected_fp_share, const CoverCounts& counts) {
    const double errors = counts.false_positives + counts.false_negatives;
    double bits = portable_log2(counts.covered + counts.uncovered + 1.0);
    // The number of errors is sent; where most rows lie, their expected share gives the probability of an error,
    // and on the other side their number is then known.
    if (counts.covered > counts.uncovered) {
        const double expected = std::min(1.0, expected_fp_share * errors / counts.covered);
        bits += subset_bits(counts.covered, counts.false_positives, expected);
        if (counts.uncovered > 0) {
            bits += subset_bits(counts.uncovered, counts.false_negatives, counts.false_negatives / counts.uncovered);
        }
    } else {
        if (counts.covered > 0) {
            bits += subset_bits(counts.covered, counts.false_positives, counts.false_positives / counts.covered);
        }
        if (counts.uncovered > 0) {
            const double expected = std::min(1.0, (1.0 - expected_fp_share) * errors / counts.uncovered);
            bits += subset_bits(counts.uncovered, counts.false_negatives, expected);
        }
    }
    return bits;
}

}  // namespace vaglio
