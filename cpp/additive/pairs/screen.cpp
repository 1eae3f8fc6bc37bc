#include "additive/pairs/screen.hpp"

namespace vaglio::additive {

using boosting::GradientSums;

void Coarse::add(const SlotColumn& bins, bool nominal, std::span<const std::uint8_t> to, std::size_t rows) {
    sides.push_back({nominal, std::uint32_t{to.back()} + 1});
    std::vector<std::uint8_t>& column = columns.emplace_back(rows);
    const auto fill = [&](const auto* own) {
        for (std::size_t i = 0; i < rows; ++i) column[i] = to[own[i]];
    };
    if (bins.wide) {
        fill(static_cast<const std::uint16_t*>(bins.data));
    } else {
        fill(static_cast<const std::uint8_t*>(bins.data));
    }
}

std::vector<std::uint16_t> Coarse::column(const Pair& pair) const {
    const std::vector<std::uint8_t>&a = columns[pair.first], &b = columns[pair.second];
    const auto width = static_cast<std::uint16_t>(sides[pair.second].slots);
    std::vector<std::uint16_t> cells(a.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint16_t>(a[i] * width + b[i]);
    return cells;
}

Screen::Screen(const PartOfRows& part, std::size_t bags)
    : target_(part.target), mean_(part.target.outputs * part.target.rows, 0.0) {
    for (std::size_t b = 0; b < bags; ++b) {
        const double* own = part.scores(b);
        for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += own[i] / static_cast<double>(bags);
    }
    target_.raw = mean_.data();
    // With weights of one instead of none, the Hessian is kept per row whatever the loss.
    if (target_.weight) return;
    ones_.assign(target_.rows, 1.0);
    target_.weight = ones_.data();
}

void Screen::add_rows(const Coarse& coarse, const Pair& pair, std::span<const std::uint32_t> rows,
                      GradientSums* to) const {
    const std::uint8_t *a = coarse.columns[pair.first].data(), *b = coarse.columns[pair.second].data();
    const std::size_t width = coarse.sides[pair.second].slots;
    const std::uint64_t one = gradients_.unit.one_row();
    for (std::size_t k = 0; k < target_.outputs; ++k) {
        const boosting::RowGradient* own = gradients_.rows.data() + k * target_.rows;
        GradientSums* cells = to + k * coarse.cells(pair);
        for (const std::uint32_t row : rows) {
            cells[a[row] * width + b[row]] += {own[row].gradient, own[row].hessian + one};
        }
    }
}

double screened_gain(const boosting::SplitConfig& config, const boosting::FixedPoint& unit,
                     const std::vector<Side>& sides, const Pair& pair, std::size_t outputs, const GradientSums* sums) {
    const Side &first = sides[pair.first], &second = sides[pair.second];
    double gain = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
        gain += Grid(config, unit, first, second, sums + k * first.slots * second.slots).interaction_gain();
    }
    return gain;
}

}  // namespace vaglio::additive
