#pragma once
// Which rows a round draws: it depends on the seed, the round and the number of the row alone.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"

namespace vaglio::boosting {

class RoundDraw {
 public:
    RoundDraw(std::uint64_t seed, std::uint64_t round, double share)
        : key_(key_of(key_of(seed, 0x5a), round)), end_(static_cast<std::uint64_t>(std::ceil(share * 0x1.0p53))) {}

    bool all() const { return end_ >= std::uint64_t{1} << 53; }
    bool takes(std::uint64_t row) const { return mix(key_ ^ mix(row)) >> 11 < end_; }

 private:
    std::uint64_t key_;
    std::uint64_t end_;  // a row is drawn by 53 bits below it
};

// What is drawn for one tree of a round, besides rows.
inline std::uint64_t tree_draw_key(std::uint64_t seed, std::uint64_t round, std::size_t output) {
    return key_of(key_of(seed, round), output);
}

}  // namespace vaglio::boosting
