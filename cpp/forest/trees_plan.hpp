#pragma once
// Trees that are grown together: the rows, the features and the random numbers of each. Whoever holds some of the rows
// finds out alone which of them a tree grows on.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio {

struct TreePlan {
    std::vector<std::uint32_t> features;        // that it may use at all, ascending
    std::uint64_t seed = 0;                     // of its random numbers
    std::uint64_t bag = 0;                      // key of its draws
    std::uint64_t first_out = 1, last_out = 0;  // rows whose hash lies between these are left out; first > last: none
    std::vector<std::uint64_t> blocks;          // its draws by blocks of rows, if they are known
};

struct TreesPlan {
    std::size_t draws = 0;        // rows drawn with replacement for each tree; 0: every row once
    std::uint64_t hash_seed = 0;  // of the hash of rows
    bool leaves_out = false;      // whether some tree leaves out rows by their hash
    std::vector<TreePlan> trees;

    // Whether trees have rows of their own.
    bool drawn() const { return draws > 0 || leaves_out; }
};

// The trees of a forest.
TreesPlan plan_forest(std::size_t n_features, std::size_t n_trees, std::size_t draws, std::size_t features_per_tree,
                      std::uint64_t seed);

// 64 random bits of a row by its number, one to one.
std::uint64_t hash_of_row(std::uint64_t row, std::uint64_t seed);

// How often a tree grows on each of the rows in [begin, end) of so many; empty: on all of them once.
std::vector<std::uint16_t> rows_of_tree(const TreesPlan& plan, std::size_t tree, std::size_t rows, std::size_t begin,
                                        std::size_t end);

}  // namespace vaglio
