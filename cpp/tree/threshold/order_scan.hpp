#pragma once
// One pass over the rows of a node in the order of a column, by a running state (threshold/scan_states.hpp).
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tree/split/context.hpp"
#include "tree/threshold/entropy_cut.hpp"
#include "tree/threshold/scan_states.hpp"

namespace vaglio::tree {

struct Best {
    double score = -std::numeric_limits<double>::infinity();
    std::uint32_t position = 0;  // of the last entry on the left
    bool found = false;
};

constexpr std::uint32_t any_position = UINT32_MAX;

// What a scan is asked for: the best position, or the score of one.
struct Request {
    const NodeContext& context;
    std::span<const std::uint32_t> order;
    int sign;
    double left_weight, right_weight;
    Admitted admitted;
    std::uint32_t only;
    std::span<const std::uint32_t> standing_left, standing_right;  // rows of unknown value; by medians alone
};

template <class State>
Best scan_all(State& state, std::span<const std::uint32_t> order, const Admitted& admitted) {
    Best best;
    for (std::size_t i = 0; i < admitted.end; ++i) {
        state.move(order[i] & position_mask);
        if (!(order[i + 1] & new_value) || i < admitted.first) continue;
        if (state.left_weight < admitted.min_weight || state.right_weight < admitted.min_weight) continue;
        const double score = state.score();
        if (score > best.score) best = {score, static_cast<std::uint32_t>(i), true};
    }
    return best;
}

template <class State>
Best scan_one(State& state, std::span<const std::uint32_t> order, std::uint32_t position, const Admitted& admitted) {
    if (position < admitted.first || position >= admitted.end) return {};
    for (std::uint32_t i = 0; i <= position; ++i) state.move(order[i] & position_mask);
    if (state.left_weight < admitted.min_weight || state.right_weight < admitted.min_weight) return {};
    const double score = state.score();
    return {score, position, score > -std::numeric_limits<double>::infinity()};
}

template <class State>
Best scan(State state, const Request& request, const ScanScratch& scratch) {
    const auto run = [&](auto& running) {
        return request.only == any_position ? scan_all(running, request.order, request.admitted)
                                            : scan_one(running, request.order, request.only, request.admitted);
    };
    if (!request.context.limited(request.sign)) return run(state);
    const std::size_t c = request.context.regression() ? 0 : 1;
    Guarded<State> guarded{state, &request.context.node, request.sign, scratch.left[c], scratch.right[c]};
    return run(guarded);
}

// The best threshold for several outputs (by_outputs.cpp), with scratch.left and scratch.right as the sums of the two
// sides before the first row moves. The absolute error is not among the criteria: its fits are found beforehand, for
// one output as for several.
Best scan_outputs(const Request& request, ScanScratch& scratch);

// The best threshold for any criterion, with scratch.left and scratch.right as the sums of the two sides before the
// first row moves.
Best best_threshold(const Request& request, ScanScratch& scratch);

// The cuts of an order that leave enough rows on either side; `left` and `right` are rows that stand there already.
// Without weights the weight of a side says it.
Admitted admit(const NodeContext& context, std::span<const std::uint32_t> order, const Minimum& minimum, double left,
               double right);

// The weight of the rows up to this place of the order.
double weight_up_to(const NodeContext& context, std::span<const std::uint32_t> order, std::uint32_t position);

}  // namespace vaglio::tree
