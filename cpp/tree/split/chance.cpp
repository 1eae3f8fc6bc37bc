// Many values fit any target. Of the target's variance (for classes: of the Gini index) V values that tell nothing
// explain (V - 1) / (N - 1) on average over all orders of the rows, whatever the number of classes, with the variance
// of a beta distribution. So the share that a feature explains is compared with this:
//   reliability = 1 - (explained by chance) / (explained).
// Explained by chance is the mean plus two standard deviations, on the scale from 0 for a feature of two values
// (numeric features, which choose their threshold, are not corrected either) to 1 for one that names every row. A test
// divides the values by what they seem to tell; on other rows its sides differ by `reliability` times as much, and a
// gain goes by the square of the difference. Rows of unequal weight tell less than as many equal ones: Kish's effective
// numbers stand in place of V and N.
#include "tree/split/chance.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vaglio::tree {
namespace {

constexpr double deviations = 2;  // one feature in forty that tells nothing is above this

// Weight and sums of a set of rows, and Σ w².
struct Sums {
    double weight = 0, squares = 0;
    std::vector<double> sums;
};

// Sum of squared deviations from the mean (for classes, of each class indicator).
double deviation(const NodeContext& context, const double* sums, double weight) {
    if (context.regression()) return sums[1] - sums[0] * sums[0] / weight;
    double squares = 0;
    for (std::size_t c = 0; c < context.width(); ++c) squares += sums[c] * sums[c];
    return weight - squares / weight;
}

// The share of the variance that `degrees` free values explain by chance, of `all` degrees of freedom.
double by_chance(double degrees, double all) {
    const double rest = std::max(0.0, all - degrees);
    return degrees / all + deviations * std::sqrt(2 * degrees * rest / (all * all * (all + 2)));
}

}  // namespace

bool is_guarded(const NodeContext& context, std::int32_t feature) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    return static_cast<double>(context.data.categories[column]) > context.config.guarded_from;
}

double expected_part(const NodeContext& context, const ScanScratch& scratch, std::size_t known) {
    const std::size_t width = context.width();
    const bool weighted = context.node.weighs();
    Sums all{0, 0, std::vector<double>(width, 0.0)};
    double within = 0, values = 0;
    for (std::size_t s = 0; s < known; ++s) {
        const double weight = scratch.category_weight[s];
        if (weight <= 0) continue;
        const double* sums = &scratch.category_sums[s * width];
        const double squares = weighted ? scratch.category_squares[s] : weight;
        within += deviation(context, sums, weight);
        values += squares / weight;
        all.weight += weight;
        all.squares += squares;
        for (std::size_t c = 0; c < width; ++c) all.sums[c] += sums[c];
    }
    if (all.weight <= 0) return 0;
    const double total = deviation(context, all.sums.data(), all.weight);
    const double row = all.squares / all.weight;  // what one row counts, on average
    const double rows = all.weight / row - 1, used = values / row - 1;
    if (total <= 0 || rows <= 1 || used <= 1) return 1;
    const double explained = 1 - within / total;
    const double two = by_chance(1, rows);
    const double chance = two < 1 ? (by_chance(std::min(used, rows), rows) - two) / (1 - two) : 0;
    const double reliability = explained > 0 ? std::max(0.0, 1 - chance / explained) : 0;
    return reliability * reliability;
}

}  // namespace vaglio::tree
