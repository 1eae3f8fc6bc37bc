#pragma once
// Where to begin the search for a number among many cuts: the range of the cuts is divided into cells of one width, and
// each cell knows how many cuts lie before it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace vaglio {

class CutIndex {
 public:
    // Fewer cuts are searched as fast without, and more would not stay in the nearest cache.
    static constexpr std::size_t least_cuts = 16, most_cuts = std::size_t{1} << 12;
    static constexpr std::size_t cells_per_cut = 4;

    explicit CutIndex(std::span<const double> cuts) : first_(cuts.front()) {
        const std::size_t cells = std::bit_ceil(cells_per_cut * cuts.size());
        last_cell_ = static_cast<double>(cells - 1);
        scale_ = last_cell_ / (cuts.back() - first_);
        // Cuts that are all equal, or so far apart that their distance is infinite, are not told apart by cells.
        if (!std::isfinite(scale_) || scale_ <= 0.0) return;
        std::vector<std::size_t> own(cells);
        for (const double cut : cuts) ++own[cell_of(cut)];
        const std::size_t steps = std::bit_width(*std::max_element(own.begin(), own.end()));
        // A search through all cuts takes so many steps; a step less is not worth the look at the cell.
        if (steps + 2 > static_cast<std::size_t>(std::bit_width(cuts.size()))) return;
        before_.resize(cells);
        for (std::size_t cell = 1; cell < cells; ++cell) {
            before_[cell] = static_cast<std::uint16_t>(before_[cell - 1] + own[cell - 1]);
        }
        // Nothing compares with NaN: a step beyond the last cut leads nowhere.
        cuts_.assign(cuts.size() + (std::size_t{1} << steps), std::numeric_limits<double>::quiet_NaN());
        std::copy(cuts.begin(), cuts.end(), cuts_.begin());
        step_ = (std::size_t{1} << steps) / 2;
    }

    bool helps() const { return !before_.empty(); }

    // The first step of the search from `begin(x)`: steps are halved, and one is taken if the cut before its end is
    // passed. Rounding keeps the order of numbers, so that cuts of earlier cells are below x and those of later above.
    std::size_t step() const { return step_; }
    const double* begin(double x) const { return cuts_.data() + before_[cell_of(x)]; }
    const double* cuts() const { return cuts_.data(); }

 private:
    std::size_t cell_of(double x) const {
        const double at = (x - first_) * scale_;
        // A missing number fails the first comparison and comes to the first cell.
        return static_cast<std::size_t>(std::min(at > 0.0 ? at : 0.0, last_cell_));
    }

    double first_, last_cell_, scale_;
    std::size_t step_ = 0;
    std::vector<std::uint16_t> before_;
    std::vector<double> cuts_;
};

}  // namespace vaglio
