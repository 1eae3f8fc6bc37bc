#pragma once
// The class of each row from log P(x, c), where no probability is needed to tell.
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace vaglio {

struct Decisions {
    std::vector<std::int64_t> code;  // of the largest number of each row, the first of equal ones
    std::vector<std::int64_t>
        close;  // rows whose second largest is nearer than asked for, or with a number that is none
};

Decisions decide_rows(std::span<const double> joint, std::size_t classes, double apart, int threads,
                      const Control& control);

}  // namespace vaglio
