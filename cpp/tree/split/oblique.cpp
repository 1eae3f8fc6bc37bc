// Directions come from Fisher's discriminants, because they are good at once; random changes then improve the best of
// them.
#include "tree/split/oblique.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"

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

// The numeric features of the highest gains, in their own order.
std::vector<std::int32_t> useful_features(const NodeContext& context, std::span<const Candidate> axis) {
    std::vector<const Candidate*> numeric;
    for (const Candidate& c : axis)
        if (c.valid && !context.data.features[static_cast<std::size_t>(c.feature)].nominal) numeric.push_back(&c);
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

// Fisher's direction of one class against the rest: (within-class scatter)^-1 (difference of means).
std::vector<double> discriminant(const NodeContext& context, const Sample& sample, Label label) {
    const std::size_t p = sample.terms(), n = sample.entries.size();
    std::vector<double> mean(2 * p, 0.0), weight(2, 0.0);
    const auto side = [&](std::size_t i) { return context.node.labels()[sample.entries[i]] == label ? 1u : 0u; };
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weight_of(context.node, sample.entries[i]);
        weight[side(i)] += w;
        for (std::size_t j = 0; j < p; ++j) mean[side(i) * p + j] += w * sample.standard[i * p + j];
    }
    if (weight[0] <= 0 || weight[1] <= 0) return {};
    for (std::size_t j = 0; j < 2 * p; ++j) mean[j] /= weight[j / p];
    std::vector<double> scatter(p * p, 0.0), direction(p);
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weight_of(context.node, sample.entries[i]) / (weight[0] + weight[1]);
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t k = 0; k <= j; ++k)
                scatter[j * p + k] += w * (sample.standard[i * p + j] - mean[side(i) * p + j]) *
                                      (sample.standard[i * p + k] - mean[side(i) * p + k]);
    }
    // Columns that repeat each other make the scatter singular: a small ridge keeps the direction finite.
    for (std::size_t j = 0; j < p; ++j) scatter[j * p + j] += 1e-3;
    for (std::size_t j = 0; j < p; ++j) direction[j] = mean[p + j] - mean[j];
    solve(scatter, direction);
    return direction;
}

struct Cut {
    double score = -std::numeric_limits<double>::infinity();
    double threshold = 0;
    double left_weight = 0, right_weight = 0;
};

// The best threshold of the rows' sums, by the purity of the two sides.
Cut best_cut(const NodeContext& context, const Sample& sample, std::span<const double> sums) {
    const std::size_t n = sums.size(), width = context.width();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return sums[a] != sums[b] ? sums[a] < sums[b] : a < b; });
    std::vector<double> left(width, 0.0), right(width, 0.0);
    double left_weight = 0, right_weight = 0, left_rows = 0;
    const double all_rows = count_rows(context.node, sample.entries);
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weight_of(context.node, sample.entries[i]);
        right[context.node.labels()[sample.entries[i]]] += w;
        right_weight += w;
    }
    Cut best;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const std::uint32_t entry = sample.entries[order[i]];
        const double w = weight_of(context.node, entry);
        left[context.node.labels()[entry]] += w;
        right[context.node.labels()[entry]] -= w;
        left_weight += w;
        right_weight -= w;
        left_rows += context.node.counts() ? context.node.counts()[entry] : 1.0;
        const double low = sums[order[i]], high = sums[order[i + 1]];
        if (!(low < high) || !context.minimum.met(left_weight, left_rows)) continue;
        if (!context.minimum.met(right_weight, all_rows - left_rows)) continue;
        const double score = context.scorer.purity({left, left_weight}, context.integral) +
                             context.scorer.purity({right, right_weight}, context.integral);
        if (score <= best.score) continue;
        const double middle = low / 2 + high / 2;
        best = {score, middle >= low && middle < high ? middle : low, left_weight, right_weight};
    }
    return best;
}

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
std::vector<double> best_direction(const NodeContext& context, const Sample& sample) {
    std::vector<double> best;
    double score = -std::numeric_limits<double>::infinity();
    const auto consider = [&](std::vector<double> direction) {
        if (direction.empty() || !std::all_of(direction.begin(), direction.end(), [](double d) { return d - d == 0; }))
            return;
        scale_to_one(direction);
        const Cut cut = best_cut(context, sample, project(sample, direction, sample.standard));
        if (cut.score > score) {
            score = cut.score;
            best = std::move(direction);
        }
    };
    for (std::size_t c = 0; c < context.width(); ++c)
        if (context.sums[c] > 0) consider(discriminant(context, sample, static_cast<Label>(c)));
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
                                       const Candidate* chosen) {
    std::vector<std::int32_t> features = useful_features(context, axis);
    if (features.size() < 2 || context.node.size < fewest_rows) return std::nullopt;
    const Sample sample = gather(context, std::move(features));
    if (sample.entries.size() < fewest_rows) return std::nullopt;
    const std::vector<double> direction = best_direction(context, sample);
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
    const Cut cut = best_cut(context, sample, project(sample, coefficients, sample.raw));
    if (cut.score == -std::numeric_limits<double>::infinity()) return std::nullopt;
    test.threshold = cut.threshold;
    Candidate candidate;
    candidate.feature = test.features.front();
    candidate.missing_branch = context.config.missing == MissingPolicy::fractional ? -1
                               : cut.left_weight >= cut.right_weight               ? 0
                                                                                   : 1;
    double parent = context.scorer.purity({context.sums, context.weight}, context.integral);
    const double known = cut.left_weight + cut.right_weight;
    if (sample.entries.size() < context.node.size) {
        std::vector<double> sums(context.width(), 0.0);
        for (const std::uint32_t entry : sample.entries)
            sums[context.node.labels()[entry]] += weight_of(context.node, entry);
        parent = context.scorer.purity({sums, known}, context.integral);
    }
    const double weights[] = {cut.left_weight, cut.right_weight};
    judge(context, candidate, cut.score - parent, 0, weights, context.weight - known);
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
