#pragma once
// What the fuzzers of boosting and of additive models share: columns in bins, and targets that a loss can be asked of.
#include <cmath>
#include <vector>

#include "boosting/binned.hpp"
#include "boosting/loss/loss.hpp"
#include "input.hpp"

namespace vaglio_fuzz {

// The columns of the table as they come; the table must outlive it.
inline vaglio::boosting::RawTable raw_table(const Table& table) {
    vaglio::boosting::RawTable raw;
    raw.rows = table.rows;
    for (std::uint32_t j = 0; j < table.n_numeric; ++j) raw.features.push_back({false, j});
    for (std::uint32_t j = 0; j < table.n_nominal; ++j) raw.features.push_back({true, j});
    raw.numeric = table.numbers.data();
    raw.row_stride = static_cast<std::int64_t>(table.n_numeric);
    raw.column_stride = 1;
    raw.codes = table.codes.data();
    raw.categories = table.arity;
    return raw;
}

// What the loss can be asked of, as the learners promise it.
inline std::vector<double> any_targets(const Table& table, vaglio::boosting::LossKind loss) {
    using vaglio::boosting::LossKind;
    std::vector<double> y(table.rows);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double size = std::abs(table.targets[i]);
        y[i] = loss == LossKind::binomial      ? static_cast<double>(table.labels[i] % 2)
               : loss == LossKind::multinomial ? static_cast<double>(table.labels[i])
               : loss == LossKind::poisson     ? size
               : loss == LossKind::gamma       ? size + 1e-300
                                               : table.targets[i];
    }
    if (loss == LossKind::poisson) y[0] += 1;
    return y;
}

// A direction per feature: -1 falls, 0 is free, 1 rises.
inline std::vector<std::int8_t> any_directions(Input& input, std::size_t features) {
    return input.list(features, [&] { return static_cast<std::int8_t>(static_cast<int>(input.below(3)) - 1); });
}

}  // namespace vaglio_fuzz
