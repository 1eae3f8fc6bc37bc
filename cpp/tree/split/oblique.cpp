// Directions come from Fisher's discriminants, and for numbers from least squares too, because they are good at once;
// random changes then improve the best of them.
#include "tree/split/oblique.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "tree/threshold/order_scan.hpp"

namespace vaglio::tree {
namespace {

// More columns than this make tests nobody reads, and the discriminant's cost grows with their square.
constexpr std::size_t most_terms = 16;
constexpr std::size_t fewest_rows = 8;  // fewer rows are separated by almost any direction
constexpr int random_tries = 24;        // bounds the time per node to that of a few dozen scans
// A term that moves the sum by less than this share of the largest one is left out.
constexpr double least_share = 0.02;

// The complete rows of the node in the columns that take part, standardised.
struct Sample {
    std::vector<std::int32_t> features;
    std::vector<std::uint32_t> entries;  // positions in the node of rows without a missing value
    std::vector<double> raw, standard;   // row after row
    std::vector<double> mean, deviation;

    std::size_t terms() const { return features.size(); }
};

double value_at(const TreeData& data, std::int32_t feature, std::uint32_t row) {
    const std::uint32_t column = data.features[static_cast<std::size_t>(feature)].column;
    const std::uint32_t rank = data.rank_column(column)[row];
    return rank == missing_rank ? std::numeric_limits<double>::quiet_NaN() : data.values[column][rank];
}

// The numeric features of the highest gains, in their own order. A feature that the prediction must rise or fall with
// has no part in a sum: the sum would have to be ordered too.
std::vector<std::int32_t> useful_features(const NodeContext& context, std::span<const Candidate> axis) {
    std::vector<const Candidate*> numeric;
    for (const Candidate& c : axis) {
        if (!c.valid || context.data.features[static_cast<std::size_t>(c.feature)].nominal) continue;
        if (context.order_of(c.feature) == 0) numeric.push_back(&c);
    }
    std::stable_sort(numeric.begin(), numeric.end(),
                     [](const Candidate* a, const Candidate* b) { return a->gain > b->gain; });
    if (numeric.size() > most_terms) numeric.resize(most_terms);
    std::vector<std::int32_t> features;
    features.reserve(numeric.size());
    for (const Candidate* c : numeric) features.push_back(c->feature);
    std::sort(features.begin(), features.end());
    return features;
}

double weight_of(const GrowNode& node, std::uint32_t entry) { return node.weights() ? node.weights()[entry] : 1.0; }

Sample gather(const NodeContext& context, std::vector<std::int32_t> features) {
    Sample sample;
    sample.features = std::move(features);
    const std::size_t p = sample.terms();
    std::vector<double> row(p);
    for (std::uint32_t i = 0; i < context.node.size; ++i) {
        bool known = true;
        for (std::size_t j = 0; j < p; ++j) {
            row[j] = value_at(context.data, sample.features[j], context.node.rows()[i]);
            known = known && row[j] == row[j];
        }
        if (!known) continue;
        sample.entries.push_back(i);
        sample.raw.insert(sample.raw.end(), row.begin(), row.end());
    }
    sample.mean.assign(p, 0.0);
    sample.deviation.assign(p, 0.0);
    const std::size_t n = sample.entries.size();
    // Numbers are squared in units near one: a power of two loses nothing, and any number has a square then.
    std::vector<int> exponent(p, 0);
    for (std::size_t j = 0; j < p; ++j) {
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(sample.raw[i * p + j]));
        if (largest > 0) exponent[j] = std::ilogb(largest);
    }
    const auto in_units = [&](std::size_t i, std::size_t j) { return std::ldexp(sample.raw[i * p + j], -exponent[j]); };
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weight_of(context.node, sample.entries[i]);
        total += w;
        for (std::size_t j = 0; j < p; ++j) {
            const double change = in_units(i, j) - sample.mean[j];
            sample.mean[j] += w * change / total;
            sample.deviation[j] += w * change * (in_units(i, j) - sample.mean[j]);
        }
    }
    for (double& d : sample.deviation) d = d > 0 ? std::sqrt(d / total) : 1.0;
    sample.standard.resize(n * p);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < p; ++j)
            sample.standard[i * p + j] = (in_units(i, j) - sample.mean[j]) / sample.deviation[j];
    for (std::size_t j = 0; j < p; ++j) {
        sample.mean[j] = std::ldexp(sample.mean[j], exponent[j]);
        sample.deviation[j] = std::ldexp(sample.deviation[j], exponent[j]);
    }
    return sample;
}

