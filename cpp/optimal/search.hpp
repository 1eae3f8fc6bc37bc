#pragma once
// Trees of any depth: every first test that cannot be excluded, with the best trees of both branches below it.
#include <unordered_map>

#include "optimal/counts.hpp"
#include "optimal/solved.hpp"

namespace vaglio::optimal {

// What was found of sets of rows, by depth and number of leaves: different tests lead to the same rows.
class Memory {
 public:
    struct Name {
        Key key;
        std::uint32_t depth, leaves;
        bool operator==(const Name&) const = default;
    };

    const Solved* find(const Name& name) const;
    void keep(const Name& name, const Solved& solved);
    // Takes over what another one has kept.
    void take(Memory&& other);
    bool full() const { return found_.size() >= most; }

 private:
    static constexpr std::size_t most = 4000000;
    struct Hash {
        std::size_t operator()(const Name& name) const {
            return static_cast<std::size_t>(name.key.first ^ (name.depth * 0x9e3779b97f4a7c15ULL) ^
                                            (static_cast<std::uint64_t>(name.leaves) << 48));
        }
    };
    std::unordered_map<Name, Solved, Hash> found_;
};

// A search of one thread. It reads what all searches have kept so far, and keeps what it finds for itself, so that what
// it does depends on nothing but its task.
class Search {
 public:
    // `own` is what an earlier search for the same found until it was stopped.
    Search(const Memory& common, Memory own, Watch& watch) : common_(common), own_(std::move(own)), watch_(watch) {}

    // The cheapest tree if it costs less than the bound; else the lower bound is at least the bound.
    Solved solve(const Subset& subset, const Task& task);
    // The best trees of both branches of a test, as far as together they may cost less than the limit; the right one
    // costs `least_right` at least.
    std::pair<Solved, Solved> solve_branches(const Subset& subset, const Test& test, std::uint32_t depth, Shares leaves,
                                             Cost limit, Cost least_right);

    Memory&& own() { return std::move(own_); }

 private:
    Solved search(const Subset& subset, const Task& task);
    void search_column(const Subset& subset, std::uint32_t column, const Task& task, const Solved& shallower,
                       Shares shares, Solved& best, Cost& limit);

    const Memory& common_;
    Memory own_;
    Watch& watch_;
};

// The columns, those whose best single test gains most first.
std::vector<std::uint32_t> by_single_test(const Subset& subset);

// Trees of depth one and two are found by counting instead of by search.

// A leaf, or the best single test.
Solved solve_depth_one(const Subset& subset, std::uint32_t leaves);

// For every first test that cannot be excluded, the best second tests of both branches at once: from a table of pairs
// of values where both columns have few, else in a pass over the rows of the smaller branch.
Solved solve_depth_two(const Subset& subset, const Task& task, Watch& watch);

}  // namespace vaglio::optimal
