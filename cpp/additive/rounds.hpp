#pragma once
// When to stop: rounds go on until the rows that are kept out gain no more.
#include <cstddef>
#include <limits>
#include <vector>

#include "boosting/loss/loss.hpp"

namespace vaglio::additive {

struct StoppingConfig {
    std::size_t max_rounds = 1000;
    std::size_t patience = 50;  // rounds without a better loss
    double tolerance = 0.0;     // a loss is better if it is lower by more than this share of the first one
    std::size_t interval = 5;   // rounds between two looks at the loss
};

// So many steps of a term are taken by the same sums: about a quarter of a Newton step, and no more than `most`.
std::size_t steps_together(double learning_rate, std::size_t most);
// So many terms step by the same derivatives: about one Newton step if all of them say the same.
std::size_t terms_together(double learning_rate, std::size_t most);

class Rounds {
 public:
    // `together` is how many steps a term takes by the same sums; `first_loss` is that before any round, of an earlier
    // stage; NaN: there was none.
    Rounds(const StoppingConfig& stopping, std::size_t together, double first_loss);

    // Takes the losses of the bags, the start first; returns whether this is the best state.
    bool look(const std::vector<boosting::LossSum>& of_bags);
    bool is_unfinished() const;
    // How many steps the terms take in turn, visit by visit, before the next look.
    std::vector<std::size_t> visits();

    bool watched() const { return watched_; }  // whether rows are kept out
    std::size_t best() const { return watched_ ? best_at_ : done_; }
    double first_loss() const { return first_loss_; }
    const std::vector<double>& losses() const { return losses_; }

 private:
    StoppingConfig stopping_;
    std::size_t together_;
    double first_loss_, best_ = std::numeric_limits<double>::quiet_NaN();
    bool watched_ = false;
    std::size_t done_ = 0, best_at_ = 0;
    std::vector<double> losses_;
};

}  // namespace vaglio::additive
