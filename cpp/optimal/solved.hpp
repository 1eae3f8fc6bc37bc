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

// What ended a search before it had looked at everything.
enum class Limit { none, work, time };

struct Stopped : std::exception {
    explicit Stopped(Limit what_ended) : limit(what_ended) {}
    const char* what() const noexcept override { return "the search has reached a limit"; }
    Limit limit;
};

// What a search may take: cells of tables that it reads, which are the same on any machine, and a moment.
class Watch {
 public:
    using Moment = std::optional<std::chrono::steady_clock::time_point>;

    Watch(Control& control, std::uint64_t most, Moment deadline)
        : control_(control), most_(most), deadline_(deadline) {}

    // Counts cells that are about to be read; throws when they are too many, the time is up or the user interrupts.
    void spend(std::uint64_t cells) {
        if (cells > most_ - spent_) {
            spent_ = most_;
            throw Stopped(Limit::work);
        }
        spent_ += cells;
        if (spent_ < next_look_) return;
        next_look_ = spent_ + cells_between_looks;
        control_.check();
        if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) throw Stopped(Limit::time);
    }
    std::uint64_t spent() const { return spent_; }

 private:
    static constexpr std::uint64_t cells_between_looks = 1000000;  // about a millisecond

    Control& control_;
    std::uint64_t most_, spent_ = 0, next_look_ = 0;
    Moment deadline_;
};

// How the leaves of a tree are shared out over the branches of its root, left and right: every way of it.
using Shares = std::pair<std::uint32_t, std::uint32_t>;
std::vector<Shares> leaf_shares(std::uint32_t depth, std::uint32_t leaves);

// The greatest number of leaves of a tree of this depth, or fewer if no more are allowed.
inline std::uint32_t most_leaves(std::uint32_t depth, std::uint32_t leaves) {
    return depth >= 31 ? leaves : std::min(leaves, 1u << depth);
}

}  // namespace vaglio::optimal