// Solves A x = b for a symmetric positive definite A by Cholesky's factors; A is overwritten.
void solve(std::vector<double>& a, std::vector<double>& b) {
    const std::size_t p = b.size();
    for (std::size_t j = 0; j < p; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < p; ++i) a[i * p + j] -= a[i * p + k] * a[j * p + k];
        const double pivot = std::sqrt(std::max(a[j * p + j], 1e-12));
        for (std::size_t i = j; i < p; ++i) a[i * p + j] /= pivot;
    }
    for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * p + k] * b[k];
        b[i] /= a[i * p + i];
    }
    for (std::size_t i = p; i-- > 0;) {
        for (std::size_t k = i + 1; k < p; ++k) b[i] -= a[k * p + i] * b[k];
        b[i] /= a[i * p + i];
    }
}

// (Scatter of the rows around the means of their sides)^-1 · direction. Columns that repeat each other make the scatter
// singular: a small ridge keeps the direction finite.
template <class Side>
void divide_by_scatter(const NodeContext& context, const Sample& sample, const Side& side,
                       const std::vector<double>& mean, double total, std::vector<double>& direction) {
    const std::size_t p = sample.terms();
    std::vector<double> scatter(p * p, 0.0);
    for (std::size_t i = 0; i < sample.entries.size(); ++i) {
        const double w = weight_of(context.node, sample.entries[i]) / total;
        const double* middle = &mean[side(i) * p];
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t k = 0; k <= j; ++k)
                scatter[j * p + k] +=
                    w * (sample.standard[i * p + j] - middle[j]) * (sample.standard[i * p + k] - middle[k]);
    }
    for (std::size_t j = 0; j < p; ++j) scatter[j * p + j] += 1e-3;
    solve(scatter, direction);
}

// Fisher's direction of one part of the rows against the rest: (scatter within the parts)^-1 (difference of means).
template <class InPart>
std::vector<double> discriminant(const NodeContext& context, const Sample& sample, const InPart& in_part) {
    const std::size_t p = sample.terms();
    std::vector<double> mean(2 * p, 0.0), weight(2, 0.0);
    const auto side = [&](std::size_t i) { return in_part(sample.entries[i]) ? 1u : 0u; };
    for (std::size_t i = 0; i < sample.entries.size(); ++i) {
        const double w = weight_of(context.node, sample.entries[i]);
        weight[side(i)] += w;
        for (std::size_t j = 0; j < p; ++j) mean[side(i) * p + j] += w * sample.standard[i * p + j];
    }
    if (weight[0] <= 0 || weight[1] <= 0) return {};
    for (std::size_t j = 0; j < 2 * p; ++j) mean[j] /= weight[j / p];
    std::vector<double> direction(p);
    for (std::size_t j = 0; j < p; ++j) direction[j] = mean[p + j] - mean[j];
    divide_by_scatter(context, sample, side, mean, weight[0] + weight[1], direction);
    return direction;
}

