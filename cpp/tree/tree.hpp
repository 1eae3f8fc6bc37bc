#pragma once
// A grown tree: one entry per node in parallel arrays. Node 0 is the root, siblings are contiguous, and a parent
// comes before its children.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio::tree {

enum class NodeKind : std::uint8_t { leaf = 0, threshold = 1, subset = 2, multiway = 3, linear = 4 };

struct Tree {
    std::size_t width = 1;  // numbers per node in `value`: the classes, or 1 for a mean

    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> feature;         // -1 for a leaf
    std::vector<double> threshold;             //
    std::vector<std::int32_t> first_child;     // -1 for a leaf
    std::vector<std::int32_t> n_children;      //
    std::vector<std::int32_t> missing_branch;  // -1: spread over the branches by their training weight
    std::vector<std::int64_t> table_start;     // into tables; -1 where there is none
    std::vector<double> weight;                // of the training rows
    std::vector<double> impurity;
    std::vector<double> gain;
    std::vector<std::uint8_t> strict;
    std::vector<double> value;               // width per node: class weights, or the mean
    std::vector<std::uint32_t> tables;       // subset: a bitset, 1 = branch 1; multiway: the branch of each category
    std::vector<std::int64_t> linear_start;  // linear: where the node's terms begin in the next two; -1 where none
    std::vector<std::int32_t> linear_terms;  // and how many they are
    std::vector<std::int32_t> linear_feature;
    std::vector<double> linear_coef;

    std::size_t size() const { return kind.size(); }
    bool is_leaf(std::size_t node) const { return first_child[node] < 0; }

    // Appends `count` leaves and returns the first of them.
    std::int32_t append(std::size_t count);
    // Makes a node a leaf; its old subtree and table stay, out of reach, until compact().
    void make_leaf(std::size_t node);
};

// Throws std::invalid_argument unless every node's children and table lie within the tree and children come after
// their parent, so that a walk down ends.
void check_structure(const Tree& tree);

// The reachable part of the tree in canonical order (depth first, children numbered together when their parent is
// visited), so that the arrays do not depend on the order of growth.
Tree compact(const Tree& tree);

// Puts a tree that was grown apart in the place of a leaf.
void graft(const Tree& fragment, std::int32_t at, Tree& tree);

}  // namespace vaglio::tree
