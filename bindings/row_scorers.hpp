#pragma once
// Models that classify one row at a time, where making arrays would take longer than the prediction itself.
#include <memory>

#include "bayes/naive_bayes.hpp"
#include "packed_forest.hpp"
#include "tree/predict.hpp"

// One encoded row: numbers (NaN: missing) and codes (-1: missing).
struct EncodedRow {
    const double* numeric;
    const std::int32_t* codes;
};

class RowScorer {
 public:
    virtual ~RowScorer() = default;
    std::size_t outputs = 0;             // probabilities, or one number
    std::size_t numbers = 0, codes = 0;  // columns of a row that it reads at least
    // Between so many classes it decides; the sign of one value decides between two.
    virtual std::size_t decisions() const { return outputs; }
    // Writes the outputs and returns the class it decides for. A negative number: not finite, another way must be
    // taken.
    virtual int score(const EncodedRow& row, double* out) const = 0;
};

// The arguments are arrays and predictors of Python, which the scorers keep alive.
std::unique_ptr<RowScorer> tree_scorer(nb::object predictor, Array2<double> values);
std::unique_ptr<RowScorer> forest_scorer(nb::object forest, Array2<double> values);

// What a model makes of its values: nothing, one logistic function, a softmax, or an exponential.
enum class Link : int { none, logistic, softmax, exponential };
std::unique_ptr<RowScorer> boosted_scorer(nb::object forest, Array1<double> values, Array1<double> baseline, int link);
// Number j is the product of the columns factor[start[j]] … factor[start[j + 1] - 1].
struct LinearParts {
    Array1<std::int64_t> start, factor;
    Array1<double> centre, scale, fill;
    Array1<std::int64_t> numeric_columns;            // encoded column of each number
    std::vector<Array1<std::int64_t>> code_columns;  // encoded column of each category, and -1 for none
    Array2<double> coef;
    Array1<double> intercept;
};
std::unique_ptr<RowScorer> linear_scorer(LinearParts parts, int link);

// Linear models in the leaves of a tree: those of a node are start[node] … start[node + 1] - 1.
struct LeafParts {
    Array1<double> centre, scale, fill;  // of each number
    Array1<std::int64_t> start, place;   // of a term: its column among the numbers, or among the codes
    Array1<std::int64_t> category;       // -1 for a number
    Array1<double> coef, intercept, bounds;
};
std::unique_ptr<RowScorer> model_tree_scorer(nb::object predictor, LeafParts parts);

struct BayesParts {
    Array1<double> prior;
    Array1<std::int32_t> kind, column;
    Array1<std::int64_t> size, start;
    Array1<double> numbers;
};
std::unique_ptr<RowScorer> bayes_scorer(BayesParts parts, std::size_t numbers, std::size_t codes);

// A member of an ensemble; `numeric` and `codes` say which columns it sees, and are empty for all.
struct RowMember {
    nb::object scorer;
    double weight;
    bool hard;  // one vote for its class, not its probabilities
    std::vector<std::int64_t> classes, numeric, codes;
};
std::unique_ptr<RowScorer> ensemble_scorer(std::vector<RowMember> members, std::size_t outputs);
