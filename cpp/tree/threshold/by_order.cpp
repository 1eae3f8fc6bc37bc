// The best threshold of a numeric feature: one pass over the node's rows in the order of their values, moving each
// from the right side to the left and scoring wherever the value changes.
#include <algorithm>
#include <cmath>

#include "tree/split/context.hpp"
#include "tree/threshold/entropy_cut.hpp"

namespace vaglio {
namespace {

struct Best {
    double score = -std::numeric_limits<double>::infinity();
    std::uint32_t position = 0;  // of the last entry on the left
    bool found = false;
};

// Running state of a scan, one per criterion: move(i) takes row i to the left, score() is ΣP of both sides.

template <bool Unit>
struct GiniState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_squares, right_squares, left_weight, right_weight;

    void move(std::uint32_t i) {
        const double w = Unit ? 1.0 : weights[i];
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        left_squares += w * (2 * l + w);
        right_squares -= w * (2 * r - w);
        l += w;
        r -= w;
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return left_squares / left_weight + right_squares / right_weight; }
};

// Whole counts: entries of the table, exact.
template <bool Unit>
struct CountEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    const std::int64_t* table;
    double left_weight, right_weight;
    std::int64_t inner;  // Σ c·log2 c of both sides

    void move(std::uint32_t i) {
        const double w = Unit ? 1.0 : weights[i];
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        inner -= table[static_cast<std::size_t>(l)] + table[static_cast<std::size_t>(r)];
        l += w;
        r -= w;
        inner += table[static_cast<std::size_t>(l)] + table[static_cast<std::size_t>(r)];
        left_weight += w;
        right_weight -= w;
    }
    double score() const {
        return static_cast<double>(inner - table[static_cast<std::size_t>(left_weight)] -
                                   table[static_cast<std::size_t>(right_weight)]) /
               LogTable::scale;
    }
};

struct RealEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_weight, right_weight, inner;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        inner -= xlog2x(l) + xlog2x(r);
        l += w;
        r = std::max(0.0, r - w);
        inner += xlog2x(l) + xlog2x(r);
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return inner - xlog2x(left_weight) - xlog2x(right_weight); }
};

// The same for few classes: logarithms only where a score is asked for, which is once per value, not per row.
struct FewClassEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_weight, right_weight;
    std::size_t classes;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left[labels[i]] += w;
        right[labels[i]] -= w;
        left_weight += w;
        right_weight -= w;
    }
    double score() const {
        double inner = 0;
        for (std::size_t c = 0; c < classes; ++c) inner += xlog2x(left[c]) + xlog2x(right[c]);
        return inner - xlog2x(left_weight) - xlog2x(right_weight);
    }
};

struct SquaredErrorState {
    const double* targets;
    const double* weights;
    double left_sum, right_sum, left_weight, right_weight;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left_sum += w * targets[i];
        right_sum -= w * targets[i];
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return left_sum * left_sum / left_weight + right_sum * right_sum / right_weight; }
};

// The largest class on the right only shrinks as rows leave it, which a running maximum cannot follow; so the
// maxima of the right sides are computed beforehand from the far end, where they grow.
struct ErrorState {
    double* left;
    const Label* labels;
    const double* weights;
    const double* suffix;  // largest class weight right of each position
    double left_weight, right_weight, left_largest;
    std::size_t moved = 0;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left[labels[i]] += w;
        left_largest = std::max(left_largest, left[labels[i]]);
        left_weight += w;
        right_weight -= w;
        ++moved;
    }
    double score() const { return left_largest + suffix[moved]; }
};

// Any of these states under a monotonic constraint: a split whose sides are in the wrong order, or outside the bounds
// set by the tests above, scores nothing. The value of a side is its mean, or its share of the second class.
template <class State>
struct Guarded : State {
    const GrowNode* node;
    int sign;
    double left_sum, right_sum;

    void move(std::uint32_t i) {
        const double w = node->weights() ? node->weights()[i] : 1.0;
        const double part = w * (node->store->labels.empty() ? node->targets()[i] : node->labels()[i] == 1);
        left_sum += part;
        right_sum -= part;
        State::move(i);
    }
    double score() const {
        const double left_value = left_sum / this->left_weight, right_value = right_sum / this->right_weight;
        const bool ordered = (left_value - right_value) * sign <= 0;
        const bool inside =
            std::min(left_value, right_value) >= node->lower && std::max(left_value, right_value) <= node->upper;
        return ordered && inside ? State::score() : -std::numeric_limits<double>::infinity();
    }
};

