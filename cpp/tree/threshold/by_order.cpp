// The best threshold of a numeric feature: one pass over the node's rows in the order of their values, moving each
// from the right side to the left and scoring wherever the value changes.
#include <algorithm>
#include <cmath>

#include "tree/loss/categories.hpp"
#include "tree/threshold/entropy_cut.hpp"
#include "tree/threshold/order_scan.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {
namespace {

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
                                              {right, request.right_weight}, scratch.left.size(), request.admitted))
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

Best scan_medians(const Request& request, const ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    const bool one = request.only != any_position;
    const std::size_t first = one ? request.only : request.admitted.first;
    const std::size_t end = one ? std::min<std::size_t>(request.only + 1u, request.admitted.end) : request.admitted.end;
    const CutFits fits = fit_cuts(*request.context.targets, node,
                                  {request.order, request.standing_left, request.standing_right, first, end});
    return scan(
        MedianState{node.weights(), fits.left.data(), fits.right.data(), request.left_weight, request.right_weight},
        request, scratch);
}

}  // namespace

Best best_threshold(const Request& request, ScanScratch& scratch) {
    const GrowNode& node = request.context.node;
    if (request.context.by_medians()) return scan_medians(request, scratch);
    if (request.context.data.outputs) return scan_outputs(request, scratch);
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
        case Criterion::poisson:
            return scan(PoissonState{node.targets(), node.weights(), scratch.left[0], scratch.right[0],
                                     request.left_weight, request.right_weight, 1e-14 * node.sums[0]},
                        request, scratch);
        case Criterion::absolute_error:
            break;
    }
    return {};
}

Admitted admit(const NodeContext& context, std::span<const std::uint32_t> order, const Minimum& minimum, double left,
               double right) {
    Admitted admitted{0, order.empty() ? 0 : order.size() - 1, minimum.weight};
    if (!context.node.store->weighted) return admitted;
    const double* counts = context.node.counts();
    const auto count = [&](std::size_t i) { return counts ? counts[order[i] & position_mask] : 1.0; };
    while (admitted.first < admitted.end && (left += count(admitted.first)) < minimum.rows) ++admitted.first;
    while (admitted.end > admitted.first && (right += count(admitted.end)) < minimum.rows) --admitted.end;
    return admitted;
}

double weight_up_to(const NodeContext& context, std::span<const std::uint32_t> order, std::uint32_t position) {
    const double* weights = context.node.weights();
    if (!weights) return position + 1.0;
    double sum = 0;
    for (std::uint32_t i = 0; i <= position; ++i) sum += weights[order[i] & position_mask];
    return sum;
}

namespace {

// Thresholds that leave enough rows on either side: what the description-length correction counts.
std::size_t count_thresholds(const NodeContext& context, std::span<const std::uint32_t> order, double known,
                             const Admitted& admitted) {
    const double* weights = context.node.weights();
    double left = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < admitted.end; ++i) {
        left += weights ? weights[order[i] & position_mask] : 1.0;
        count += (order[i + 1] & new_value) && i >= admitted.first && left >= admitted.min_weight &&
                 known - left >= admitted.min_weight;
    }
    return count;
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
    const double threshold = draw_between(context, feature, low, high);
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

void place_at(const Best& found, std::span<const std::uint32_t> order, Candidate& candidate) {
    candidate.lower = order[found.position] & position_mask;
    candidate.upper = order[found.position + 1] & position_mask;
    candidate.by_position = true;
}

// The scan of one feature: the rows of known value in order, and what becomes of the others.
class FeatureScan {
 public:
    FeatureScan(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                ScanScratch& scratch)
        : context_(context),
          feature_(feature),
          order_(order),
          scratch_(scratch),
          complete_(order.size() == context.node.size),
          known_sums_(context.sums.begin(), context.sums.end()),
          known_weight_(complete_ ? context.weight : add_rows(context, order, known_sums_)),
          unknown_(complete_ ? 0 : std::max(0.0, context.weight - known_weight_)),
          known_rows_(context.node.store->weighted ? count_rows(context.node, order) : known_weight_),
          unknown_rows_(complete_ ? 0 : std::max(0.0, context.node.count - known_rows_)),
          minimum_(numeric_minimum(context, known_weight_, known_rows_)) {
        candidate_.feature = feature;
        if (!complete_ && context.by_medians()) unknown_positions_ = left_out(context.node, order);
    }

    Candidate run() {
        if (context_.config.random_thresholds) {
            if (order_.empty()) return candidate_;
            only_ = draw_threshold(context_, feature_, order_, candidate_);
            if (all_equal() && (complete_ || context_.config.missing != MissingPolicy::learned)) return candidate_;
        }
        if (complete_ || context_.config.missing == MissingPolicy::fractional) {
            leave_unknown_out();
        } else if (context_.config.missing == MissingPolicy::own_branch) {
            give_unknown_a_branch();
        } else {
            join_unknown();
        }
        return candidate_;
    }

 private:
    // The best threshold when the rows of unknown value stand on the left, on the right, or nowhere.
    Best best(bool unknown_left, bool unknown_right) {
        scratch_.left.assign(context_.width(), 0.0);
        scratch_.right = known_sums_;
        for (std::size_t c = 0; c < context_.width(); ++c) {
            const double missing = context_.sums[c] - known_sums_[c];
            if (unknown_left) scratch_.left[c] = context_.regression() ? missing : std::max(0.0, missing);
            if (unknown_right) scratch_.right[c] = context_.sums[c];
        }
        const int sign = context_.order_of(feature_);
        const Admitted admitted =
            admit(context_, order_, minimum_, unknown_left ? unknown_rows_ : 0, unknown_right ? unknown_rows_ : 0);
        return best_threshold(
            {context_, order_, sign, unknown_left ? unknown_ : 0, known_weight_ + (unknown_right ? unknown_ : 0),
             admitted, only_, unknown_left ? std::span(unknown_positions_) : std::span<const std::uint32_t>(),
             unknown_right ? std::span(unknown_positions_) : std::span<const std::uint32_t>()},
            scratch_);
    }

