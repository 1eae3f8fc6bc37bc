#pragma once
// One bag: an additive model boosted on a part of the rows, one feature or pair at a time, and watched on the others.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "additive/adding.hpp"
#include "additive/pair.hpp"
#include "additive/step.hpp"
#include "base/control.hpp"
#include "boosting/binned.hpp"
#include "boosting/histogram.hpp"
#include "boosting/loss/loss.hpp"

namespace vaglio::additive {

struct BagConfig {
    StepConfig step;
    double learning_rate = 0.05;
    std::vector<std::uint8_t> boosted;  // per feature: whether it has a term of its own
};

// The features with few bins: what pairs are made of. All bags read the same ones.
struct Coarse {
    std::vector<Side> sides;                         // per feature
    std::vector<std::vector<std::uint8_t>> columns;  // per feature and row; empty where no pair uses it
};

struct Pair {
    std::uint32_t first = 0, second = 0;
    std::size_t offset = 0;  // of its first cell in the tables
};

class Bag {
 public:
    // The target's weights and predictions are replaced by the bag's own; held[i] != 0 keeps row i out.
    Bag(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
        const BagConfig& config);
    Bag(const Bag&) = delete;
    Bag& operator=(const Bag&) = delete;

    // A step of every feature, in turn. Features whose steps together are at most one Newton step share gradients.
    void round_of_features();
    void round_of_pairs(const Coarse& coarse, const std::vector<Pair>& pairs);

    double held_out_loss() const;    // mean over the rows kept out
    double held_out_weight() const;  // 0: none is kept out
    void remember();                 // this state, to come back to
    void come_back();

    const boosting::Target& target() const { return target_; }
    const std::vector<double>& baseline() const { return baseline_; }
    const std::vector<double>& features() const { return now_.features; }  // (outputs, slots)
    const std::vector<double>& pairs() const { return now_.pairs; }        // (outputs, cells)
    // The cells of all pairs, which lie behind each other at the offsets of the pairs.
    void open_pairs(const Coarse& coarse, const std::vector<Pair>& pairs, std::size_t cells);

 private:
    struct State {
        std::vector<double> raw, features, pairs;
    };
    // Features that step on the same gradients, and the octets of the histogram that hold them.
    struct Group {
        std::size_t first_octet, last_octet;
        std::vector<std::uint32_t> features;
    };
    void make_groups();
    void compute_gradients();
    void step_of_group(const Group& group, std::size_t output);
    void step_of_pair(const Coarse& coarse, const Pair& pair, std::size_t output);
    void add_step(std::size_t output, std::vector<double>& values, double* table);
    double noise(std::size_t output) const;
    const boosting::RowGradient* gradients(std::size_t output) const {
        return gradients_.rows.data() + output * target_.rows;
    }

    const boosting::BinnedTable& table_;
    const BagConfig& config_;
    boosting::Target target_;
    const double* given_weight_;
    std::vector<double> weight_;
    std::vector<std::uint32_t> training_, held_;
    std::vector<double> baseline_;
    bool guarded_ = false;  // whether a column of many values asks what chance gains
    State now_, best_;
    boosting::Gradients gradients_;
    boosting::HistogramBuilder builder_;
    boosting::Histogram histogram_;
    std::vector<Group> groups_;
    std::vector<std::uint64_t> pair_rows_;  // training rows of each cell of the pairs
    std::vector<boosting::GradientSums> cell_sums_;
    std::vector<FeatureStep> steps_;  // of a group; more than are taken keep their memory
    std::vector<double> values_;      // of the step of a pair
    std::vector<double> farthest_;    // per output: no prediction is farther from zero
};

}  // namespace vaglio::additive
