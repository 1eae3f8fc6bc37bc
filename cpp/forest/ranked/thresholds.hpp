#pragma once
// The distinct thresholds of one feature in order, and how many of them are below a number.
//
// The numbers are first sorted into buckets of equal width, which leaves few thresholds to search among. The bucket of
// a number never falls as the number grows, however it is rounded, so that no other bucket has to be looked at.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio::forest {

class Thresholds {
 public:
    Thresholds() = default;
    // Ascending, at most 0xffff.
    explicit Thresholds(std::vector<double> ascending);

    std::size_t size() const { return size_; }

    // Writes the ranks of `count` numbers that lie `stride` apart, no_rank for a missing one; returns whether one is.
    template <class Number>
    bool rank(const Number* x, std::size_t stride, std::size_t count, std::uint16_t* ranks) const;

 private:
    std::size_t bucket(double x) const;

    std::vector<double> values_;  // and infinities behind them, which a search may ask for
    std::size_t size_ = 0, longest_step_ = 0;
    double low_ = 0, per_width_ = 0;
    std::vector<std::uint16_t> first_;  // of each bucket, in values_
};

}  // namespace vaglio::forest