    double node_purity() const {
        if (context_.by_medians()) return -context_.node.fit.loss;
        return context_.scorer.purity({context_.sums, context_.weight}, context_.integral);
    }
    double known_purity() const {
        if (context_.by_medians()) return median_purity(context_, order_);
        return context_.scorer.purity({known_sums_, known_weight_}, context_.integral);
    }
    double unknown_purity() const {
        if (context_.by_medians()) return median_purity(context_, unknown_positions_);
        std::vector<double> sums(context_.width());
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = context_.sums[c] - known_sums_[c];
        return context_.scorer.purity({sums, unknown_}, context_.integral);
    }

    // Fractional: the gain is that of the rows of known value, and the others follow all branches.
    void leave_unknown_out() {
        const Best found = best(false, false);
        if (!found.found) return;
        place_at(found, order_, candidate_);
        double penalty = 0;
        if (context_.config.mdl_correction)
            penalty = portable_log2(static_cast<double>(
                count_thresholds(context_, order_, known_weight_, admit(context_, order_, minimum_, 0, 0))));
        const double left = weight_up_to(context_, order_, found.position);
        const double sides[] = {left, known_weight_ - left};
        judge(context_, candidate_, found.score - known_purity(), penalty, sides, unknown_);
    }

    void give_unknown_a_branch() {
        const Best found = best(false, false);
        if (!found.found) return;
        place_at(found, order_, candidate_);
        const double left = weight_up_to(context_, order_, found.position);
        const double sides[] = {left, known_weight_ - left, unknown_};
        candidate_.missing_branch = 2;
        judge(context_, candidate_, found.score + unknown_purity() - node_purity(), 0, sides, 0);
    }

    // Learned direction: the unknown rows on the right, on the left, or alone against all known ones.
    void join_unknown() {
        const Best right = best(false, true), left = best(true, false);
        Best found = right;
        candidate_.missing_branch = 1;
        if (left.found && (!found.found || left.score > found.score)) {
            found = left;
            candidate_.missing_branch = 0;
        }
        double left_weight = 0;
        if (found.found) {
            place_at(found, order_, candidate_);
            left_weight =
                weight_up_to(context_, order_, found.position) + (candidate_.missing_branch == 0 ? unknown_ : 0);
        }
        if (may_stand_alone()) {
            const double alone = known_purity() + unknown_purity();
            if (!found.found || alone > found.score) {
                found = {alone, 0, true};
                candidate_.only_missing = true;
                candidate_.missing_branch = 1;
                left_weight = known_weight_;
            }
        }
        if (!found.found) return;
        const double sides[] = {left_weight, context_.weight - left_weight};
        judge(context_, candidate_, found.score - node_purity(), 0, sides, 0);
    }

    // No threshold parts values that are equal: the one that was drawn is that value.
    bool all_equal() const { return only_ + 1 >= order_.size(); }

    // Where thresholds are drawn, missing values stand alone if nothing else can be tested.
    bool may_stand_alone() const {
        return !context_.limited(context_.order_of(feature_)) && (!context_.config.random_thresholds || all_equal()) &&
               known_weight_ > 0 && minimum_.met(known_weight_, known_rows_) && minimum_.met(unknown_, unknown_rows_);
    }

    const NodeContext& context_;
    const std::int32_t feature_;
    const std::span<const std::uint32_t> order_;
    ScanScratch& scratch_;
    const bool complete_;
    std::vector<double> known_sums_;                // of the rows of known value
    std::vector<std::uint32_t> unknown_positions_;  // of the other rows, where medians are looked for
    const double known_weight_, unknown_, known_rows_, unknown_rows_;
    const Minimum minimum_;
    std::uint32_t only_ = any_position;
    Candidate candidate_;
};

// The common case of regression, where nothing is asked for but the best cut: most nodes are so small that the setting
// up of a FeatureScan would take longer than the scan.
bool plain_squares(const NodeContext& context, std::span<const std::uint32_t> order) {
    const TreeConfig& config = context.config;
    return config.criterion == Criterion::squared_error && order.size() == context.node.size && !context.data.outputs &&
           !context.monotonic() && !config.random_thresholds && !config.mdl_correction;
}

Candidate scan_squares(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order) {
    const GrowNode& node = context.node;
    Candidate candidate;
    candidate.feature = feature;
    const Admitted admitted = admit(context, order, numeric_minimum(context, context.weight, node.count), 0, 0);
    SquaredErrorState state{node.targets(), node.weights(), 0, context.sums[0], 0, context.weight};
    const Best found = scan_all(state, order, admitted);
    if (!found.found) return candidate;
    place_at(found, order, candidate);
    const double purity = context.scorer.purity({context.sums, context.weight}, context.integral);
    judge(context, candidate, found.score - purity, 0, {}, 0);
    return candidate;
}

}  // namespace

Candidate scan_order(const NodeContext& context, std::int32_t feature, std::span<const std::uint32_t> order,
                     ScanScratch& scratch) {
    if (plain_squares(context, order)) return scan_squares(context, feature, order);
    return FeatureScan(context, feature, order, scratch).run();
}

}  // namespace vaglio::tree
