// Logarithms are the whole cost of an entropy of real weights. The sides of the cuts are noted first and scored by the
// hundred, where the processor takes the logarithms several at a time; the arithmetic of a score stays the same.
#include "vaglio/entropy_cut.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "vaglio/logarithm.hpp"

namespace vaglio {
namespace {

constexpr std::size_t batch = 128;

// Cuts to be scored: the sums of the sides, class by class, then their weights.
template <std::size_t Classes>
class Batch {
 public:
    void add(std::uint32_t position, const std::array<double, Classes>& left, const std::array<double, Classes>& right,
             double left_weight, double right_weight) {
        for (std::size_t c = 0; c < Classes; ++c) {
            sums_[2 * c][size_] = left[c];
            sums_[2 * c + 1][size_] = right[c];
        }
        sums_[2 * Classes][size_] = left_weight;
        sums_[2 * Classes + 1][size_] = right_weight;
        position_[size_++] = position;
    }
    bool full() const { return size_ == batch; }

    void score(EntropyCut& best) {
        if (size_ == 0) return;
        for (auto& sums : sums_) xlog2x_all(sums.data(), size_);
        for (std::size_t i = 0; i < size_; ++i) {
            double inner = 0;
            for (std::size_t c = 0; c < Classes; ++c) inner += sums_[2 * c][i] + sums_[2 * c + 1][i];
            const double score = inner - sums_[2 * Classes][i] - sums_[2 * Classes + 1][i];
            if (score > best.score) best = {true, score, position_[i]};
        }
        size_ = 0;
    }

 private:
    std::array<std::array<double, batch>, 2 * Classes + 2> sums_;
    std::array<std::uint32_t, batch> position_;
    std::size_t size_ = 0;
};

template <std::size_t Classes>
EntropyCut best_cut(const GrowNode& node, std::span<const std::uint32_t> order, const double* left_start,
                    const double* right_start, double left_weight, double right_weight, double min_leaf) {
    const Label* labels = node.labels();
    const double* weights = node.weights();
    std::array<double, Classes> left, right;
    std::copy_n(left_start, Classes, left.begin());
    std::copy_n(right_start, Classes, right.begin());
    Batch<Classes> cuts;
    EntropyCut best{false, -std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const std::uint32_t row = order[i] & position_mask;
        const double w = weights ? weights[row] : 1.0;
        // Every class moves, all but one by nothing: no branch, and the sums stay in registers.
        for (std::size_t c = 0; c < Classes; ++c) {
            const double moved = labels[row] == c ? w : 0.0;
            left[c] += moved;
            right[c] -= moved;
        }
        left_weight += w;
        right_weight -= w;
        if (!(order[i + 1] & new_value) || left_weight < min_leaf || right_weight < min_leaf) continue;
        cuts.add(static_cast<std::uint32_t>(i), left, right, left_weight, right_weight);
        if (cuts.full()) cuts.score(best);
    }
    cuts.score(best);
    return best;
}

}  // namespace

std::optional<EntropyCut> best_entropy_cut(const GrowNode& node, std::span<const std::uint32_t> order,
                                           const double* left, const double* right, std::size_t classes,
                                           double left_weight, double right_weight, double min_leaf) {
    switch (classes) {
        case 2:
            return best_cut<2>(node, order, left, right, left_weight, right_weight, min_leaf);
        case 3:
            return best_cut<3>(node, order, left, right, left_weight, right_weight, min_leaf);
        case 4:
            return best_cut<4>(node, order, left, right, left_weight, right_weight, min_leaf);
        default:
            return std::nullopt;
    }
}

}  // namespace vaglio
