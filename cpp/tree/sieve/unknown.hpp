#pragma once
// The rows of a node whose value of a feature is unknown, where they join the side of a cut that scores better or stand
// alone against all others.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tree/threshold/threshold.hpp"

namespace vaglio::tree {

// Below every score.
constexpr double no_score = -1e300;

class UnknownRows {
 public:
    explicit UnknownRows(const NodeContext& context)
        : context_(context),
          least_(static_cast<double>(Admissible(context).least)),
          known_(context.width()),
          unknown_(context.width()),
          none_(context.width(), 0) {}

    // Finds what is unknown from the class counts of the rows of known value.
    template <class CountOf>
    void part(CountOf count_of) {
        known_weight_ = 0;
        for (std::size_t c = 0; c < known_.size(); ++c) {
            known_[c] = static_cast<double>(count_of(c));
            unknown_[c] = static_cast<std::int32_t>(context_.sums[c] - known_[c]);
            known_weight_ += known_[c];
        }
    }

    // They are on the right (side 0), or on the left.
    int sides() const { return weight() > 0 ? 2 : 1; }
    const std::vector<std::int32_t>& standing(int side) const { return side == 1 ? unknown_ : none_; }
    // How much may lie on the left; of the rows of known value at least one lies on either side.
    double least_left(int side) const { return std::max(least_, side == 1 ? weight() + 1 : 1); }
    double most_left(int side) const { return context_.weight - std::max(least_, side == 0 ? weight() + 1 : 1); }

    CountScore score_by() const {
        if (context_.scorer.entropy()) return CountScore::entropy;
        return weight() > 0 ? CountScore::gini_quotient : CountScore::gini;
    }

    // ΣP where they stand alone.
    double alone() const {
        const double least = std::min(known_weight_, weight());
        if (least <= 0 || least < least_) return no_score;
        const std::vector<double> rest(unknown_.begin(), unknown_.end());
        return context_.scorer.purity({known_, known_weight_}, true) + context_.scorer.purity({rest, weight()}, true);
    }

    // The better of the cuts of both sides and of standing alone, in this order where they are equal.
    void accept(const CountBest (&best)[2], const std::pair<std::uint32_t, std::uint32_t> (&ranks)[2], double alone,
                Candidate& candidate) const {
        const int side = best[1].found && (!best[0].found || best[1].score > best[0].score);
        CountBest found = best[side];
        std::tie(candidate.lower, candidate.upper) = ranks[side];
        candidate.missing_branch = weight() > 0 ? 1 - side : -1;
        if (alone > no_score && (!found.found || alone > found.score)) {
            found = {true, 0, static_cast<std::int64_t>(known_weight_), alone};
            candidate.only_missing = true;
            candidate.missing_branch = 1;
        }
        if (!found.found) return;
        const auto left = static_cast<double>(found.left);
        const double sides[] = {left, context_.weight - left};
        const double purity = context_.scorer.purity({context_.sums, context_.weight}, context_.integral);
        judge(context_, candidate, found.score - purity, 0, sides, 0);
    }

 private:
    double weight() const { return context_.weight - known_weight_; }

    const NodeContext& context_;
    double least_;  // rows on either side
    std::vector<double> known_;
    std::vector<std::int32_t> unknown_, none_;
    double known_weight_ = 0;
};

}  // namespace vaglio::tree
