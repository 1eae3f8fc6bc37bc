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

// The nodes whose rows meet [begin, end).
struct Drawing {
    std::uint64_t key, rows, begin, end;

    // Shares out n draws among the rows from `first` on, at most 2^level of them. Nodes of the level `last`, and nodes
    // of few rows, are handed over: take(level, first, size, n).
    template <class Take>
    void share_out(int level, std::uint64_t first, std::uint64_t n, int last,  // NOLINT(misc-no-recursion)
                   const Take& take) const {
        const std::uint64_t size = std::min(rows - first, std::uint64_t{1} << level);
        if (n == 0 || first >= end || first + size <= begin) return;
        if (level <= last || size <= few_rows) return take(level, first, size, n);
        const std::uint64_t half = std::uint64_t{1} << (level - 1);
        Random random = random_of(level, first);
        const std::uint64_t left = size <= half ? n : binomial(n, half, size, random);
        share_out(level - 1, first, left, last, take);
        if (size > half) share_out(level - 1, first + half, n - left, last, take);
    }

    // Counts the draws of a node row by row.
    void count(int level, std::uint64_t first, std::uint64_t n, std::uint32_t* counts) const {
        share_out(level, first, n, 0, [&](int at, std::uint64_t start, std::uint64_t size, std::uint64_t left) {
            Random random = random_of(at, start);
            for (; left > 0; --left) {
                const std::uint64_t row = start + random.below(size);
                if (row >= begin && row < end) ++counts[row - begin];
            }
        });
    }

    int top() const { return static_cast<int>(std::bit_width(rows - 1)); }

 private:
    Random random_of(int level, std::uint64_t first) const {
        return Random(key_of(key_of(key, static_cast<std::uint64_t>(level)), first));
    }
};

int level_of_blocks(std::uint64_t rows) { return std::max(16, static_cast<int>(std::bit_width(rows)) - 12); }

}  // namespace

std::uint64_t rows_of_block(std::uint64_t rows) { return std::uint64_t{1} << level_of_blocks(rows); }

std::vector<std::uint64_t> draw_blocks(std::uint64_t key, std::uint64_t rows, std::uint64_t draws) {
    const int level = level_of_blocks(rows);
    std::vector<std::uint64_t> blocks((rows + rows_of_block(rows) - 1) >> level, 0);
    if (rows == 0) return blocks;
    const Drawing all{key, rows, 0, rows};
    all.share_out(all.top(), 0, draws, level,
                  [&](int, std::uint64_t first, std::uint64_t, std::uint64_t n) { blocks[first >> level] = n; });
    return blocks;
}

void draw_counts(std::uint64_t key, std::uint64_t rows, std::uint64_t draws, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t* counts) {
    std::fill_n(counts, end - begin, 0u);
    const Drawing part{key, rows, begin, end};
    if (rows > 0) part.count(part.top(), 0, draws, counts);
}

void draw_counts(std::uint64_t key, std::uint64_t rows, const std::vector<std::uint64_t>& blocks, std::uint64_t begin,
                 std::uint64_t end, std::uint32_t* counts) {
    std::fill_n(counts, end - begin, 0u);
    const Drawing part{key, rows, begin, end};
    const int level = level_of_blocks(rows);
    for (std::uint64_t block = begin >> level; block < blocks.size() && block << level < end; ++block) {
        const std::uint64_t first = block << level;
        // Few rows at the end are drawn at the highest node that begins with them, as on the way from the top.
        const bool few = rows - first <= few_rows;
        const int from = !few ? level : first == 0 ? part.top() : std::countr_zero(first);
        part.count(std::min(from, part.top()), first, blocks[block], counts);
    }
}

}  // namespace vaglio