constexpr std::uint32_t any_position = UINT32_MAX;

// What a scan is asked for: the best position, or the score of one.
struct Request {
    const NodeContext& context;
    std::span<const std::uint32_t> order;
    int sign;
    double left_weight, right_weight, min_leaf;
    std::uint32_t only;
};

template <class State>
Best scan_all(State& state, std::span<const std::uint32_t> order, double min_leaf) {
    Best best;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        state.move(order[i] & position_mask);
        if (!(order[i + 1] & new_value) || state.left_weight < min_leaf || state.right_weight < min_leaf) continue;
        const double score = state.score();
        if (score > best.score) best = {score, static_cast<std::uint32_t>(i), true};
    }
    return best;
}

template <class State>
Best scan_one(State& state, std::span<const std::uint32_t> order, std::uint32_t position, double min_leaf) {
    for (std::uint32_t i = 0; i <= position; ++i) state.move(order[i] & position_mask);
    if (state.left_weight < min_leaf || state.right_weight < min_leaf) return {};
    const double score = state.score();
    return {score, position, score > -std::numeric_limits<double>::infinity()};
}

template <class State>
Best scan(State state, const Request& request, const ScanScratch& scratch) {
    const auto run = [&](auto& running) {
        return request.only == any_position ? scan_all(running, request.order, request.min_leaf)
                                            : scan_one(running, request.order, request.only, request.min_leaf);
    };
    if (!request.context.monotonic()) return run(state);
    const std::size_t c = request.context.regression() ? 0 : 1;
    Guarded<State> guarded{state, &request.context.node, request.sign, scratch.left[c], scratch.right[c]};
    return run(guarded);
}

void suffix_maxima(const NodeContext& context, std::span<const std::uint32_t> order, std::vector<double> right_start,
                   std::vector<double>& suffix) {
    const Label* labels = context.node.labels();
    const double* weights = context.node.weights();
    suffix.assign(order.size() + 1, 0.0);
    double largest = *std::max_element(right_start.begin(), right_start.end());
    suffix[order.size()] = largest;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::uint32_t row = order[i] & position_mask;
        double& c = right_start[labels[row]];
        c += weights ? weights[row] : 1.0;
        largest = std::max(largest, c);
        suffix[i] = largest;
    }
}

double sum_of_squares(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v * v;
    return sum;
}

Best scan_entropy(const Request& request, ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    if (!request.context.integral && request.only == any_position && !request.context.monotonic())
        if (const auto cut = best_entropy_cut(node, request.order, {left, request.left_weight},
                                              {right, request.right_weight}, scratch.left.size(), request.min_leaf))
            return {cut->score, cut->position, cut->found};
    if (!request.context.integral && scratch.left.size() <= 4)
        return scan(FewClassEntropyState{left, right, node.labels(), node.weights(), request.left_weight,
                                         request.right_weight, scratch.left.size()},
                    request, scratch);
    if (!request.context.integral) {
        double inner = 0;
        for (std::size_t c = 0; c < scratch.left.size(); ++c) inner += xlog2x(left[c]) + xlog2x(right[c]);
        return scan(RealEntropyState{left, right, node.labels(), node.weights(), request.left_weight,
                                     request.right_weight, inner},
                    request, scratch);
    }
    const std::int64_t* table = request.context.scorer.table().data();
    std::int64_t inner = 0;
    for (std::size_t c = 0; c < scratch.left.size(); ++c)
        inner += table[static_cast<std::size_t>(left[c])] + table[static_cast<std::size_t>(right[c])];
    const auto start = [&]<bool Unit>() {
        return CountEntropyState<Unit>{
            left, right, node.labels(), node.weights(), table, request.left_weight, request.right_weight, inner};
    };
    return node.weights() ? scan(start.template operator()<false>(), request, scratch)
                          : scan(start.template operator()<true>(), request, scratch);
}