// The slopes of the targets by least squares.
std::vector<double> least_squares(const NodeContext& context, const Sample& sample) {
    const std::size_t p = sample.terms();
    const double middle = context.sums[0] / context.weight;
    std::vector<double> direction(p, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < sample.entries.size(); ++i) {
        const double w = weight_of(context.node, sample.entries[i]);
        const double change = w * (context.node.targets()[sample.entries[i]] - middle);
        total += w;
        for (std::size_t j = 0; j < p; ++j) direction[j] += change * sample.standard[i * p + j];
    }
    // Standardised columns have the mean 0.
    divide_by_scatter(context, sample, [](std::size_t) { return 0u; }, std::vector<double>(p, 0.0), total, direction);
    return direction;
}

// Directions to start from.
std::vector<std::vector<double>> directions(const NodeContext& context, const Sample& sample) {
    std::vector<std::vector<double>> found;
    if (context.regression()) {
        const double middle = context.by_medians() ? context.node.fit.value : context.sums[0] / context.weight;
        found.push_back(least_squares(context, sample));
        found.push_back(
            discriminant(context, sample, [&](std::uint32_t entry) { return context.node.targets()[entry] > middle; }));
        return found;
    }
    for (std::size_t c = 0; c < context.width(); ++c)
        if (context.sums[c] > 0)
            found.push_back(discriminant(context, sample, [&](std::uint32_t entry) {
                return context.node.labels()[entry] == static_cast<Label>(c);
            }));
    return found;
}

struct Cut {
    double score = -std::numeric_limits<double>::infinity();
    double threshold = 0;
    double left_weight = 0, right_weight = 0;
};

// Finds the best threshold of sums of the rows, by the scan that finds those of single columns.
class CutSearch {
 public:
    CutSearch(const NodeContext& context, const Sample& sample, ScanScratch& scratch)
        : context_(context),
          sample_(sample),
          scratch_(scratch),
          known_weight_(add_rows(context, sample.entries, known_sums_)) {}

    Cut best(std::span<const double> sums) {
        const std::size_t n = sums.size();
        by_sum_.resize(n);
        std::iota(by_sum_.begin(), by_sum_.end(), 0u);
        std::sort(by_sum_.begin(), by_sum_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return sums[a] != sums[b] ? sums[a] < sums[b] : a < b; });
        order_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool differs = i == 0 || sums[by_sum_[i - 1]] < sums[by_sum_[i]];
            order_[i] = sample_.entries[by_sum_[i]] | (differs ? new_value : 0);
        }
        scratch_.left.assign(context_.width(), 0.0);
        scratch_.right = known_sums_;
        const Admitted admitted = admit(context_, order_, context_.minimum, 0, 0);
        const Best found =
            best_threshold({context_, order_, 0, 0, known_weight_, admitted, any_position, {}, {}}, scratch_);
        if (!found.found) return {};
        const double low = sums[by_sum_[found.position]], high = sums[by_sum_[found.position + 1]];
        const double middle = low / 2 + high / 2, left = weight_up_to(context_, order_, found.position);
        return {found.score, middle >= low && middle < high ? middle : low, left, known_weight_ - left};
    }

    // P of the rows that are cut.
    double purity() const {
        if (context_.by_medians()) return median_purity(context_, sample_.entries);
        return context_.scorer.purity({known_sums_, known_weight_}, context_.integral);
    }
    double known_weight() const { return known_weight_; }

 private:
    const NodeContext& context_;
    const Sample& sample_;
    ScanScratch& scratch_;
    std::vector<double> known_sums_;
    double known_weight_;
    std::vector<std::uint32_t> by_sum_, order_;
};

std::vector<double> project(const Sample& sample, std::span<const double> direction,
                            const std::vector<double>& values) {
    const std::size_t p = direction.size(), n = sample.entries.size();
    std::vector<double> sums(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < p; ++j) sums[i] += direction[j] * values[i * p + j];
    return sums;
}

void scale_to_one(std::vector<double>& direction) {
    double largest = 0;
    for (const double d : direction) largest = std::max(largest, std::abs(d));
    for (double& d : direction) d = largest > 0 ? d / largest : 0;
}

