// Rows are taken in blocks that stay in the cache: there the mean is known before the deviations from it are squared,
// so that nothing is lost where a column is far from 0. Moments of blocks are joined as those of groups.
#include "columns/column_moments.hpp"

#include <algorithm>
#include <array>

#include "columns/column_loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_rows = 1024;
// Sums in turn, so that an addition does not wait for the one before it.
constexpr std::size_t turns = 8;

using Sums = std::array<double, turns>;

double total_of(const Sums& sums) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Adds up term(i) for i below n.
template <class Term>
double sum_of(std::size_t n, Term term) {
    Sums sums{};
    std::size_t i = 0;
    for (; i + turns <= n; i += turns)
        for (std::size_t t = 0; t < turns; ++t) sums[t] += term(i + t);
    for (; i < n; ++i) sums[i % turns] += term(i);
    return total_of(sums);
}

struct Group {
    double total = 0, mean = 0, squares = 0;

    void join(const Group& other) {
        if (!(other.total > 0)) return;
        const double all = total + other.total, apart = other.mean - mean;
        squares += other.squares + apart * apart * (total * (other.total / all));
        mean += apart * (other.total / all);
        total = all;
    }
};

Group group_of(const double* x, const double* weight, std::size_t n) {
    // What is missing makes the sum missing, so that the numbers need not be looked at one by one.
    const double sum = sum_of(n, [&](std::size_t i) { return x[i]; });
    if (weight == nullptr && sum == sum) {
        const double mean = sum / static_cast<double>(n);
        const double squares = sum_of(n, [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
        return {static_cast<double>(n), mean, squares};
    }
    const auto counts = [&](std::size_t i) { return x[i] == x[i] ? (weight == nullptr ? 1.0 : weight[i]) : 0.0; };
    const auto known = [&](std::size_t i, double centre) { return x[i] == x[i] ? x[i] - centre : 0.0; };
    const double total = sum_of(n, counts);
    if (!(total > 0)) return {};
    const double mean = sum_of(n, [&](std::size_t i) { return counts(i) * known(i, 0.0); }) / total;
    const double squares = sum_of(n, [&](std::size_t i) { return counts(i) * (known(i, mean) * known(i, mean)); });
    return {total, mean, squares};
}

const ColumnLoops loops = VAGLIO_LEVELS(column_table).best()();

// A block of rows without gaps: `turns` of them are a group, so that each column has its sums in turn.
class WholeRows {
 public:
    explicit WholeRows(std::size_t columns)
        : columns_(columns), sums_(turns * columns), centres_(turns * columns), means_(columns) {}

    void join_to(std::vector<Group>& groups, const double* x, std::size_t n) {
        total(
            x, n, [&](const double* from, std::size_t whole) { loops.add(from, whole, sums_.size(), sums_.data()); },
            [](double value, std::size_t) { return value; });
        for (std::size_t j = 0; j < columns_; ++j) means_[j] = summed(j) / static_cast<double>(n);
        for (std::size_t k = 0; k < centres_.size(); ++k) centres_[k] = means_[k % columns_];
        total(
            x, n,
            [&](const double* from, std::size_t whole) {
                loops.add_squares(from, whole, sums_.size(), centres_.data(), sums_.data());
            },
            [&](double value, std::size_t j) { return (value - means_[j]) * (value - means_[j]); });
        for (std::size_t j = 0; j < columns_; ++j) {
            // What is missing makes the sum missing, so that the numbers need not be looked at one by one.
            if (means_[j] == means_[j]) groups[j].join({static_cast<double>(n), means_[j], summed(j)});
        }
    }

    // Whether a column of the block that was joined last has missing numbers, and was left out.
    bool left_out(std::size_t column) const { return means_[column] != means_[column]; }

 private:
    template <class Add, class Term>
    void total(const double* x, std::size_t n, Add add, Term term) {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        const std::size_t whole = n / turns;
        add(x, whole);
        for (std::size_t i = whole * turns; i < n; ++i)
            for (std::size_t j = 0; j < columns_; ++j) sums_[i % turns * columns_ + j] += term(x[i * columns_ + j], j);
    }

    double summed(std::size_t column) const {
        Sums sums;
        for (std::size_t t = 0; t < turns; ++t) sums[t] = sums_[t * columns_ + column];
        return total_of(sums);
    }

    std::size_t columns_;
    std::vector<double> sums_, centres_, means_;
};

}  // namespace

ColumnMoments column_moments(const NumberRows& x, std::span<const double> weight) {
    std::vector<Group> groups(x.columns);
    std::vector<double> room(block_rows);
    const bool whole = weight.empty() && x.column_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(x.columns);
    WholeRows rows(x.columns);
    for (std::size_t first = 0; first < x.rows; first += block_rows) {
        const std::size_t n = std::min(block_rows, x.rows - first);
        const double* start = x.data + static_cast<std::ptrdiff_t>(first) * x.row_stride;
        if (whole) rows.join_to(groups, start, n);
        for (std::size_t j = 0; j < x.columns; ++j) {
            if (whole && !rows.left_out(j)) continue;
            const double* column = start + static_cast<std::ptrdiff_t>(j) * x.column_stride;
            if (x.row_stride != 1) {
                for (std::size_t i = 0; i < n; ++i) room[i] = column[static_cast<std::ptrdiff_t>(i) * x.row_stride];
                column = room.data();
            }
            groups[j].join(group_of(column, weight.empty() ? nullptr : weight.data() + first, n));
        }
    }
    ColumnMoments found{std::vector<double>(x.columns), std::vector<double>(x.columns)};
    for (std::size_t j = 0; j < x.columns; ++j) {
        found.mean[j] = groups[j].mean;
        found.variance[j] = groups[j].total > 0 ? groups[j].squares / groups[j].total : 0.0;
    }
    return found;
}

}  // namespace vaglio
