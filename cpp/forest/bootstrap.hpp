#pragma once
// Rows drawn with replacement, so that any part of the rows can find out alone how often each of its rows was drawn.
//
// The draws are shared out down a binary tree over the numbers of the rows: at every node, the number that fall to the
// left half is binomial. Its random numbers belong to the node alone. Whoever holds some rows follows the ways to them
// and gets the counts that he would get with all rows: the counts are exactly multinomial together.
#include <cstddef>
#include <cstdint>

namespace vaglio {

// counts[i - begin] becomes how often row i in [begin, end) is drawn when `draws` of `rows` rows are drawn.
void draw_counts(std::uint64_t key, std::uint64_t rows, std::uint64_t draws, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t* counts);

}  // namespace vaglio
