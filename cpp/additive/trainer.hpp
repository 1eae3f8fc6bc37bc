#pragma once
// Boosting of rows in memory: all bags side by side, each on its own copy of the scores.
#include <memory>
#include <vector>

#include "additive/booster.hpp"
#include "additive/pairs/screen.hpp"
#include "base/control.hpp"

namespace vaglio::additive {

class Trainer {
 public:
    // One bag per row of `held` (bags, rows).
    Trainer(const boosting::BinnedTable& table, const boosting::Target& target, const std::uint8_t* held,
            std::size_t bags, BagConfig config, int threads);

    // Rounds of the terms that are open: all features, then pairs. Returns the losses of the rows kept out, the start
    // first. All bags stop together, at the round of least mean loss; where no row is kept out, after max_rounds.
    std::vector<double> boost(const StoppingConfig& stopping, Control& control);

    // For pairs: the slot of each bin of each feature, that of missing values last.
    void set_coarse(const std::vector<std::vector<std::uint8_t>>& slots);
    // How much each pair gains beyond its two features, on the gradients of the mean of all bags.
    std::vector<double> screen(const std::vector<Pair>& pairs, const std::vector<std::uint32_t>& rows,
                               Control& control) const;
    void open_pairs(std::vector<Pair> pairs);

    std::size_t rounds() const { return rounds_; }  // of the last call of boost, up to the least loss
    const Booster& booster() const { return *booster_; }
    const PartOfRows& part() const { return part_; }

 private:
    void count_rows();
    void visit_groups(std::size_t bag, std::size_t steps, std::vector<TermStep>& pending);
    void look();

    PartOfRows part_;
    std::size_t bags_;
    int threads_;
    bool log_loss_;
    std::vector<double> raw_;
    std::unique_ptr<Booster> booster_;
    std::vector<boosting::FixedPoint> units_;  // of the bags, where derivatives have one bound
    Coarse coarse_;
    std::vector<std::vector<std::uint16_t>> cells_;  // of the rows, per open pair
    std::size_t rounds_ = 0;
};

}  // namespace vaglio::additive
