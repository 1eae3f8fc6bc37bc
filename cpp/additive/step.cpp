#include "additive/step.hpp"

#include <algorithm>
#include <utility>

namespace vaglio::additive {
namespace {

using boosting::GradientSums;
using boosting::Sides;
using boosting::Split;
using boosting::SplitTask;
using boosting::ValueRange;

struct Leaf {
    GradientSums sums;
    double value = 0.0;
    ValueRange range;
    Split split;
    Sides sides;  // what the split makes of it
};

class Steps {
 public:
    explicit Steps(const StepTask& task)
        : task_(task), feature_(task.feature), slots_(task.feature.slots()), owner_(slots_, 0) {
        feature_.offset = 0;  // its bins are a histogram of their own here
        own_.resize(slots_);
    }

    bool grow() {
        Leaf root;
        for (std::size_t slot = 0; slot < slots_; ++slot) root.sums += task_.bins[slot];
        const SplitTask plain = split_task(root);
        root.value = plain.value_of(task_.unit.gradient(root.sums), task_.unit.hessian(root.sums));
        leaves_.push_back(std::move(root));
        look(0);
        while (leaves_.size() < task_.config.max_leaves) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < leaves_.size(); ++i) {
                if (leaves_[i].split.gain > leaves_[best].split.gain) best = i;
            }
            if (!leaves_[best].split.found()) break;
            divide(best);
        }
        return leaves_.size() > 1;
    }

    void write(std::vector<double>& values) const {
        values.resize(slots_);
        for (std::size_t slot = 0; slot < slots_; ++slot) values[slot] = leaves_[owner_[slot]].value;
    }

 private:
    SplitTask split_task(const Leaf& leaf) const {
        return {task_.config.split, task_.unit, {&own_, 1}, {&leaf.sums, 1}, {&leaf.value, 1}, task_.noise, leaf.range};
    }

    // Finds the best split of a leaf among the bins that are its own.
    void look(std::size_t at) {
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            own_[slot] = owner_[slot] == at ? task_.bins[slot] : GradientSums{};
        }
        const SplitTask task = split_task(leaves_[at]);
        leaves_[at].split = boosting::best_split(task, feature_, task_.number);
        if (leaves_[at].split.found()) leaves_[at].sides = task.sides(feature_, leaves_[at].split);
    }

    void divide(std::size_t at) {
        const Split split = std::move(leaves_[at].split);
        const Sides sides = std::move(leaves_[at].sides);
        Leaf left{sides.left_sums[0], sides.left_values[0], leaves_[at].range, {}, {}};
        Leaf right{sides.right_sums[0], sides.right_values[0], leaves_[at].range, {}, {}};
        const auto& monotonic = task_.config.split.monotonic;
        if (const int direction = monotonic.empty() ? 0 : monotonic[task_.number]; direction != 0) {
            // What a later split makes of one side stays on that side of the middle.
            const double bound = (left.value + right.value) / 2;
            (direction > 0 ? left : right).range.upper = bound;
            (direction > 0 ? right : left).range.lower = bound;
        }
        const auto other = static_cast<std::uint32_t>(leaves_.size());
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            const auto bin = static_cast<std::uint32_t>(slot);
            const bool right_side = boosting::goes_right(feature_, bin, split.bin, split.missing_right, split.right);
            if (owner_[slot] == at && right_side) owner_[slot] = other;
        }
        leaves_[at] = std::move(left);
        leaves_.push_back(std::move(right));
        if (leaves_.size() == task_.config.max_leaves) return;
        look(at);
        look(other);
    }

    const StepTask& task_;
    boosting::BinnedFeature feature_;
    std::size_t slots_;
    std::vector<std::uint32_t> owner_;  // the leaf of each slot
    boosting::Histogram own_;           // the bins of the leaf that is looked at
    std::vector<Leaf> leaves_;
};

}  // namespace

bool take_step(const StepTask& task, std::vector<double>& values) {
    Steps steps(task);
    if (!steps.grow()) return false;
    steps.write(values);
    return true;
}

}  // namespace vaglio::additive
