#include "additive/part.hpp"

#include <algorithm>

namespace vaglio::additive {
namespace {

using boosting::Derivatives;
using boosting::GradientSums;
using boosting::RowGradient;
using boosting::Target;

// Rows are taken in blocks that stay in the cache while steps, derivatives and sums go over them.
constexpr std::size_t block_rows = 2048;

// Some rows of a bag, with weights of zero for those it keeps out.
class Block {
 public:
    Block(const PartOfRows& part, std::size_t bag) : part_(part), bag_(bag), target_(part.target) {
        weight_.resize(std::min(block_rows, part.target.rows));
        target_.weight = weight_.data();
    }

    const Target& at(std::size_t first) {
        const std::size_t rows = std::min(block_rows, part_.target.rows - first);
        const std::uint8_t* held = part_.held_by(bag_) + first;
        const double* given = part_.target.weight;
        for (std::size_t i = 0; i < rows; ++i) weight_[i] = held[i] ? 0.0 : given ? given[first + i] : 1.0;
        target_.rows = rows;
        target_.y = part_.target.y + first;
        target_.raw = part_.scores(bag_) + first;
        if (target_.outputs == 1) return target_;
        // Several outputs lie behind each other: those of the block are brought together.
        scores_.resize(target_.outputs * rows);
        for (std::size_t k = 0; k < target_.outputs; ++k) {
            std::copy_n(target_.raw + k * part_.target.rows, rows, scores_.data() + k * rows);
        }
        target_.raw = scores_.data();
        return target_;
    }

 private:
    const PartOfRows& part_;
    std::size_t bag_;
    Target target_;
    std::vector<double> weight_, scores_;
};

template <class Use>
void for_blocks(std::size_t rows, Use use) {
    for (std::size_t first = 0; first < rows; first += block_rows) use(first, std::min(block_rows, rows - first));
}

// The steps of each output, as the loop over rows reads them.
std::vector<std::vector<ColumnValues>> by_output(const PartOfRows& part, std::span<const TermStep> steps) {
    std::vector<std::vector<ColumnValues>> found(part.target.outputs);
    for (const TermStep& step : steps) found[step.output].push_back({part.columns[step.term], step.values.data()});
    return found;
}

}  // namespace

std::size_t PartOfRows::slots_of(std::span<const std::uint32_t> terms) const {
    std::size_t total = 0;
    for (const std::uint32_t term : terms) total += columns[term].slots;
    return total;
}

void visit(const PartOfRows& part, std::size_t bag, std::span<const TermStep> steps,
           std::span<const std::uint32_t> terms, const boosting::FixedPoint& unit, TermSums& to) {
    const std::size_t outputs = part.target.outputs, slots = part.slots_of(terms);
    to.sums.assign(outputs * slots, {});
    to.squares.assign(outputs, {});
    std::vector<std::vector<ColumnSums>> sums(outputs);
    for (std::size_t k = 0, at = 0; k < outputs; ++k) {
        for (const std::uint32_t term : terms) {
            sums[k].push_back({part.columns[term], to.sums.data() + at});
            at += part.columns[term].slots;
        }
    }
    const auto values = by_output(part, steps);
    boosting::Gradients gradients;
    Block block(part, bag);
    for_blocks(part.target.rows, [&](std::size_t first, std::size_t rows) {
        for (std::size_t k = 0; k < outputs; ++k) {
            add_values(values[k], first, rows, part.scores(bag) + k * part.target.rows + first);
        }
        gradients.compute(block.at(first), unit, 1);
        for (std::size_t k = 0; k < outputs; ++k) {
            const RowGradient* own = gradients.rows.data() + k * rows;
            for (std::size_t i = 0; part.squares && i < rows; ++i) to.squares[k].add(own[i].gradient);
            add_derivatives(sums[k], first, rows, own);
        }
    });
}

void add_steps(const PartOfRows& part, std::size_t bag, std::span<const TermStep> steps) {
    const auto values = by_output(part, steps);
    for_blocks(part.target.rows, [&](std::size_t first, std::size_t rows) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            add_values(values[k], first, rows, part.scores(bag) + k * part.target.rows + first);
        }
    });
}

void start_scores(const PartOfRows& part, std::size_t bag, std::span<const double> start,
                  std::span<const TermStep> steps) {
    double* scores = part.scores(bag);
    for (std::size_t k = 0; k < start.size(); ++k) {
        std::fill_n(scores + k * part.target.rows, part.target.rows, start[k]);
    }
    add_steps(part, bag, steps);
}

Derivatives bounds(const PartOfRows& part, std::size_t bag) {
    Derivatives largest{0.0, 0.0};
    const auto larger = [](double a, double b) { return a > b || a != a ? a : b; };  // NaN, if there is one
    Block block(part, bag);
    for_blocks(part.target.rows, [&](std::size_t first, std::size_t) {
        const Derivatives own = boosting::derivative_bounds(block.at(first), 1);
        largest = {larger(own.gradient, largest.gradient), larger(own.hessian, largest.hessian)};
    });
    return largest;
}

boosting::LossSum held_loss(const PartOfRows& part, std::size_t bag) {
    boosting::LossSum found;
    Target target = part.target;
    target.raw = part.scores(bag);
    const std::uint8_t* held = part.held_by(bag);
    for (std::size_t i = 0; i < target.rows; ++i) {
        if (held[i]) found.add(boosting::row_loss(target, i), part.weight(i));
    }
    return found;
}

boosting::BaselineSums start_sums(const PartOfRows& part, std::size_t bag, double least) {
    boosting::BaselineSums found(part.target);
    const std::uint8_t* held = part.held_by(bag);
    for (std::size_t i = 0; i < part.target.rows; ++i) {
        if (!held[i]) found.add(part.target.y[i], least, part.weight(i));
    }
    return found;
}

std::vector<std::uint64_t> training_rows(const PartOfRows& part, std::size_t bag,
                                         std::span<const std::uint32_t> terms) {
    std::vector<GradientSums> sums(part.slots_of(terms));
    std::vector<ColumnSums> columns;
    std::size_t at = 0;
    for (const std::uint32_t term : terms) {
        columns.push_back({part.columns[term], sums.data() + at});
        at += part.columns[term].slots;
    }
    std::vector<RowGradient> ones(std::min(block_rows, part.target.rows));
    for_blocks(part.target.rows, [&](std::size_t first, std::size_t rows) {
        const std::uint8_t* held = part.held_by(bag) + first;
        for (std::size_t i = 0; i < rows; ++i) ones[i] = {held[i] ? 0 : 1, 0};
        add_derivatives(columns, first, rows, ones.data());
    });
    std::vector<std::uint64_t> found;
    found.reserve(sums.size());
    for (const GradientSums& own : sums) found.push_back(static_cast<std::uint64_t>(own.gradient));
    return found;
}

}  // namespace vaglio::additive
