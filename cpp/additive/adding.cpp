#include "additive/adding.hpp"

#include <algorithm>
#include <cstdint>

namespace vaglio::additive {
namespace {

// So many columns are read side by side: a prediction is then read and written once for all of them.
constexpr std::size_t most = 8;

struct Columns {
    const std::uint8_t* bins[most];
    const double* values[most];
};

template <std::size_t count>
void add_columns(const Columns& columns, std::size_t rows, double* raw) {
    Columns own = columns;  // in registers: writing a prediction cannot change it
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = raw[i];
#pragma GCC unroll 8
        for (std::size_t c = 0; c < count; ++c) sum += own.values[c][own.bins[c][i]];
        raw[i] = sum;
    }
}

void add_columns(const Columns& columns, std::size_t count, std::size_t rows, double* raw) {
    switch (count) {
        case 0:
            return;
        case 1:
            return add_columns<1>(columns, rows, raw);
        case 2:
            return add_columns<2>(columns, rows, raw);
        case 3:
            return add_columns<3>(columns, rows, raw);
        case 4:
            return add_columns<4>(columns, rows, raw);
        case 5:
            return add_columns<5>(columns, rows, raw);
        case 6:
            return add_columns<6>(columns, rows, raw);
        case 7:
            return add_columns<7>(columns, rows, raw);
        default:
            return add_columns<8>(columns, rows, raw);
    }
}

void take(Columns& columns, std::size_t& count, const std::uint8_t* bins, const double* values, std::size_t, double*) {
    columns.bins[count] = bins;
    columns.values[count] = values;
    ++count;
}

// A column of words is added by itself, after those before it.
void take(Columns& columns, std::size_t& count, const std::uint16_t* bins, const double* values, std::size_t rows,
          double* raw) {
    add_columns(columns, count, rows, raw);
    count = 0;
    for (std::size_t i = 0; i < rows; ++i) raw[i] += values[bins[i]];
}

}  // namespace

void add_to_rows(const boosting::BinnedTable& table, const std::vector<FeatureStep>& steps, std::size_t count,
                 double* raw) {
    Columns columns{};
    std::size_t taken = 0;
    for (std::size_t s = 0; s < count; ++s) {
        table.with_column(steps[s].feature, [&](const auto* bins) {
            take(columns, taken, bins, steps[s].values.data(), table.rows(), raw);
        });
        if (taken < most) continue;
        add_columns(columns, taken, table.rows(), raw);
        taken = 0;
    }
    add_columns(columns, taken, table.rows(), raw);
}

}  // namespace vaglio::additive
