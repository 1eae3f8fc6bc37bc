#pragma once
// The optimal tree of a table, with the proof: what no tree can cost less than.
#include "optimal/solved.hpp"

namespace vaglio::optimal {

struct Optimum {
    tree::Tree tree;
    Cost cost = 0;              // of the tree, leaves included
    Cost lower = 0;             // no tree costs less; equal to `cost` when the tree is proved optimal
    Cost greedy = 0;            // of the tree that the search started from
    Limit limit = Limit::none;  // what ended the search before the proof
};

// They bound the search, not the preparation; the tree is then the best one found.
struct Effort {
    std::uint64_t work;  // cells of tables read: the tree is the same on any machine and any number of threads
    double seconds;
};

Optimum find_optimum(const tree::TreeData& data, Problem problem, const tree::Tree& start, const Effort& most,
                     int threads, Control& control);

// The tree with the rows of the table in it; tests that change nothing are left out.
tree::Tree build_tree(const tree::TreeData& data, const Problem& problem, const Choice* choice);

}  // namespace vaglio::optimal
