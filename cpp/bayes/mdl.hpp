#pragma once
// Supervised discretisation by Fayyad and Irani's entropy cuts, accepted by their description-length criterion.
#include <cstddef>
#include <vector>

#include "base/control.hpp"
#include "bayes/class_counts.hpp"

namespace vaglio {

// Cut points in increasing order, each midway between two neighbouring values; x < cut lies to its left.
// Of cuts that are equally good, the lowest is taken.
std::vector<double> mdl_cuts(const ValueCounts& counts, std::size_t classes, const Control& control);

}  // namespace vaglio
