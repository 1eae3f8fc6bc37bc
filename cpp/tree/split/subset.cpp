// For two classes and for numbers the best division is a cut of the sorted categories (Breiman). Few categories of
// several classes are enumerated. For many categories there is no exact method that is fast, so several orders are cut.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tree/loss/categories.hpp"
#include "tree/split/nominal.hpp"

namespace vaglio::tree {
namespace {

constexpr std::size_t enumerable_slots = 10;   // 511 divisions
constexpr std::size_t ordered_classes = 8;     // the largest classes each give an order
constexpr std::size_t component_classes = 64;  // the covariance grows with the square of the classes

// Numbers from 0 on, by their share; of equal ones the first comes first. Sorting with a buffer, as the standard
// library does, costs more than the shares of a few slots.
void sort_by_share(const std::vector<double>& share, std::vector<std::uint32_t>& sorted) {
    constexpr std::size_t few = 24;
    if (sorted.size() > few) {
        std::iota(sorted.begin(), sorted.end(), 0u);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return share[a] < share[b]; });
        return;
    }
    for (std::uint32_t slot = 0; slot < sorted.size(); ++slot) {
        std::size_t place = slot;
        for (; place > 0 && share[slot] < share[sorted[place - 1]]; --place) sorted[place] = sorted[place - 1];
        sorted[place] = slot;
    }
}

class SubsetSearch {
 public:
    SubsetSearch(const NodeContext& context, std::size_t slots, ScanScratch& scratch)
        : context_(context),
          slots_(slots),
          scratch_(scratch),
          left_(scratch.left),
          right_(scratch.right),
          total_(scratch.missing),
          rows_(slot_rows(context, scratch)) {
        left_.assign(context.width(), 0.0);
        right_.assign(context.width(), 0.0);
        total_.assign(context.width(), 0.0);
        for (std::size_t s = 0; s < slots; ++s) {
            total_weight_ += scratch.category_weight[s];
            total_rows_ += rows_[s];
            for (std::size_t c = 0; c < width(); ++c) total_[c] += sums(s)[c];
        }
        best_.side.assign(slots, 0);
    }

    // All 2^(slots-1) - 1 divisions in Gray order: one slot changes sides at each step.
    void enumerate() {
        clear_left();
        std::vector<std::uint8_t> side(slots_, 1);
        for (std::uint32_t step = 1; step < (1u << (slots_ - 1)); ++step) {
            const auto s = static_cast<std::size_t>(std::countr_zero(step));
            side[s] ^= 1;
            move(s, side[s] == 0 ? 1.0 : -1.0);
            if (improves()) best_.side = side;
        }
    }

    // All cuts of the slots in the order of `share`.
    void cut(const std::vector<double>& share) {
        auto& sorted = scratch_.sorted;
        sorted.resize(slots_);
        sort_by_share(share, sorted);
        clear_left();
        std::size_t last = slots_;
        for (std::size_t i = 0; i + 1 < slots_; ++i) {
            move(sorted[i], 1.0);
            if (improves()) last = i;
        }
        if (last == slots_) return;
        std::fill(best_.side.begin(), best_.side.end(), std::uint8_t{1});
        for (std::size_t i = 0; i <= last; ++i) best_.side[sorted[i]] = 0;
    }

    // The share of a class in each slot; for regression the mean.
    const std::vector<double>& shares(std::size_t c) const {
        std::vector<double>& result = scratch_.share;
        result.resize(slots_);
        for (std::size_t s = 0; s < slots_; ++s)
            result[s] = scratch_.category_weight[s] > 0 ? sums(s)[c] / scratch_.category_weight[s] : 0;
        return result;
    }

    std::vector<double> principal_component() const;

    // Classes by falling weight.
    std::vector<std::size_t> large_classes() const {
        std::vector<std::size_t> classes(width());
        std::iota(classes.begin(), classes.end(), std::size_t{0});
        std::stable_sort(classes.begin(), classes.end(),
                         [&](std::size_t a, std::size_t b) { return total_[a] > total_[b]; });
        if (classes.size() > ordered_classes) classes.resize(ordered_classes);
        return classes;
    }

    SubsetSplit finish() {
        if (best_.found && best_.side[0] == 1) {
            for (auto& side : best_.side) side ^= 1;
            std::swap(best_.left_weight, best_.right_weight);
        }
        return std::move(best_);
    }

