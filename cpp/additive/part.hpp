#pragma once
// What is done with the rows, or with a part of them: whole numbers and exact sums, which add up to those of all rows
// in any order and division.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "additive/columns.hpp"
#include "boosting/loss/loss.hpp"

namespace vaglio::additive {

// What one term adds to one output.
struct TermStep {
    std::uint32_t term = 0, output = 0;
    std::vector<double> values;  // per slot
};

struct PartOfRows {
    boosting::Target target;             // its scores are those of the bags
    std::vector<SlotColumn> columns;     // per term
    const std::uint8_t* held = nullptr;  // (bags, rows): not learned from, but watched
    double* raw = nullptr;               // (bags, outputs, rows)
    bool squares = false;                // whether squares of gradients are asked for

    double* scores(std::size_t bag) const { return raw + bag * target.outputs * target.rows; }
    const std::uint8_t* held_by(std::size_t bag) const { return held + bag * target.rows; }
    double weight(std::size_t row) const { return target.weight ? target.weight[row] : 1.0; }
    std::size_t slots_of(std::span<const std::uint32_t> terms) const;
};

// The derivatives of a bag in the slots of some terms: (outputs, slots of the first term, of the next one, …). Rows
// that the bag keeps out weigh nothing, and rows are not counted.
struct TermSums {
    std::vector<boosting::GradientSums> sums;
    std::vector<boosting::SquareSum> squares;  // of the gradients, per output
};

// Adds steps to the scores of a bag, and then the derivatives of its rows to the sums of some terms.
void visit(const PartOfRows& part, std::size_t bag, std::span<const TermStep> steps,
           std::span<const std::uint32_t> terms, const boosting::FixedPoint& unit, TermSums& to);

// The scores of a bag from the beginning: where it starts, and then the terms in their order.
void start_scores(const PartOfRows& part, std::size_t bag, std::span<const double> start,
                  std::span<const TermStep> steps);
void add_steps(const PartOfRows& part, std::size_t bag, std::span<const TermStep> steps);

// What no derivative of a row that the bag learns from is larger than.
boosting::Derivatives bounds(const PartOfRows& part, std::size_t bag);

// The loss of the rows that a bag keeps out.
boosting::LossSum held_loss(const PartOfRows& part, std::size_t bag);

// What the start of a bag is made of.
boosting::BaselineSums start_sums(const PartOfRows& part, std::size_t bag, double least);

// How many rows a bag learns from in each slot of some terms.
std::vector<std::uint64_t> training_rows(const PartOfRows& part, std::size_t bag, std::span<const std::uint32_t> terms);

}  // namespace vaglio::additive
