#pragma once
// From single trees to one forest: random numbers of each tree, its features, and the joining of what was grown.
#include <cstdint>
#include <vector>

#include "forest/forest.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// What a tree's random numbers are for.
enum Purpose : std::uint64_t { bag_key, features_key, growth_key };

std::uint64_t tree_key(std::uint64_t seed, std::size_t tree, Purpose purpose);

// One finished tree, with its own leaf contents still one by one.
struct CompactTree {
    std::vector<ForestNode> nodes;
    std::vector<std::uint32_t> tables;
    std::vector<double> leaves;
    std::vector<double> importances;
};

// The features a tree may use at all, ascending.
std::vector<std::uint32_t> choose_features(std::size_t total, std::size_t wanted, std::uint64_t key);

CompactTree compact_of(const tree::Tree& tree, const std::vector<std::uint32_t>& chosen, const tree::TreeData& data,
                       bool regression);

// The trees in their order; they are used up.
Forest join_trees(std::vector<CompactTree>& trees, const tree::TreeData& data);

}  // namespace vaglio