 private:
    std::size_t width() const { return context_.width(); }
    const double* sums(std::size_t slot) const { return &scratch_.category_sums[slot * width()]; }

    void clear_left() {
        std::fill(left_.begin(), left_.end(), 0.0);
        left_weight_ = 0;
        left_rows_ = 0;
    }

    void move(std::size_t slot, double sign) {
        left_rows_ += sign * rows_[slot];
        for (std::size_t c = 0; c < width(); ++c) left_[c] += sign * sums(slot)[c];
        left_weight_ += sign * scratch_.category_weight[slot];
    }

    bool improves() {
        const double right_weight = total_weight_ - left_weight_;
        if (!context_.minimum.met(left_weight_, left_rows_)) return false;
        if (!context_.minimum.met(right_weight, total_rows_ - left_rows_)) return false;
        if (left_weight_ <= 0 || right_weight <= 0) return false;
        for (std::size_t c = 0; c < width(); ++c) {
            right_[c] = total_[c] - left_[c];
            // The rounding of real weights must not leave a class weight below nothing.
            if (!context_.regression()) {
                right_[c] = std::max(0.0, right_[c]);
                left_[c] = std::max(0.0, left_[c]);
            }
        }
        if (!context_.within_bounds(left_.data(), left_weight_)) return false;
        if (!context_.within_bounds(right_.data(), right_weight)) return false;
        const double score = context_.scorer.purity({left_, left_weight_}, context_.integral) +
                             context_.scorer.purity({right_, right_weight}, context_.integral);
        if (best_.found && score <= best_.score) return false;
        best_.found = true;
        best_.score = score;
        best_.left_weight = left_weight_;
        best_.right_weight = right_weight;
        return true;
    }

    const NodeContext& context_;
    std::size_t slots_;
    ScanScratch& scratch_;
    std::vector<double>&left_, &right_, &total_;
    const std::span<const double> rows_;
    double left_weight_ = 0, total_weight_ = 0, left_rows_ = 0, total_rows_ = 0;
    SubsetSplit best_;
};

// Direction of largest spread of the class shares, by power iteration from a fixed start; then each slot's place
// along it.
std::vector<double> SubsetSearch::principal_component() const {
    const std::size_t k = width();
    std::vector<double> covariance(k * k, 0.0), centred(k);
    for (std::size_t s = 0; s < slots_; ++s) {
        const double w = scratch_.category_weight[s];
        if (w <= 0) continue;
        for (std::size_t c = 0; c < k; ++c) centred[c] = sums(s)[c] / w - total_[c] / total_weight_;
        for (std::size_t a = 0; a < k; ++a)
            for (std::size_t b = 0; b < k; ++b) covariance[a * k + b] += w * centred[a] * centred[b];
    }
    std::vector<double> direction(k), next(k);
    for (std::size_t c = 0; c < k; ++c) direction[c] = 1.0 / static_cast<double>(c + 1);
    for (int iteration = 0; iteration < 30; ++iteration) {
        double largest = 0;
        for (std::size_t a = 0; a < k; ++a) {
            next[a] = 0;
            for (std::size_t b = 0; b < k; ++b) next[a] += covariance[a * k + b] * direction[b];
            largest = std::max(largest, std::abs(next[a]));
        }
        if (largest <= 0) break;
        for (std::size_t a = 0; a < k; ++a) direction[a] = next[a] / largest;
    }
    std::vector<double> place(slots_, 0.0);
    for (std::size_t s = 0; s < slots_; ++s)
        for (std::size_t c = 0; c < k && scratch_.category_weight[s] > 0; ++c)
            place[s] += direction[c] * sums(s)[c] / scratch_.category_weight[s];
    return place;
}

}  // namespace

SubsetSplit best_subset(const NodeContext& context, std::size_t slots, ScanScratch& scratch) {
    if (slots < 2) return {};
    if (context.by_medians()) return best_median_cut(context, slots, scratch);
    SubsetSearch search(context, slots, scratch);
    if (context.regression()) {
        search.cut(search.shares(0));
    } else if (context.width() == 2) {
        search.cut(search.shares(1));
    } else if (slots <= enumerable_slots) {
        search.enumerate();
    } else {
        if (context.width() <= component_classes) search.cut(search.principal_component());
        for (const std::size_t c : search.large_classes()) search.cut(search.shares(c));
    }
    return search.finish();
}

}  // namespace vaglio::tree
