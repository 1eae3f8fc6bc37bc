#pragma once
// Rows drawn with replacement, so that any part of the rows can find out alone how often each of its rows was drawn.
//
// The draws are shared out down a binary tree over the numbers of the rows: at every node, the number that fall to the
// left half is binomial. Its random numbers belong to the node alone. Whoever holds some rows follows the ways to them
// and gets the counts that he would get with all rows: the counts are exactly multinomial together.
//
// The upper nodes have many draws, and every way begins there: whoever asks often, for small parts of many rows, keeps
// how many draws fall to blocks of rows, and starts from them.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vaglio {

// Rows of a block, a power of two: there are at most 4096 blocks, of at least 65 536 rows each but for the last.
std::uint64_t rows_of_block(std::uint64_t rows);

// How many draws fall to each block when `draws` of `rows` rows are drawn.
std::vector<std::uint64_t> draw_blocks(std::uint64_t key, std::uint64_t rows, std::uint64_t draws);

// counts[i - begin] becomes how often row i in [begin, end) is drawn when `draws` of `rows` rows are drawn.
void draw_counts(std::uint64_t key, std::uint64_t rows, std::uint64_t draws, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t* counts);

// The same from the draws of the blocks.
void draw_counts(std::uint64_t key, std::uint64_t rows, const std::vector<std::uint64_t>& blocks, std::uint64_t begin,
                 std::uint64_t end, std::uint32_t* counts);

}  // namespace vaglio
