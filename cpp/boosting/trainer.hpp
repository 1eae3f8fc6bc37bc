#pragma once
// Boosting by gradient: every round adds one tree per output, or one for all, fitted to the gradient of the loss.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/control.hpp"
#include "boosting/binned.hpp"
#include "boosting/growth/boosted_trees.hpp"
#include "boosting/growth/grower.hpp"
#include "boosting/loss/loss.hpp"

namespace vaglio::boosting {

struct TrainerConfig {
    GrowthConfig growth;
    double learning_rate = 0.1;
    double subsample = 1.0;  // share of the rows that a round draws
    std::uint64_t seed = 0;
    int threads = 1;
    bool track_loss = false;  // of the training rows, after every round
    bool shared = false;      // one tree per round, whose leaves hold one value per output
    bool refit = false;       // leaves take their values from all training rows, not only from those drawn
    std::int32_t turns = 1;   // rounds take turns in which features they may test (GrowthConfig::turns)
};

class Trainer {
 public:
    // Learns from some rows of the table and watches the loss of others. `target` gives y and weights of all rows.
    // Without raw predictions to start from, all rows start at the constants of least loss.
    Trainer(const BinnedTable& table, const Target& target, std::vector<std::uint32_t> training,
            std::vector<std::uint32_t> validation, TrainerConfig config, std::vector<double> start = {},
            std::size_t first_round = 0);

    // Throws std::overflow_error where the raw predictions could be no numbers any more.
    void advance(std::size_t rounds, Control& control);

    std::size_t rounds() const { return rounds_; }
    const Target& target() const { return target_; }
    const BoostedTrees& trees() const { return trees_; }
    const std::vector<double>& baseline() const { return baseline_; }
    const std::vector<double>& raw() const { return raw_; }                              // (outputs, rows)
    const std::vector<double>& training_losses() const { return training_losses_; }      // the start, then per round
    const std::vector<double>& validation_losses() const { return validation_losses_; }  // likewise

 private:
    // What growing one tree needs for itself.
    struct Lane {
        Grower grower;
        std::vector<std::uint32_t> rows;
        GrownTree tree;
        std::vector<std::uint32_t> leaves;  // by row, of those that only follow
        std::vector<double> weights;        // of the training rows of each leaf
    };
    void round(Control& control);
    void draw_rows();
    // One tree for `outputs` outputs from `first` on.
    void grow(std::size_t first, std::size_t outputs, Lane& lane, int threads, Control& control);
    std::vector<std::uint32_t> rows_of(const GrownNode& leaf, const Lane& lane) const;
    void follow(Lane& lane, int threads) const;
    void refit(std::size_t first, Lane& lane) const;
    void take_quantiles(Lane& lane, int threads) const;
    void watch(std::size_t output, std::size_t place, const GrownTree& tree);
    void add_to_raw(std::size_t output, std::size_t place, const Lane& lane, int threads);
    double noise(std::size_t first, std::size_t outputs) const;
    void track();

    const BinnedTable& table_;
    Target target_;
    TrainerConfig config_;
    std::vector<std::uint32_t> training_, validation_;
    std::vector<std::uint32_t> drawn_, others_;  // rows of this round, and those that only follow
    std::size_t first_round_, rounds_ = 0;
    bool nominal_ = false;
    std::vector<std::uint32_t> places_;  // of rows among the training rows, if these do not ascend
    std::vector<double> baseline_, raw_, training_losses_, validation_losses_;
    std::vector<double> farthest_;  // per output: no raw prediction is farther from zero
    Gradients gradients_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // one per output where outputs are grown side by side, else one
    BoostedTrees trees_;
};

}  // namespace vaglio::boosting
