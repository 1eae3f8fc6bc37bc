#pragma once
// What the bindings of boosted models share: names of losses, lists of rows, copies for NumPy.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"
#include "boosting/loss/loss.hpp"

namespace boosting = vaglio::boosting;

inline boosting::LossKind loss_from(const std::string& name) {
    using Kind = boosting::LossKind;
    const std::map<std::string, Kind> names{{"binomial", Kind::binomial},
                                            {"multinomial", Kind::multinomial},
                                            {"squared_error", Kind::squared},
                                            {"absolute_error", Kind::absolute},
                                            {"quantile", Kind::quantile},
                                            {"poisson", Kind::poisson},
                                            {"gamma", Kind::gamma}};
    const auto found = names.find(name);
    require(found != names.end(), "unknown loss");
    return found->second;
}

inline std::vector<std::uint32_t> row_list(const Array1<std::uint32_t>& rows, std::size_t n) {
    require(std::all_of(rows.data(), rows.data() + rows.size(), [&](std::uint32_t row) { return row < n; }),
            "a row is outside the table");
    return {rows.data(), rows.data() + rows.size()};
}

template <class T>
NumPy<T> copied(const std::vector<T>& values, std::vector<std::size_t> shape = {}) {
    return to_numpy(std::vector<T>(values), std::move(shape));
}
