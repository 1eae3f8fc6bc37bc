#pragma once
// Trees of depth one and two, found by counting instead of by search.
#include "optimal/counts.hpp"
#include "optimal/solved.hpp"

namespace vaglio::optimal {

// A leaf, or the best single test.
Solved solve_depth_one(const Subset& subset, std::uint32_t leaves);

// For every first test that cannot be excluded, the best second tests of both branches at once: from a table of pairs
// of values where both columns have few, else in a pass over the rows of the smaller branch.
Solved solve_depth_two(const Subset& subset, const Task& task, Watch& watch);

}  // namespace vaglio::optimal
