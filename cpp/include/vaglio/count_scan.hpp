#pragma once
// Scans of whole class counts, the common case, without a division or a memory dependence per row: counts of up to
// three classes live in one register, and Gini scores are compared as fractions.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "vaglio/logarithm.hpp"

namespace vaglio {

// Counts of a few classes side by side in one word.
struct RegisterCounts {
    static constexpr int bits = 21;
    static constexpr std::size_t classes = 3;
    static constexpr std::int64_t largest = (std::int64_t{1} << bits) - 1;
    std::uint64_t word = 0;

    void add(std::uint32_t c, std::int64_t n) { word += static_cast<std::uint64_t>(n) << (c * bits); }
    void remove(std::uint32_t c, std::int64_t n) { word -= static_cast<std::uint64_t>(n) << (c * bits); }
    std::int64_t operator[](std::uint32_t c) const { return static_cast<std::int64_t>(word >> (c * bits)) & largest; }
};

// Counts of any number of classes in memory the caller owns.
struct ArrayCounts {
    std::int64_t* counts = nullptr;

    void add(std::uint32_t c, std::int64_t n) { counts[c] += n; }
    void remove(std::uint32_t c, std::int64_t n) { counts[c] -= n; }
    std::int64_t operator[](std::uint32_t c) const { return counts[c]; }
};

// Where the best split was, and ΣP of its sides.
struct CountBest {
    bool found = false;
    std::uint32_t position = 0;
    std::int64_t left = 0;  // rows on the left
    double score = 0;
};

template <class Counts>
class GiniScan {
 public:
    GiniScan(Counts left, Counts right, std::int64_t n, double right_squares)
        : left_(left), right_(right), right_squares_(right_squares), right_n_(static_cast<double>(n)) {}

    void move(std::uint32_t c, std::int64_t n) {
        left_squares_ += static_cast<double>(n * (2 * left_[c] + n));
        right_squares_ -= static_cast<double>(n * (2 * right_[c] - n));
        left_.add(c, n);
        right_.remove(c, n);
        left_n_ += static_cast<double>(n);
        right_n_ -= static_cast<double>(n);
    }
    // Σl²/nl + Σr²/nr as one fraction, compared by cross multiplication.
    void consider(std::uint32_t position, bool allowed) {
        const double over = left_squares_ * right_n_ + right_squares_ * left_n_, under = left_n_ * right_n_;
        if (allowed & (over * best_under_ > best_over_ * under)) {
            best_over_ = over;
            best_under_ = under;
            best_ = {true, position, static_cast<std::int64_t>(left_n_),
                     left_squares_ / left_n_ + right_squares_ / right_n_};
        }
    }
    double left_n() const { return left_n_; }
    double right_n() const { return right_n_; }
    const CountBest& best() const { return best_; }

 private:
    Counts left_, right_;
    double left_squares_ = 0, right_squares_, left_n_ = 0, right_n_;
    double best_over_ = -1, best_under_ = 1;
    CountBest best_;
};

template <class Counts>
class EntropyScan {
 public:
    EntropyScan(Counts left, Counts right, std::int64_t n, std::int64_t inner, const std::int64_t* table)
        : left_(left), right_(right), inner_(inner), right_n_(n), table_(table) {}

    void move(std::uint32_t c, std::int64_t n) {
        const std::int64_t l = left_[c], r = right_[c];
        inner_ += table_[l + n] - table_[l] + table_[r - n] - table_[r];
        left_.add(c, n);
        right_.remove(c, n);
        left_n_ += n;
        right_n_ -= n;
    }
    void consider(std::uint32_t position, bool allowed) {
        const std::int64_t score = inner_ - table_[left_n_] - table_[right_n_];
        if (allowed & (score > best_score_)) {
            best_score_ = score;
            best_ = {true, position, left_n_, static_cast<double>(score) / LogTable::scale};
        }
    }
    double left_n() const { return static_cast<double>(left_n_); }
    double right_n() const { return static_cast<double>(right_n_); }
    const CountBest& best() const { return best_; }

 private:
    Counts left_, right_;
    std::int64_t inner_, left_n_ = 0, right_n_;
    const std::int64_t* table_;
    std::int64_t best_score_ = std::numeric_limits<std::int64_t>::min();
    CountBest best_;
};

// Calls use(scan) with the scan for these class counts: in registers where they fit.
template <class Use>
CountBest with_count_scan(bool entropy, std::span<const double> sums, double weight, const LogTable& table,
                          std::int64_t* memory, Use use) {
    const auto n = static_cast<std::int64_t>(weight);
    double squares = 0;
    std::int64_t inner = 0;
    for (const double c : sums) {
        squares += c * c;
        if (entropy) inner += table[static_cast<std::size_t>(c)];
    }
    const auto run = [&](auto left, auto right) {
        for (std::uint32_t c = 0; c < sums.size(); ++c) right.add(c, static_cast<std::int64_t>(sums[c]));
        if (entropy) {
            EntropyScan scan(left, right, n, inner, table.data());
            use(scan);
            return scan.best();
        }
        GiniScan scan(left, right, n, squares);
        use(scan);
        return scan.best();
    };
    if (sums.size() <= RegisterCounts::classes && n <= RegisterCounts::largest)
        return run(RegisterCounts{}, RegisterCounts{});
    std::fill_n(memory, 2 * sums.size(), std::int64_t{0});
    return run(ArrayCounts{memory}, ArrayCounts{memory + sums.size()});
}

}  // namespace vaglio
