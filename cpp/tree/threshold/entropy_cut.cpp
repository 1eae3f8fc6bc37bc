// Logarithms are the whole cost of an entropy of real weights. The sides of the cuts are noted first and scored by the
// hundred, where the processor takes the logarithms several at a time; the arithmetic of a score stays the same.
#include "tree/threshold/entropy_cut.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/logarithm.hpp"

namespace vaglio::tree {
namespace {

const auto xlog2x_all = VAGLIO_LEVELS(xlog2x_all).best();

constexpr std::size_t batch = 128;  // with four classes 10 KB, which the first-level cache holds

// The two sides of a cut that moves to the right.
template <std::size_t Classes>
struct Sides {
    std::array<double, Classes> left, right;
    double left_weight, right_weight;

    Sides(Side from_left, Side from_right) : left_weight(from_left.weight), right_weight(from_right.weight) {
        std::copy_n(from_left.classes, Classes, left.begin());
        std::copy_n(from_right.classes, Classes, right.begin());
    }
    // Every class moves, all but one by nothing: no branch, and the sums stay in registers.
    void move(std::size_t label, double w) {
        for (std::size_t c = 0; c < Classes; ++c) {
            const double moved = label == c ? w : 0.0;
            left[c] += moved;
            right[c] -= moved;
        }
        left_weight += w;
        right_weight -= w;
    }
    void move(const double* classes) {
        double w = 0;
        for (std::size_t c = 0; c < Classes; ++c) {
            left[c] += classes[c];
            right[c] -= classes[c];
            w += classes[c];
        }
        left_weight += w;
        right_weight -= w;
    }
    bool enough(double min_leaf) const { return left_weight >= min_leaf && right_weight >= min_leaf; }
};

// Cuts to be scored: the sums of the sides, class by class, then their weights.
template <std::size_t Classes>
class Batch {
 public:
    void add(std::uint32_t position, const Sides<Classes>& sides) {
        for (std::size_t c = 0; c < Classes; ++c) {
            sums_[2 * c][size_] = sides.left[c];
            sums_[2 * c + 1][size_] = sides.right[c];
        }
        sums_[2 * Classes][size_] = sides.left_weight;
        sums_[2 * Classes + 1][size_] = sides.right_weight;
        position_[size_++] = position;
        if (size_ == batch) score();
    }

    EntropyCut best() {
        score();
        return best_;
    }

 private:
    void score() {
        for (auto& sums : sums_) xlog2x_all(sums.data(), size_);
        for (std::size_t i = 0; i < size_; ++i) {
            double inner = 0;
            for (std::size_t c = 0; c < Classes; ++c) inner += sums_[2 * c][i] + sums_[2 * c + 1][i];
            const double score = inner - sums_[2 * Classes][i] - sums_[2 * Classes + 1][i];
            if (score > best_.score) best_ = {true, score, position_[i]};
        }
        size_ = 0;
    }

    std::array<std::array<double, batch>, 2 * Classes + 2> sums_;
    std::array<std::uint32_t, batch> position_;
    std::size_t size_ = 0;
    EntropyCut best_{false, -std::numeric_limits<double>::infinity(), 0};
};

template <std::size_t Classes>
EntropyCut cut_order(const GrowNode& node, std::span<const std::uint32_t> order, Side left, Side right,
                     const Admitted& admitted) {
    const Label* labels = node.labels();
    const double* weights = node.weights();
    Sides<Classes> sides(left, right);
    Batch<Classes> cuts;
    for (std::size_t i = 0; i < admitted.end; ++i) {
        const std::uint32_t row = order[i] & position_mask;
        sides.move(labels[row], weights ? weights[row] : 1.0);
        if ((order[i + 1] & new_value) && i >= admitted.first && sides.enough(admitted.min_weight))
            cuts.add(static_cast<std::uint32_t>(i), sides);
    }
    return cuts.best();
}

template <std::size_t Classes>
EntropyCut cut_values(std::span<const double> sums, Side all, double min_leaf, std::size_t& thresholds) {
    const std::array<double, Classes> none{};
    Sides<Classes> sides({none.data(), 0}, all);
    Batch<Classes> cuts;
    thresholds = 0;
    for (std::size_t value = 0; value * Classes < sums.size(); ++value) {
        const double* classes = &sums[value * Classes];
        if (std::all_of(classes, classes + Classes, [](double w) { return w == 0; })) continue;
        if (sides.left_weight > 0 && sides.enough(min_leaf)) {
            cuts.add(static_cast<std::uint32_t>(value), sides);
            ++thresholds;
        }
        sides.move(classes);
    }
    return cuts.best();
}

// Calls use with the number of classes as a constant.
template <class Use>
EntropyCut with_classes(std::size_t classes, Use use) {
    if (classes == 2) return use.template operator()<2>();
    return classes == 3 ? use.template operator()<3>() : use.template operator()<4>();
}

}  // namespace

std::optional<EntropyCut> best_entropy_cut(const GrowNode& node, std::span<const std::uint32_t> order, Side left,
                                           Side right, std::size_t classes, const Admitted& admitted) {
    if (classes < 2 || classes > most_cut_classes) return std::nullopt;
    return with_classes(classes, [&]<std::size_t N>() { return cut_order<N>(node, order, left, right, admitted); });
}

EntropyCut best_entropy_cut(std::span<const double> sums, Side all, std::size_t classes, double min_leaf,
                            std::size_t& thresholds) {
    return with_classes(classes, [&]<std::size_t N>() { return cut_values<N>(sums, all, min_leaf, thresholds); });
}

}  // namespace vaglio::tree
