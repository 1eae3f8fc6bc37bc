#pragma once
// A target of several columns, the outputs: one tree predicts them all. Every impurity is the mean of those of the
// outputs. A node sums, for classes, the class weights of one output after the other, and for numbers Σ w·y of each
// output and then Σ w·y² of all: so the purity by Gini's index and by the squared error is one sum of squares.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio::tree {

struct Outputs {
    std::size_t count = 0;
    // Classes: where those of each output begin among the sums, and the end of the last; empty: numbers.
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> places;  // classes: row after row, that of each output among the sums
    const double* targets = nullptr;    // numbers: row after row

    bool classes() const { return !starts.empty(); }
    // Numbers that a node predicts.
    std::size_t values() const { return classes() ? starts.back() : count; }
    // Numbers that a node sums.
    std::size_t sums() const { return classes() ? starts.back() : count + 1; }

    std::span<const std::uint32_t> places_of(std::size_t row) const { return {places.data() + row * count, count}; }
    std::span<const double> targets_of(std::size_t row) const { return {targets + row * count, count}; }

    void add(std::size_t row, double weight, double* to) const {
        if (classes()) {
            for (const std::uint32_t place : places_of(row)) to[place] += weight;
            return;
        }
        double squares = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const double y = targets_of(row)[k];
            to[k] += weight * y;
            squares += y * y;
        }
        to[count] += weight * squares;
    }

    // Whether the rows of these sums are alike in every output.
    bool pure(std::span<const double> of, double weight) const;
};

}  // namespace vaglio::tree
