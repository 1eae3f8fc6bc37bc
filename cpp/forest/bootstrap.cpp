#include "forest/bootstrap.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"

namespace vaglio {
namespace {

constexpr std::uint64_t few_rows = 64;  // among so many, every draw is made by itself

// How many of n random bits are set.
std::uint64_t set_bits(std::uint64_t n, Random& random) {
    std::uint64_t sum = 0;
    for (; n >= 64; n -= 64) sum += static_cast<std::uint64_t>(std::popcount(random.next()));
    if (n > 0) sum += static_cast<std::uint64_t>(std::popcount(random.next() >> (64 - n)));
    return sum;
}

// How many of n draws out of `all` fall among the first `part`. Every draw is a random number below 1, written bit by
// bit, and compared with the bits of part / all: each bit decides half of the draws that are still open.
std::uint64_t binomial(std::uint64_t n, std::uint64_t part, std::uint64_t all, Random& random) {
    std::uint64_t below = 0;
    for (std::uint64_t open = n, rest = part; open > 0 && rest > 0;) {
        rest *= 2;
        const bool bit = rest >= all;
        if (bit) rest -= all;
        const std::uint64_t ones = set_bits(open, random);
        below += bit ? open - ones : 0;
        open = bit ? ones : open - ones;
    }
    return below;
}

struct Drawing {
    std::uint64_t key, rows, begin, end;
    std::uint32_t* counts;

    // Shares out n draws among the rows from `first` on, at most 2^level of them.
    void share_out(int level, std::uint64_t first, std::uint64_t n) const {
        const std::uint64_t size = std::min(rows - first, std::uint64_t{1} << level);
        if (n == 0 || first >= end || first + size <= begin) return;
        Random random(key_of(key_of(key, static_cast<std::uint64_t>(level)), first));
        if (size <= few_rows) {
            for (; n > 0; --n) {
                const std::uint64_t row = first + random.below(size);
                if (row >= begin && row < end) ++counts[row - begin];
            }
            return;
        }
        const std::uint64_t half = std::uint64_t{1} << (level - 1);
        const std::uint64_t left = size <= half ? n : binomial(n, half, size, random);
        share_out(level - 1, first, left);
        if (size > half) share_out(level - 1, first + half, n - left);
    }
};

}  // namespace

void draw_counts(std::uint64_t key, std::uint64_t rows, std::uint64_t draws, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t* counts) {
    std::fill_n(counts, end - begin, 0u);
    if (rows > 0) Drawing{key, rows, begin, end, counts}.share_out(std::bit_width(rows - 1), 0, draws);
}

}  // namespace vaglio
