#pragma once
// Scans of whole class counts, the common case, without a division or a memory dependence per row: counts of up to
// three classes live in one register, and Gini scores are compared as fractions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/logarithm.hpp"

namespace vaglio::tree {

// Counts of a few classes side by side in one word.
struct RegisterCounts {
    static constexpr int bits = 21;
    static constexpr std::size_t classes = 3;
    static constexpr std::int64_t largest = (std::int64_t{1} << bits) - 1;
    std::uint64_t word = 0;

    void add(std::uint32_t c, std::int64_t n) { word += static_cast<std::uint64_t>(n) << (c * bits); }
    std::int64_t operator[](std::uint32_t c) const { return static_cast<std::int64_t>(word >> (c * bits)) & largest; }
};

// Counts of any number of classes in memory the caller owns.
struct ArrayCounts {
    std::int64_t* counts = nullptr;

    void add(std::uint32_t c, std::int64_t n) { counts[c] += n; }
    std::int64_t operator[](std::uint32_t c) const { return counts[c]; }
};

// Where the best split was, and ΣP of its sides.
struct CountBest {
    bool found = false;
    std::uint32_t position = 0;
    std::int64_t left = 0;  // rows on the left
    double score = 0;
};

// What splits are compared by: Gini scores as fractions, or as quotients like those of real weights, or entropies.
enum class CountScore : std::uint8_t { gini, gini_quotient, entropy };

// Only the left counts l are followed. With the class totals T, the squares of the right side are
// ΣT² − 2·ΣT·l + Σl², so a row costs one product less than keeping both sides.
template <class Counts, bool quotients>
class GiniScan {
 public:
    GiniScan(Counts left, const std::int64_t* totals, std::int64_t n, std::int64_t total_squares)
        : left_(left), totals_(totals), total_squares_(total_squares), n_(n) {}

    void move(std::uint32_t c, std::int64_t n) {
        left_squares_ += n * (2 * left_[c] + n);
        cross_ += n * totals_[c];
        left_.add(c, n);
        left_n_ += n;
    }
    // Σl²/nl + Σr²/nr; as one fraction it is compared by cross multiplication.
    void consider(std::uint32_t position, bool allowed) {
        const auto l = static_cast<double>(left_n_), r = static_cast<double>(n_ - left_n_);
        const auto left_squares = static_cast<double>(left_squares_);
        const auto right_squares = static_cast<double>(total_squares_ - 2 * cross_ + left_squares_);
        const double over = quotients ? left_squares / l + right_squares / r : left_squares * r + right_squares * l;
        const double under = quotients ? 1.0 : l * r;
        if (allowed & (over * best_under_ > best_over_ * under)) {
            best_over_ = over;
            best_under_ = under;
            best_ = {true, position, left_n_, left_squares / l + right_squares / r};
        }
    }
    std::int64_t left_n() const { return left_n_; }
    std::int64_t left(std::uint32_t c) const { return left_[c]; }
    const CountBest& best() const { return best_; }

 private:
    Counts left_;
    const std::int64_t* totals_;
    std::int64_t total_squares_, n_, left_squares_ = 0, cross_ = 0, left_n_ = 0;
    double best_over_ = -1, best_under_ = 1;
    CountBest best_;
};

template <class Counts>
class EntropyScan {
 public:
    EntropyScan(Counts left, const std::int64_t* totals, std::int64_t n, std::int64_t inner, const std::int64_t* table)
        : left_(left), totals_(totals), inner_(inner), n_(n), table_(table) {}

    void move(std::uint32_t c, std::int64_t n) {
        const std::int64_t l = left_[c], r = totals_[c] - l;
        inner_ += table_[l + n] - table_[l] + table_[r - n] - table_[r];
        left_.add(c, n);
        left_n_ += n;
    }
    void consider(std::uint32_t position, bool allowed) {
        const std::int64_t score = inner_ - table_[left_n_] - table_[n_ - left_n_];
        if (allowed & (score > best_score_)) {
            best_score_ = score;
            best_ = {true, position, left_n_, static_cast<double>(score) / LogTable::scale};
        }
    }
    std::int64_t left_n() const { return left_n_; }
    std::int64_t left(std::uint32_t c) const { return left_[c]; }
    const CountBest& best() const { return best_; }

 private:
    Counts left_;
    const std::int64_t* totals_;
    std::int64_t inner_, n_, left_n_ = 0;
    const std::int64_t* table_;
    std::int64_t best_score_ = std::numeric_limits<std::int64_t>::min();
    CountBest best_;
};

// Calls use(scan) with the scan for these class counts: in a register where they fit. `memory` holds two numbers per
// class.
template <class Use>
CountBest with_count_scan(CountScore by, std::span<const double> sums, double weight, const LogTable& table,
                          std::int64_t* memory, Use use) {
    const auto n = static_cast<std::int64_t>(weight);
    std::int64_t squares = 0, inner = 0;
    for (std::size_t c = 0; c < sums.size(); ++c) {
        memory[c] = static_cast<std::int64_t>(sums[c]);
        squares += memory[c] * memory[c];
        if (by == CountScore::entropy) inner += table[static_cast<std::size_t>(memory[c])];
    }
    const auto run = [&](auto left) {
        if (by == CountScore::entropy) {
            EntropyScan scan(left, memory, n, inner, table.data());
            use(scan);
            return scan.best();
        }
        const auto by_gini = [&]<bool quotients>() {
            GiniScan<decltype(left), quotients> scan(left, memory, n, squares);
            use(scan);
            return scan.best();
        };
        return by == CountScore::gini ? by_gini.template operator()<false>() : by_gini.template operator()<true>();
    };
    if (sums.size() <= RegisterCounts::classes && n <= RegisterCounts::largest) return run(RegisterCounts{});
    std::fill_n(memory + sums.size(), sums.size(), std::int64_t{0});
    return run(ArrayCounts{memory + sums.size()});
}

}  // namespace vaglio::tree
