#pragma once
// The running states of a scan over rows in the order of a column, one per criterion: move(i) takes row i from the
// right side to the left, score() is ΣP of both sides (split/score.hpp). Each state holds what its criterion needs and
// nothing else, because a scan moves every row of a node once per feature.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/logarithm.hpp"
#include "tree/node.hpp"
#include "tree/split/score.hpp"

namespace vaglio::tree {

template <bool Unit>
struct GiniState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_squares, right_squares, left_weight, right_weight;

    void move(std::uint32_t i) {
        const double w = Unit ? 1.0 : weights[i];
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        left_squares += w * (2 * l + w);
        right_squares -= w * (2 * r - w);
        l += w;
        r -= w;
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return left_squares / left_weight + right_squares / right_weight; }
};

// Whole counts: entries of the table, exact.
template <bool Unit>
struct CountEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    const std::int64_t* table;
    double left_weight, right_weight;
    std::int64_t inner;  // Σ c·log2 c of both sides

    void move(std::uint32_t i) {
        const double w = Unit ? 1.0 : weights[i];
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        inner -= table[static_cast<std::size_t>(l)] + table[static_cast<std::size_t>(r)];
        l += w;
        r -= w;
        inner += table[static_cast<std::size_t>(l)] + table[static_cast<std::size_t>(r)];
        left_weight += w;
        right_weight -= w;
    }
    double score() const {
        return static_cast<double>(inner - table[static_cast<std::size_t>(left_weight)] -
                                   table[static_cast<std::size_t>(right_weight)]) /
               LogTable::scale;
    }
};

struct RealEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_weight, right_weight, inner;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        double& l = left[labels[i]];
        double& r = right[labels[i]];
        inner -= xlog2x(l) + xlog2x(r);
        l += w;
        r = std::max(0.0, r - w);
        inner += xlog2x(l) + xlog2x(r);
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return inner - xlog2x(left_weight) - xlog2x(right_weight); }
};

// The same for few classes: logarithms only where a score is asked for, which is once per value, not per row. It stays
// beside entropy_cut, which scores cuts in batches: a batch can neither leave out the cuts that a monotonic constraint
// forbids nor score one random threshold alone. The arithmetic of a score is that of the batches.
struct FewClassEntropyState {
    double* left;
    double* right;
    const Label* labels;
    const double* weights;
    double left_weight, right_weight;
    std::size_t classes;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left[labels[i]] += w;
        right[labels[i]] -= w;
        left_weight += w;
        right_weight -= w;
    }
    double score() const {
        double inner = 0;
        for (std::size_t c = 0; c < classes; ++c) inner += xlog2x(left[c]) + xlog2x(right[c]);
        return inner - xlog2x(left_weight) - xlog2x(right_weight);
    }
};

struct SquaredErrorState {
    const double* targets;
    const double* weights;
    double left_sum, right_sum, left_weight, right_weight;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left_sum += w * targets[i];
        right_sum -= w * targets[i];
        left_weight += w;
        right_weight -= w;
    }
    double score() const { return left_sum * left_sum / left_weight + right_sum * right_sum / right_weight; }
};

struct PoissonState {
    const double* targets;
    const double* weights;
    double left_sum, right_sum, left_weight, right_weight;
    double residue;  // a sum up to this is what rounding left of nothing

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left_sum += w * targets[i];
        right_sum -= w * targets[i];
        left_weight += w;
        right_weight -= w;
    }
    double score() const {
        if (left_sum <= residue || right_sum <= residue) return -std::numeric_limits<double>::infinity();
        return poisson_purity(left_sum, left_weight) + poisson_purity(right_sum, right_weight);
    }
};

// A median follows its set in both directions only at the price of a tree: the fits of all cuts are found beforehand.
struct MedianState {
    const double* weights;
    const Fit* left;
    const Fit* right;
    double left_weight, right_weight;
    std::size_t moved = 0;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left_weight += w;
        right_weight -= w;
        ++moved;
    }
    double left_value() const { return left[moved - 1].value; }
    double right_value() const { return right[moved - 1].value; }
    double score() const { return -(left[moved - 1].loss + right[moved - 1].loss); }
};

// The largest class on the right only shrinks as rows leave it, which a running maximum cannot follow; so the
// maxima of the right sides are computed beforehand from the far end, where they grow.
struct ErrorState {
    double* left;
    const Label* labels;
    const double* weights;
    const double* suffix;  // largest class weight right of each position
    double left_weight, right_weight, left_largest;
    std::size_t moved = 0;

    void move(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left[labels[i]] += w;
        left_largest = std::max(left_largest, left[labels[i]]);
        left_weight += w;
        right_weight -= w;
        ++moved;
    }
    double score() const { return left_largest + suffix[moved]; }
};

// Any of these states under a monotonic constraint: a split whose sides are in the wrong order, or outside the bounds
// set by the tests above, scores nothing. The value of a side is its mean, its median, or its share of the second
// class.
template <class State>
struct Guarded : State {
    const GrowNode* node;
    int sign;
    double left_sum, right_sum;

    void move(std::uint32_t i) {
        const double w = node->weights() ? node->weights()[i] : 1.0;
        const double part = w * (node->store->labels.empty() ? node->targets()[i] : node->labels()[i] == 1);
        left_sum += part;
        right_sum -= part;
        State::move(i);
    }
    double score() const {
        double left_value = left_sum / this->left_weight, right_value = right_sum / this->right_weight;
        if constexpr (requires { State::left_value(); }) {
            left_value = State::left_value();
            right_value = State::right_value();
        }
        const bool ordered = (left_value - right_value) * sign <= 0;
        const bool inside =
            std::min(left_value, right_value) >= node->lower && std::max(left_value, right_value) <= node->upper;
        return ordered && inside ? State::score() : -std::numeric_limits<double>::infinity();
    }
};

}  // namespace vaglio::tree