Best scan_gini(const Request& request, ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    const double left_squares = sum_of_squares(scratch.left), right_squares = sum_of_squares(scratch.right);
    const auto start = [&]<bool Unit>() {
        return GiniState<Unit>{scratch.left.data(), scratch.right.data(), node.labels(),       node.weights(),
                               left_squares,        right_squares,        request.left_weight, request.right_weight};
    };
    return node.weights() ? scan(start.template operator()<false>(), request, scratch)
                          : scan(start.template operator()<true>(), request, scratch);
}

Best scan_error(const Request& request, ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    // Rows of unknown value that were put on the right stay there.
    std::vector<double> staying;
    add_rows(request.context, request.order, staying);
    for (std::size_t c = 0; c < staying.size(); ++c) staying[c] = scratch.right[c] - staying[c];
    suffix_maxima(request.context, request.order, staying, scratch.suffix);
    const double largest = *std::max_element(scratch.left.begin(), scratch.left.end());
    return scan(ErrorState{scratch.left.data(), node.labels(), node.weights(), scratch.suffix.data(),
                           request.left_weight, request.right_weight, largest},
                request, scratch);
}

// Scans with scratch.left and scratch.right as the sums of the two sides before the first row moves.
Best best_threshold(const Request& request, ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    switch (request.context.scorer.criterion()) {
        case Criterion::gini:
            return scan_gini(request, scratch);
        case Criterion::gain:
        case Criterion::gain_ratio:
            return scan_entropy(request, scratch);
        case Criterion::error:
            return scan_error(request, scratch);
        case Criterion::squared_error:
            return scan(SquaredErrorState{node.targets(), node.weights(), scratch.left[0], scratch.right[0],
                                          request.left_weight, request.right_weight},
                        request, scratch);
    }
    return {};
}

// Thresholds that leave enough rows on either side: what the description-length correction counts.
std::size_t count_thresholds(const NodeContext& context, std::span<const std::uint32_t> order, double known,
                             double min_leaf) {
    const double* weights = context.node.weights();
    double left = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        left += weights ? weights[order[i] & position_mask] : 1.0;
        count += (order[i + 1] & new_value) && left >= min_leaf && known - left >= min_leaf;
    }
    return count;
}

double weight_up_to(const NodeContext& context, std::span<const std::uint32_t> order, std::uint32_t position) {
    const double* weights = context.node.weights();
    if (!weights) return position + 1.0;
    double sum = 0;
    for (std::uint32_t i = 0; i <= position; ++i) sum += weights[order[i] & position_mask];
    return sum;
}

std::uint32_t rank_at(const NodeContext& context, std::int32_t feature, std::uint32_t entry) {
    const std::uint32_t column = context.data.features[static_cast<std::size_t>(feature)].column;
    return context.data.rank_column(column)[context.node.rows()[entry & position_mask]];
}

// A threshold drawn uniformly between the least and the greatest value, and the last entry at or below it.
std::uint32_t draw_threshold(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                             Candidate& candidate) {
    const auto values = context.data.values[context.data.features[static_cast<std::size_t>(feature)].column];
    const auto value_at = [&](std::size_t i) { return values[rank_at(context, feature, order[i])]; };
    const double low = value_at(0), high = value_at(order.size() - 1);
    Random random(key_of(context.node.key, ~static_cast<std::uint64_t>(feature)));
    double threshold = low + random.uniform() * (high - low);
    if (!(threshold >= low && threshold < high)) threshold = low;
    std::size_t first = 0, count = order.size();
    while (count > 0) {
        const std::size_t half = count / 2;
        const bool below = value_at(first + half) <= threshold;
        first = below ? first + half + 1 : first;
        count = below ? count - half - 1 : half;
    }
    candidate.drawn = true;
    candidate.threshold = threshold;
    return static_cast<std::uint32_t>(first - 1);
}

}  // namespace