// The best direction in standardised columns.
std::vector<double> best_direction(const NodeContext& context, const Sample& sample, CutSearch& cuts) {
    std::vector<double> best;
    double score = -std::numeric_limits<double>::infinity();
    const auto consider = [&](std::vector<double> direction) {
        if (direction.empty() || !std::all_of(direction.begin(), direction.end(), [](double d) { return d - d == 0; }))
            return;
        scale_to_one(direction);
        const Cut cut = cuts.best(project(sample, direction, sample.standard));
        if (cut.score > score) {
            score = cut.score;
            best = std::move(direction);
        }
    };
    for (std::vector<double>& direction : directions(context, sample)) consider(std::move(direction));
    Random random(key_of(context.node.key, 0x0b11e));
    for (int attempt = 0; attempt < random_tries && !best.empty(); ++attempt) {
        std::vector<double> changed = best;
        changed[random.below(changed.size())] += (2 * random.uniform() - 1) * (attempt % 3 == 0 ? 2.0 : 0.5);
        consider(std::move(changed));
    }
    return best;
}

}  // namespace

std::optional<Candidate> search_linear(const NodeContext& context, std::span<const Candidate> axis,
                                       const Candidate* chosen, ScanScratch& scratch) {
    std::vector<std::int32_t> features = useful_features(context, axis);
    if (features.size() < 2 || context.node.size < fewest_rows) return std::nullopt;
    const Sample sample = gather(context, std::move(features));
    if (sample.entries.size() < fewest_rows) return std::nullopt;
    // Rows that join a branch later would move its value, maybe beyond the bounds of monotonic tests above.
    if (context.limited(0) && sample.entries.size() < context.node.size) return std::nullopt;
    CutSearch cuts(context, sample, scratch);
    const std::vector<double> direction = best_direction(context, sample, cuts);
    if (direction.empty()) return std::nullopt;
    LinearTest test;
    std::vector<double> coefficients(sample.terms(), 0.0);
    for (std::size_t j = 0; j < sample.terms(); ++j) {
        if (std::abs(direction[j]) < least_share) continue;
        coefficients[j] = direction[j] / sample.deviation[j];
        if (!std::isfinite(coefficients[j])) return std::nullopt;
        test.features.push_back(sample.features[j]);
        test.coefficients.push_back(coefficients[j]);
    }
    if (test.features.size() < 2) return std::nullopt;
    // The threshold is found on the sums that prediction will compute, so that no rounding moves a training row.
    const Cut cut = cuts.best(project(sample, coefficients, sample.raw));
    if (cut.score == -std::numeric_limits<double>::infinity()) return std::nullopt;
    test.threshold = cut.threshold;
    Candidate candidate;
    candidate.feature = test.features.front();
    candidate.missing_branch = context.config.missing == MissingPolicy::fractional ? -1
                               : cut.left_weight >= cut.right_weight               ? 0
                                                                                   : 1;
    const double weights[] = {cut.left_weight, cut.right_weight};
    judge(context, candidate, cut.score - cuts.purity(), 0, weights,
          std::max(0.0, context.weight - cuts.known_weight()));
    const bool better = !chosen || (candidate.gain > chosen->gain * (1 + 1e-9) && candidate.worth > chosen->worth);
    if (!candidate.valid || !better) return std::nullopt;
    candidate.linear = std::make_shared<const LinearTest>(std::move(test));
    return candidate;
}

void assign_linear(const TreeData& data, const GrowNode& node, const Candidate& candidate,
                   std::vector<std::int32_t>& branch) {
    const LinearTest& test = *candidate.linear;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < test.features.size(); ++j)
            sum += test.coefficients[j] * value_at(data, test.features[j], node.rows()[i]);
        branch[i] = sum != sum ? candidate.missing_branch : static_cast<std::int32_t>(!(sum <= test.threshold));
    }
}

}  // namespace vaglio::tree
