#pragma once
// Boosting of rows that are elsewhere: it asks for sums of open nodes, several ahead, until the trees of a round are
// grown. The trees are those of a Trainer with the same rows in memory.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "boosting/passes/part.hpp"
#include "boosting/trainer.hpp"

namespace vaglio::boosting {

// One tree that grows by what it is told.
class PassGrower : public TreeGrower {
 public:
    using TreeGrower::TreeGrower;

    void start(const TreeTask& task);
    bool planted() const { return planted_; }
    bool done() const { return planted_ && !growing(); }
    // Adds the tree to others, with up to `most` slots for nodes whose sums are wanted; returns how many there are. The
    // smaller side of every open split is asked for, also where another is split first: it will be needed soon.
    std::size_t ask(FlatTrees& to, std::size_t most, std::size_t first_slot);
    // Takes the sums of these slots. False: the root has no row, and nothing has happened.
    bool take(const GradientSums* sums, const SquareSum& squares, bool guarded);
    GrownTree& tree() { return tree_; }
    const GrownTree& tree() const { return tree_; }

 private:
    Histograms send_rows(std::size_t, const Below&, Candidate& own) override { return std::move(own.ahead); }
    Histograms copied(const GradientSums* sums);
    bool wants_sums(std::size_t place) const;
    void go_on();

    bool planted_ = false;
    std::vector<std::size_t> asked_;  // nodes
};

class PassTrainer {
 public:
    // `rows` is the number of all rows; features say what bins there are.
    PassTrainer(std::vector<BinnedFeature> features, const Target& target, bool weighted, std::size_t rows,
                TrainerConfig config);
    PassTrainer(const PassTrainer&) = delete;
    PassTrainer& operator=(const PassTrainer&) = delete;

    double share() const { return share_; }  // of the rows, that this round draws
    const BoostedTrees& trees() const { return trees_; }

    void begin_round(const std::vector<double>& start, const Derivatives& bounds);
    bool growing() const;
    // Trees with slots for at most so many sums; one node is always asked for.
    FlatTrees ask(std::size_t most_sums);
    void take(const std::vector<GradientSums>& sums, const std::vector<SquareSum>& squares);

    // Whether so many sums, and squares, were asked for; whether so many are those of all leaves.
    bool fits(std::size_t sums, std::size_t squares) const;
    bool fits_leaves(std::size_t sums, std::size_t weights) const;

    // Whether leaves need another look at the rows: for their weights, or to take their values from all rows.
    bool wants_leaves() const { return weighted_ || config_.refit; }
    FlatTrees grown();
    void take_leaves(const LeafSums& found);
    // The trees of the round, with their values.
    FlatTrees finish_round();

 private:
    BinnedTable layout_;
    TrainerConfig config_;
    bool weighted_, constant_hessian_, guarded_;
    std::size_t outputs_, per_tree_, rows_, rounds_ = 0;
    FixedPoint unit_{1, 1.0, 1.0, true};
    double share_ = 1.0;
    std::vector<double> farthest_;
    std::vector<PassGrower> growers_;
    std::vector<std::size_t> asked_;                 // growers
    std::vector<std::size_t> first_slot_;            // of each of them, and the end
    std::vector<std::vector<double>> leaf_weights_;  // per grower and node
    BoostedTrees trees_;
};

}  // namespace vaglio::boosting
