// The running states are those of one target (threshold/scan_states.hpp) with a loop over the outputs.
#include "tree/table/outputs.hpp"
#include "tree/threshold/order_scan.hpp"

namespace vaglio::tree {
namespace {

// What the states share: a row is found by its number in the table, because stores hold one target at most.
struct Sides {
    const Outputs* outputs;
    const std::uint32_t* rows;
    const double* weights;
    double* left;
    double* right;
    double left_weight, right_weight;

    double take(std::uint32_t i) {
        const double w = weights ? weights[i] : 1.0;
        left_weight += w;
        right_weight -= w;
        return w;
    }
    double mean(double of_all) const { return of_all / static_cast<double>(outputs->count); }
};

struct GiniOutputs : Sides {
    double left_squares, right_squares;

    void move(std::uint32_t i) {
        const double w = take(i);
        for (const std::uint32_t place : outputs->places_of(rows[i])) {
            left_squares += w * (2 * left[place] + w);
            right_squares -= w * (2 * right[place] - w);
            left[place] += w;
            right[place] -= w;
        }
    }
    double score() const { return mean(left_squares / left_weight + right_squares / right_weight); }
};

struct EntropyOutputs : Sides {
    const Scorer* scorer;
    bool integral;
    double inner;  // Σ c·log2 c of both sides

    double nlogn(double n) const { return scorer->nlogn(n, integral); }
    void move(std::uint32_t i) {
        const double w = take(i);
        for (const std::uint32_t place : outputs->places_of(rows[i])) {
            double &l = left[place], &r = right[place];
            inner -= nlogn(l) + nlogn(r);
            l += w;
            r = std::max(0.0, r - w);
            inner += nlogn(l) + nlogn(r);
        }
    }
    double score() const { return mean(inner) - nlogn(left_weight) - nlogn(std::max(0.0, right_weight)); }
};

struct NumberOutputs : Sides {
    void move(std::uint32_t i) {
        const double w = take(i);
        const auto targets = outputs->targets_of(rows[i]);
        for (std::size_t k = 0; k < targets.size(); ++k) {
            left[k] += w * targets[k];
            right[k] -= w * targets[k];
        }
    }
};

struct SquaredErrorOutputs : NumberOutputs {
    double score() const {
        double lefts = 0, rights = 0;
        for (std::size_t k = 0; k < outputs->count; ++k) {
            lefts += left[k] * left[k];
            rights += right[k] * right[k];
        }
        return mean(lefts / left_weight + rights / right_weight);
    }
};

struct PoissonOutputs : NumberOutputs {
    const double* all;  // sums of the node: a side's sum up to 1e-14 of it is what rounding left of nothing

    double score() const {
        double sum = 0;
        for (std::size_t k = 0; k < outputs->count; ++k) {
            const double residue = 1e-14 * all[k];
            if (left[k] <= residue || right[k] <= residue) return -std::numeric_limits<double>::infinity();
            sum += poisson_purity(left[k], left_weight) + poisson_purity(right[k], right_weight);
        }
        return mean(sum);
    }
};

}  // namespace

Best scan_outputs(const Request& request, ScanScratch& scratch) {
    const NodeContext& context = request.context;
    const GrowNode& node = context.node;
    const Sides sides{context.data.outputs, node.rows(),         node.weights(),      scratch.left.data(),
                      scratch.right.data(), request.left_weight, request.right_weight};
    const auto sum = [&](const std::vector<double>& of, auto part) {
        double found = 0;
        for (const double c : of) found += part(c);
        return found;
    };
    if (context.scorer.entropy()) {
        const auto part = [&](double c) { return context.scorer.nlogn(c, context.integral); };
        const double inner = sum(scratch.left, part) + sum(scratch.right, part);
        return scan(EntropyOutputs{sides, &context.scorer, context.integral, inner}, request, scratch);
    }
    if (context.scorer.criterion() == Criterion::gini) {
        const auto part = [](double c) { return c * c; };
        return scan(GiniOutputs{sides, sum(scratch.left, part), sum(scratch.right, part)}, request, scratch);
    }
    if (context.scorer.criterion() == Criterion::poisson)
        return scan(PoissonOutputs{{sides}, node.sums.data()}, request, scratch);
    return scan(SquaredErrorOutputs{{sides}}, request, scratch);
}

}  // namespace vaglio::tree
