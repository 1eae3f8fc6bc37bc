#include "tree/table/outputs.hpp"

#include <algorithm>

namespace vaglio::tree {

bool Outputs::pure(std::span<const double> of, double weight) const {
    if (!classes()) {
        double squares = 0;
        for (const double sum : of.first(count)) squares += sum / weight * (sum / weight);
        return of[count] / weight - squares <= 1e-14 * squares;
    }
    for (std::size_t k = 0; k < count; ++k) {
        const auto own = of.subspan(starts[k], starts[k + 1] - starts[k]);
        if (*std::max_element(own.begin(), own.end()) < weight * (1 - 1e-12)) return false;
    }
    return true;
}

}  // namespace vaglio::tree
