#pragma once
// All bags side by side, without the rows: it says which sums it wants, and takes steps by them.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "additive/bag.hpp"
#include "additive/rounds.hpp"

namespace vaglio::additive {

class Booster {
 public:
    // `starts`: where each bag starts, per output; `rows` is the number of all rows.
    Booster(std::vector<boosting::BinnedFeature> features, BagConfig config, std::size_t rows,
            const std::vector<std::vector<double>>& starts);
    Booster(const Booster&) = delete;
    Booster& operator=(const Booster&) = delete;

    const Terms& terms() const { return terms_; }
    const BagConfig& config() const { return config_; }
    std::size_t outputs() const { return bags_[0]->start().size(); }
    const std::vector<std::unique_ptr<Bag>>& bags() const { return bags_; }
    bool guarded() const { return guarded_; }  // whether steps ask what chance gains
    boosting::FixedPoint unit(const boosting::Derivatives& bounds) const {
        return boosting::units_of(rows_, bounds, false);
    }

    // The features, or pairs of them, have steps from now on. Each bag is told of its rows in their slots (Bag::open).
    void open_features();
    void set_sides(std::vector<Side> sides) { terms_.sides = std::move(sides); }
    void open_pairs(std::vector<Pair> pairs);
    std::size_t first_open() const { return first_open_; }
    // Terms that step by the same derivatives.
    const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }

    Rounds& begin(const StoppingConfig& stopping);
    Rounds& rounds() { return *rounds_; }
    void look(const std::vector<boosting::LossSum>& of_bags);
    void end();  // all bags come back to the best state

 private:
    BagConfig config_;
    std::vector<boosting::BinnedFeature> features_;
    Terms terms_;
    std::size_t rows_;
    bool guarded_ = false;
    std::vector<std::unique_ptr<Bag>> bags_;
    std::size_t first_open_ = 0;
    std::vector<std::vector<std::uint32_t>> groups_;
    std::unique_ptr<Rounds> rounds_;
};

}  // namespace vaglio::additive
