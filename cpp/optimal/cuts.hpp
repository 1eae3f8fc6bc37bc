#pragma once
// The search for the best place to cut an order. With more rows on the left, the left cannot become cheaper nor the
// right dearer; and a row more adds at most what is at stake in it. So two cuts that are known bound all those between
// them, and most places are never looked at.
#include <algorithm>
#include <span>
#include <vector>

#include "optimal/problem.hpp"

namespace vaglio::optimal {

struct TwoCosts {
    Cost left, right;
};

// The cuts between two known ones, which are given as the number of values on the left.
struct Interval {
    std::uint32_t low = 0, high = 0;
    TwoCosts at_low{}, at_high{};
};

class Cuts {
 public:
    // What is at stake per value, and the least that all rows cost as the left branch or as the right one.
    Cuts(std::span<const Cost> stakes, TwoCosts all) : up_to_(stakes.size() + 1, 0), all_(all) {
        for (std::size_t v = 0; v < stakes.size(); ++v) up_to_[v + 1] = up_to_[v] + stakes[v];
    }

    Interval everything() const {
        return {0, static_cast<std::uint32_t>(up_to_.size() - 1), {0, all_.right}, {all_.left, 0}};
    }

    Cost lower(const Interval& in, std::uint32_t cut) const {
        const Cost left = std::max(in.at_low.left, in.at_high.left - (up_to_[in.high] - up_to_[cut]));
        return left + lower_right(in, cut);
    }
    Cost lower_right(const Interval& in, std::uint32_t cut) const {
        return std::max(in.at_high.right, in.at_low.right - (up_to_[cut] - up_to_[in.low]));
    }

    // The cuts that may be below the limit lie within [first, last]; none do if first > last.
    struct Range {
        std::uint32_t first, last;
        bool empty() const { return first > last; }
    };
    Range open(const Interval& in, Cost limit) const {
        if (in.high <= in.low + 1) return {1, 0};  // nothing between them, or a column without a value
        Range range{in.low + 1, in.high - 1};
        while (range.first <= range.last && lower(in, range.first) >= limit) ++range.first;
        while (range.last >= range.first && lower(in, range.last) >= limit) --range.last;
        return range;
    }

    // The least that any of the cuts can cost.
    Cost least(const Interval& in, const Range& range) const {
        Cost found = unbounded;
        for (std::uint32_t cut = range.first; cut <= range.last; ++cut) found = std::min(found, lower(in, cut));
        return found;
    }

    // The cut that halves what is at stake.
    std::uint32_t middle(const Range& range) const {
        const Cost half = up_to_[range.first] + (up_to_[range.last] - up_to_[range.first]) / 2;
        const auto found = std::lower_bound(up_to_.begin() + range.first, up_to_.begin() + range.last, half);
        return static_cast<std::uint32_t>(found - up_to_.begin());
    }

    // How much dearer than the limit a cut must be to rule out all others of the range.
    Cost reach(const Range& range, std::uint32_t cut) const {
        return std::max(up_to_[cut] - up_to_[range.first], up_to_[range.last] - up_to_[cut]);
    }

 private:
    std::vector<Cost> up_to_;
    TwoCosts all_;
};

// Looks at cuts until none can be below the limit, which the evaluation lowers. evaluate(interval, range, cut)
// returns what the two branches cost, or at least as much as excludes the cut.
template <class Evaluate>
void search_cuts(const Cuts& cuts, const Cost& limit, Evaluate&& evaluate) {
    std::vector<Interval> open{cuts.everything()};
    while (!open.empty()) {
        const Interval in = open.back();
        open.pop_back();
        const auto range = cuts.open(in, limit);
        if (range.empty()) continue;
        const std::uint32_t cut = cuts.middle(range);
        const TwoCosts found = evaluate(in, range, cut);
        open.push_back({in.low, cut, in.at_low, found});
        open.push_back({cut, in.high, found, in.at_high});
    }
}

}  // namespace vaglio::optimal