Candidate scan_numeric(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                       ScanScratch& scratch) {
    Candidate candidate;
    candidate.feature = feature;
    const bool complete = order.size() == context.node.size;
    std::vector<double>& known = scratch.missing;  // sums of the rows of known value
    double known_weight = context.weight;
    known.assign(context.sums.begin(), context.sums.end());
    if (!complete) known_weight = add_rows(context, order, known);
    const double unknown = complete ? 0 : std::max(0.0, context.weight - known_weight);
    const double min_leaf = numeric_minimum(context, known_weight);
    const std::vector<double> known_sums = known;

    std::uint32_t only = any_position;
    if (context.config.random_thresholds) {
        if (order.size() < 2) return candidate;
        only = draw_threshold(context, feature, order, candidate);
        if (only + 1 >= order.size()) return candidate;  // all values equal
    }
    const int sign = context.monotonic() ? context.config.monotonic[static_cast<std::size_t>(feature)] : 0;
    const auto run = [&](bool unknown_left, bool unknown_right) {
        scratch.left.assign(context.width(), 0.0);
        scratch.right = known_sums;
        for (std::size_t c = 0; c < context.width(); ++c) {
            const double missing = std::max(0.0, context.sums[c] - known_sums[c]);
            if (unknown_left) scratch.left[c] = context.regression() ? context.sums[c] - known_sums[c] : missing;
            if (unknown_right) scratch.right[c] = context.sums[c];
        }
        return best_threshold({context, order, sign, unknown_left ? unknown : 0,
                               known_weight + (unknown_right ? unknown : 0), min_leaf, only},
                              scratch);
    };
    const auto place = [&](const Best& best) {
        candidate.lower = rank_at(context, feature, order[best.position]);
        candidate.upper = rank_at(context, feature, order[best.position + 1]);
    };

    const Scorer& scorer = context.scorer;
    if (complete || context.config.missing == MissingPolicy::fractional) {
        const Best best = run(false, false);
        if (!best.found) return candidate;
        place(best);
        double penalty = 0;
        if (context.config.mdl_correction)
            penalty = portable_log2(static_cast<double>(count_thresholds(context, order, known_weight, min_leaf)));
        const double left = weight_up_to(context, order, best.position);
        const double sides[] = {left, known_weight - left};
        judge(context, candidate, best.score - scorer.purity({known_sums, known_weight}, context.integral), penalty,
              sides, unknown);
        return candidate;
    }
    const double parent = scorer.purity({context.sums, context.weight}, context.integral);
    if (context.config.missing == MissingPolicy::own_branch) {
        const Best best = run(false, false);
        if (!best.found) return candidate;
        place(best);
        std::vector<double> missing_sums;
        for (std::size_t c = 0; c < context.width(); ++c) missing_sums.push_back(context.sums[c] - known_sums[c]);
        const double own = scorer.purity({missing_sums, unknown}, context.integral);
        const double left = weight_up_to(context, order, best.position);
        const double sides[] = {left, known_weight - left, unknown};
        candidate.missing_branch = 2;
        judge(context, candidate, best.score + own - parent, 0, sides, 0);
        return candidate;
    }
    // Learnt direction: the unknown rows on the right, on the left, or alone against all known ones.
    const Best right = run(false, true), left = run(true, false);
    Best best = right;
    candidate.missing_branch = 1;
    if (left.found && (!best.found || left.score > best.score)) {
        best = left;
        candidate.missing_branch = 0;
    }
    double left_weight = 0;
    if (best.found) {
        place(best);
        left_weight = weight_up_to(context, order, best.position) + (candidate.missing_branch == 0 ? unknown : 0);
    }
    const bool alone_allowed = !context.monotonic() && !context.config.random_thresholds;
    if (alone_allowed && known_weight >= min_leaf && unknown >= min_leaf && known_weight > 0) {
        std::vector<double> missing_sums;
        for (std::size_t c = 0; c < context.width(); ++c) missing_sums.push_back(context.sums[c] - known_sums[c]);
        const double alone = scorer.purity({known_sums, known_weight}, context.integral) +
                             scorer.purity({missing_sums, unknown}, context.integral);
        if (!best.found || alone > best.score) {
            best = {alone, 0, true};
            candidate.only_missing = true;
            candidate.missing_branch = 1;
            left_weight = known_weight;
        }
    }
    if (!best.found) return candidate;
    const double sides[] = {left_weight, context.weight - left_weight};
    judge(context, candidate, best.score - parent, 0, sides, 0);
    return candidate;
}

}  // namespace vaglio
