#pragma once
// What is known of a subset: the least cost of a tree for it lies between two bounds, and a tree attains the upper one.
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/control.hpp"
#include "optimal/subset.hpp"

namespace vaglio::optimal {

// A tree, as long as the rows are at hand: what a leaf says follows from its rows.
struct Choice {
    Test test;
    std::shared_ptr<const Choice> left, right;  // null: a leaf
};

struct Solved {
    Cost lower = 0, upper = unbounded;
    std::shared_ptr<const Choice> tree;  // null: a leaf

    bool exact() const { return lower == upper; }
};

// How large a tree may be, and the cost that it must stay below to be of interest.
struct Task {
    std::uint32_t depth, leaves;
    Cost bound;
};

struct TimeUp : std::exception {
    const char* what() const noexcept override { return "the time is up"; }
};

// Asks to stop, by throwing, when the user interrupts or when the time is up.
struct Watch {
    Control& control;
    std::optional<std::chrono::steady_clock::time_point> deadline;

    bool late() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
    void check() const {
        control.check();
        if (late()) throw TimeUp{};
    }
};

// How the leaves of a tree are shared out over the branches of its root, left and right: every way of it.
using Shares = std::pair<std::uint32_t, std::uint32_t>;
std::vector<Shares> leaf_shares(std::uint32_t depth, std::uint32_t leaves);

// The greatest number of leaves of a tree of this depth, or fewer if no more are allowed.
inline std::uint32_t most_leaves(std::uint32_t depth, std::uint32_t leaves) {
    return depth >= 31 ? leaves : std::min(leaves, 1u << depth);
}

}  // namespace vaglio::optimal
