#pragma once
// The options of the growers in this folder (tree/grow.hpp says which there are). ID3, C4.5, CART and the trees of
// forests differ only here. Boosting has options of its own (boosting/growth/tree_grower.hpp).
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vaglio::tree {

// What a split is chosen by. Entropies are in bits.
enum class Criterion : std::uint8_t { gain, gain_ratio, gini, error, squared_error, absolute_error, poisson };

inline bool is_regression(Criterion criterion) { return criterion >= Criterion::squared_error; }

// One branch per value of a nominal feature, or the best division of its values into two sets.
enum class NominalSplit : std::uint8_t { multiway, subset };

// Where the rows go that miss the tested value: into every branch with a share of their weight, into the branch
// that gives the better score, or into a branch of their own.
enum class MissingPolicy : std::uint8_t { fractional, learned, own_branch };

// How a grown tree is cut back by the rows it was grown on. Methods that need other rows are asked for separately.
enum class Pruning : std::uint8_t { none, pessimistic, error_based };

struct TreeConfig {
    Criterion criterion = Criterion::gini;
    NominalSplit nominal_split = NominalSplit::subset;
    MissingPolicy missing = MissingPolicy::learned;

    // Gain ratio only: consider no feature of less than average gain (Quinlan's guard against tiny split infos).
    bool average_gain_condition = true;
    // False: a nominal feature is not tested again below a node that tested it (ID3).
    bool reuse_nominal = true;
    // True: a split must have a positive gain. CART sets false, because splits below one without gain may have gain
    // (XOR).
    bool require_positive_gain = true;
    // Branch 0 is x < t instead of x <= t.
    bool strict = false;
    // C4.5 release 8: a numeric split pays log2(candidate thresholds) / N of its gain ...
    bool mdl_correction = false;
    // ... and leaves at least min(25, 0.1 * N / classes) rows on either side.
    bool c45_numeric_minimum = false;
    // Also look for a test of a linear combination of numeric features.
    bool oblique = false;
    // Nominal features with more values than this have their gain corrected for chance (tree/split/chance.hpp).
    double guarded_from = std::numeric_limits<double>::infinity();
    // False: every threshold of every feature is scored (tree/sieve/sieve.hpp). The tree is the same.
    bool sieve = true;
    // One random threshold per feature instead of the best.
    bool random_thresholds = false;
    // Of features that split equally well the seed draws one; else the first wins. Columns that carry the same news
    // then share the work in an ensemble, where the first would do it all in every tree.
    bool draw_ties = false;

    double min_gain = 0;               // gain of the split, per row of the node
    double min_impurity_decrease = 0;  // the same, times the node's share of all rows
    std::uint32_t max_depth = UINT32_MAX;
    double min_rows_split = 2;  // row minimums count rows, and of a row in several branches its shares
    double min_rows_leaf = 1;
    double min_weight_fraction = 0;    // of a leaf, as a share of the whole weight
    std::uint32_t max_leaf_nodes = 0;  // 0: no bound; else the best splits first
    double chi2_alpha = 1;             // split only when the chi-square test is significant at this level
    std::uint32_t max_features = 0;    // 0: all; else that many random features per split
    std::uint32_t max_bins = 0;        // 0: exact; else numeric columns are cut into this many quantile bins
    std::uint64_t seed = 0;

    Pruning pruning = Pruning::none;
    double epsilon = 0.5;         // pessimistic: errors added per leaf (Quinlan's continuity correction)
    double confidence = 0.25;     // error_based: of the upper limit of the errors; C4.5's default
    bool subtree_raising = true;  // error_based: a node may be replaced by its largest branch

    std::vector<std::int8_t> monotonic;  // per feature -1, 0, +1; empty: none
    // Whether a free feature below a monotonic test may be split beyond the bounds of that test, as in scikit-learn:
    // the caller brings the values of the nodes back into them. Else such splits are refused, and the values stay
    // counts.
    bool values_clipped = false;
};

}  // namespace vaglio::tree
