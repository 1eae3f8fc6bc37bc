#include "additive/step.hpp"

#include <algorithm>
#include <utility>

namespace vaglio::additive {
namespace {

using boosting::GradientSums;
using boosting::Split;
using boosting::SplitTask;
using boosting::ValueRange;

struct Leaf {
    GradientSums sums;
    double value = 0.0;
    ValueRange range;
    Split split;
};

class Steps {
 public:
    explicit Steps(const StepTask& task) : task_(task), slots_(task.feature.slots()), owner_(slots_, 0), own_(slots_) {}

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
        return {task_.config.split, task_.unit, leaf.sums, leaf.value, task_.noise, leaf.range};
    }

    // Finds the best split of a leaf among the bins that are its own.
    void look(std::size_t at) {
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            own_[slot] = owner_[slot] == at ? task_.bins[slot] : GradientSums{};
        }
        leaves_[at].split = boosting::best_split(split_task(leaves_[at]), task_.feature, task_.number, own_.data());
    }

    bool goes_right(const Split& split, std::size_t slot) const {
        if (slot == task_.feature.bins) return split.missing_right;
        if (!task_.feature.nominal) return slot > split.bin;
        return (split.right[slot / 32] >> (slot % 32) & 1u) != 0;
    }

    void divide(std::size_t at) {
        const Split split = std::move(leaves_[at].split);
        Leaf left{split.left_sums, split.left_value, leaves_[at].range, {}};
        Leaf right{split.right_sums, split.right_value, leaves_[at].range, {}};
        const auto& monotonic = task_.config.split.monotonic;
        if (const int direction = monotonic.empty() ? 0 : monotonic[task_.number]; direction != 0) {
            // What a later split makes of one side stays on that side of the middle.
            const double bound = (left.value + right.value) / 2;
            (direction > 0 ? left : right).range.upper = bound;
            (direction > 0 ? right : left).range.lower = bound;
        }
        const auto other = static_cast<std::uint32_t>(leaves_.size());
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            if (owner_[slot] == at && goes_right(split, slot)) owner_[slot] = other;
        }
        leaves_[at] = std::move(left);
        leaves_.push_back(std::move(right));
        if (leaves_.size() == task_.config.max_leaves) return;
        look(at);
        look(other);
    }

    const StepTask& task_;
    std::size_t slots_;
    std::vector<std::uint32_t> owner_;  // the leaf of each slot
    std::vector<GradientSums> own_;
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
