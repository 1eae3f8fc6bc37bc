// Where boosting starts: the constants of least loss.
#include <algorithm>
#include <cmath>
#include <limits>

#include "boosting/loss/loss.hpp"

namespace vaglio::boosting {
namespace {

// No row of a class, or a mean of zero, would put the start at minus infinity.
constexpr double least_share = 1e-15;

bool of_classes(LossKind loss) { return loss == LossKind::binomial || loss == LossKind::multinomial; }

}  // namespace

BaselineSums::BaselineSums(const Target& target)
    : loss(target.loss), sums(target.loss == LossKind::multinomial ? target.outputs : 1) {}

void BaselineSums::add(double y, double least, double weight) {
    const bool several = loss == LossKind::multinomial;
    const double term = several ? weight : weight * (of_classes(loss) ? y : y - least);
    total.add(weight);
    if (std::isfinite(term)) {
        sums[several ? static_cast<std::size_t>(y) : 0].add(term);
    } else {
        beyond = true;
    }
}

std::vector<double> BaselineSums::baseline(double least) const {
    const double all = total.value();
    std::vector<double> found;
    for (const ExactSum& sum : sums) {
        const double whole = sum.value();
        // A sum may be beyond all numbers where the mean is not.
        found.push_back(std::isfinite(whole) ? whole / all : std::ldexp(sum.value(-32) / all, 32));
    }
    if (beyond) return std::vector<double>(found.size(), std::numeric_limits<double>::infinity());
    if (loss == LossKind::binomial) {
        const double share = std::clamp(found[0], least_share, 1 - least_share);
        return {std::log(share / (1 - share))};
    }
    if (loss == LossKind::multinomial) {
        double centre = 0;
        for (double& share : found) {
            share = std::log(std::max(share, least_share));
            centre += share / static_cast<double>(found.size());
        }
        for (double& share : found) share -= centre;
        return found;
    }
    const double mean = least + found[0];
    return {loss == LossKind::squared ? mean : std::log(std::max(mean, least_share))};
}

}  // namespace vaglio::boosting
