#pragma once
// One bag: the tables of an additive model, which takes steps by the sums of the rows it learns from.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "additive/pairs/pair.hpp"
#include "additive/part.hpp"
#include "additive/step.hpp"
#include "boosting/binned.hpp"

namespace vaglio::additive {

struct BagConfig {
    StepConfig step;
    double learning_rate = 0.05;
    std::size_t most_steps = 5;         // of a term by the same sums
    std::vector<std::uint8_t> boosted;  // per feature: whether it has a term of its own
};

// What terms there are: features by their numbers, then pairs.
struct Terms {
    const std::vector<boosting::BinnedFeature>& features;
    std::vector<Side> sides;          // per feature, in pairs
    std::vector<Pair> pairs;          //
    std::vector<std::size_t> offset;  // of each term's first slot in the tables; and the end

    explicit Terms(const std::vector<boosting::BinnedFeature>& own);
    void open_pairs(std::vector<Pair> chosen);
    std::size_t slots(std::size_t term) const { return offset[term + 1] - offset[term]; }
    std::size_t feature_slots() const { return offset[features.size()]; }
    bool is_pair(std::size_t term) const { return term >= features.size(); }
};

class Bag {
 public:
    Bag(const Terms& terms, const BagConfig& config, std::vector<double> start);
    Bag(const Bag&) = delete;
    Bag& operator=(const Bag&) = delete;

    // Takes in new terms, of zeros, and the training rows in each slot of all terms from `first` on.
    void open(std::size_t first, const std::vector<std::uint64_t>& rows);

    // So many steps of each of some terms, by the sums of their slots. After a step, a gradient moves by the Hessian
    // times the step; the sums of the other terms stay as they are.
    std::vector<TermStep> take(std::span<const std::uint32_t> group, TermSums& sums, const boosting::FixedPoint& unit,
                               std::size_t steps);

    void remember() { best_ = tables_; }  // this state, to come back to
    void come_back() { tables_ = best_; }
    std::vector<TermStep> all_steps() const;  // from the start to this state

    const std::vector<double>& start() const { return start_; }
    std::vector<double> features() const { return part(0, terms_.feature_slots()); }     // (outputs, slots)
    std::vector<double> pairs() const { return part(terms_.feature_slots(), width()); }  // (outputs, cells)

 private:
    std::size_t width() const { return terms_.offset.back(); }
    std::vector<double> part(std::size_t begin, std::size_t end) const;
    bool step(std::uint32_t term, boosting::GradientSums* sums, const boosting::FixedPoint& unit, double noise);

    const Terms& terms_;
    const BagConfig& config_;
    std::vector<double> start_;
    std::vector<double> tables_, best_;  // (outputs, slots of all terms)
    std::vector<std::uint64_t> rows_;    // training rows of each slot of all terms
    std::vector<double> values_;         // of one step
    std::vector<double> farthest_;       // per output: no score is farther from zero
};

}  // namespace vaglio::additive
