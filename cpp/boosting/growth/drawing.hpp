#pragma once
// Which rows a round draws: it depends on the seed, the round and the number of the row alone.
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"

namespace vaglio::boosting {

class RoundDraw {
 public:
    RoundDraw(std::uint64_t seed, std::uint64_t round, double share)
        : key_(key_of(key_of(seed, 0x5a), round)), share_(share) {}

    bool all() const { return share_ >= 1.0; }
    bool takes(std::uint64_t row) const {
        return all() || static_cast<double>(mix(key_ ^ mix(row)) >> 11) * 0x1.0p-53 < share_;
    }

 private:
    std::uint64_t key_;
    double share_;
};

// What is drawn for one tree of a round, besides rows.
inline std::uint64_t tree_draw_key(std::uint64_t seed, std::uint64_t round, std::size_t output) {
    return key_of(key_of(seed, round), output);
}

}  // namespace vaglio::boosting
