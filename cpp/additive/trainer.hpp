#pragma once
// All bags side by side: rounds until the rows that are kept out gain no more, and the pairs worth a term.
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "additive/bag.hpp"

namespace vaglio::additive {

struct StoppingConfig {
    std::size_t max_rounds = 1000;
    std::size_t patience = 50;  // rounds without a better loss
    double tolerance = 0.0;     // a loss is better if it is lower by more than this share of the first one
    std::size_t interval = 5;   // rounds between two looks at the loss
};

class Trainer {
 public:
    // One bag per row of `held` (bags, rows).
    Trainer(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
            std::size_t bags, BagConfig config, int threads);

    // Rounds of all features, or of the pairs that are open; returns the losses of the rows kept out, the start first.
    // All bags stop together, at the round of least mean loss; where no row is kept out, after max_rounds.
    std::vector<double> boost_features(const StoppingConfig& stopping, Control& control);
    std::vector<double> boost_pairs(const StoppingConfig& stopping, Control& control);

    // For pairs: bins per feature, and the number of each row's bin.
    void set_coarse(Coarse coarse) { coarse_ = std::move(coarse); }
    // How much each pair gains beyond its two features, on the gradients of the mean of all bags.
    std::vector<double> screen(const std::vector<Pair>& pairs, const std::vector<std::uint32_t>& rows,
                               Control& control) const;
    void open_pairs(std::vector<Pair> pairs);

    std::size_t rounds() const { return rounds_; }  // of the last call of boost_…, up to the least loss
    const std::vector<std::unique_ptr<Bag>>& bags() const { return bags_; }
    std::size_t cells() const { return cells_; }

 private:
    template <class Round>
    std::vector<double> boost(const StoppingConfig& stopping, Control& control, Round round);
    double mean_loss() const;

    const boosting::BinnedTable& table_;
    BagConfig config_;
    boosting::Target target_;
    int threads_;
    std::vector<std::unique_ptr<Bag>> bags_;
    Coarse coarse_;
    std::vector<Pair> pairs_;
    std::size_t cells_ = 0, rounds_ = 0;
    double start_loss_ = std::numeric_limits<double>::quiet_NaN();  // of the rows kept out, before any round
};

}  // namespace vaglio::additive
