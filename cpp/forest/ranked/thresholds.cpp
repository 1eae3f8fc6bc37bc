#include "forest/ranked/thresholds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "forest/ranked/ranked_loops.hpp"

namespace vaglio::forest {
namespace {

// Searches that go on side by side: while one waits for memory, the others go on.
constexpr std::size_t searched = 16;
// Thresholds per bucket, on average.
constexpr std::size_t per_bucket = 4;

}  // namespace

Thresholds::Thresholds(std::vector<double> ascending)
    : values_(std::move(ascending)), size_(values_.size()), first_(size_ / per_bucket + 1) {
    if (size_ == 0) return;
    low_ = values_.front();
    per_width_ = static_cast<double>(first_.size()) / (values_.back() - low_);
    std::size_t longest = 0, place = 0;
    for (std::size_t b = 0; b < first_.size(); ++b) {
        const std::size_t begin = place;
        first_[b] = static_cast<std::uint16_t>(begin);
        while (place < size_ && bucket(values_[place]) == b) ++place;
        longest = std::max(longest, place - begin);
    }
    longest_step_ = std::bit_floor(longest);
    values_.resize(size_ + 2 * longest_step_, std::numeric_limits<double>::infinity());
}

// Comparisons with a number that is missing, or not finite after the product, are false: it falls into the first one.
std::size_t Thresholds::bucket(double x) const {
    const double place = (x - low_) * per_width_, last = static_cast<double>(first_.size() - 1);
    const double above = place > 0 ? place : 0;
    return static_cast<std::size_t>(static_cast<std::int32_t>(above < last ? above : last));
}

template <class Number>
bool Thresholds::rank(const Number* x, std::size_t stride, std::size_t count, std::uint16_t* ranks) const {
    bool missing = false;
    for (std::size_t begin = 0; begin < count; begin += searched) {
        const std::size_t some = std::min(searched, count - begin);
        double asked[searched] = {};
        std::uint32_t below[searched];
        for (std::size_t i = 0; i < some; ++i) asked[i] = static_cast<double>(x[(begin + i) * stride]);
        for (std::size_t i = 0; i < searched; ++i) below[i] = first_[bucket(asked[i])];
        // A step that leads out of the bucket meets a threshold that is not below, and is not taken.
        for (std::size_t step = longest_step_; step > 0; step /= 2) {
            for (std::size_t i = 0; i < searched; ++i) {
                const auto further = static_cast<std::uint32_t>(step);
                below[i] += further & -static_cast<std::uint32_t>(values_[below[i] + step - 1] < asked[i]);
            }
        }
        for (std::size_t i = 0; i < some; ++i) {
            const bool known = asked[i] == asked[i];
            ranks[begin + i] = known ? static_cast<std::uint16_t>(below[i]) : no_rank;
            missing |= !known;
        }
    }
    return missing;
}

template bool Thresholds::rank(const double*, std::size_t, std::size_t, std::uint16_t*) const;
template bool Thresholds::rank(const float*, std::size_t, std::size_t, std::uint16_t*) const;

}  // namespace vaglio::forest
