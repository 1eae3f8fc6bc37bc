#include "bayes/exact/exact_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bayes/exact/grid_loops.hpp"
#include "columns/cutting.hpp"
#include "columns/grid_rounding.hpp"

namespace vaglio {
namespace {

// Rows that follow each other are often of one class, and each addition would wait for the one before it: they take
// turns in so many sums, which adds the same numbers, since the grid leaves nothing to round.
constexpr std::size_t turns = 4;

// Deviations and their squares, coarse and fine, and the weight.
using Held = std::array<double, grid_sums>;

const auto add_grid_terms = VAGLIO_LEVELS(add_grid_terms).best();

// Sums of some rows of few classes: all are added in registers.
void add_to_few(std::span<const double> x, const std::int64_t* label, const double* weight, const GridTerms& terms,
                std::vector<Held>& held) {
    add_grid_terms(x.data(), label, weight, x.size(), held.size(), terms, held.front().data());
}

void add_to_many(std::span<const double> x, const std::int64_t* label, const double* weight, double centre,
                 const GridRounding& first, const GridRounding& second, std::vector<Held>& held) {
    const std::size_t classes = held.size() / turns;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double deviation = x[i] - centre;
        if (std::isnan(deviation)) continue;
        Held& sums = held[(i % turns) * classes + static_cast<std::size_t>(label[i])];
        const double w = weight == nullptr ? 1.0 : weight[i];
        const double weighed = w * deviation;
        first.add(weighed, sums[0], sums[1]);
        second.add(weighed * deviation, sums[2], sums[3]);
        sums[4] += w;
    }
}

}  // namespace

GridMoments grid_moments(std::span<const double> x, const std::int64_t* label, const double* weight,
                         std::size_t classes, const MomentGrid& grid) {
    GridMoments found{std::vector<double>(classes), std::vector<std::int64_t>(4 * classes)};
    const GridRounding first(grid.first_exponent), second(grid.second_exponent);
    const GridTerms terms{grid.centre, first.coarse(), first.fine(), second.coarse(), second.fine()};
    const bool few = classes <= most_grid_classes;
    std::vector<Held> held(few ? classes : turns * classes);
    for (std::size_t start = 0; start < x.size(); start += grid_block) {
        std::fill(held.begin(), held.end(), Held{});
        const auto rows = x.subspan(start, std::min(grid_block, x.size() - start));
        const double* const w = weight == nullptr ? nullptr : weight + start;
        if (few) {
            add_to_few(rows, label + start, w, terms, held);
        } else {
            add_to_many(rows, label + start, w, grid.centre, first, second, held);
        }
        for (std::size_t at = 0; at < held.size(); ++at) {
            const std::size_t c = at % classes;
            for (std::size_t part = 0; part < 4; ++part) {
                const int exponent = part < 2 ? grid.first_exponent : grid.second_exponent;
                found.sums[part * classes + c] += in_grid_units(held[at][part], part % 2 == 0 ? 1 : 2, exponent);
            }
            found.weight[c] += held[at][4];
        }
    }
    return found;
}

std::vector<double> point_counts(std::span<const double> x, std::span<const double> points, const std::int64_t* label,
                                 const double* weight, std::size_t classes) {
    std::vector<double> table(points.size() * classes);
    if (points.empty()) return table;
    // Beyond the last point but one there is only the last.
    count_cuts<false>(
        points.first(points.size() - 1), 0, x.size(), [&](std::size_t i) { return x[i]; },
        [&](std::size_t i, double own, std::size_t point) {
            if (own != own) return;
            table[point * classes + static_cast<std::size_t>(label[i])] += weight == nullptr ? 1.0 : weight[i];
        });
    return table;
}

}  // namespace vaglio
