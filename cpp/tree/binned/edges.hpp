#pragma once
// Where the bins of numeric columns begin and end, and which bin a number falls into.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/binned/table.hpp"
#include "tree/table/rank.hpp"

namespace vaglio::tree {

// A number that parts low < high: the middle where doubles allow it. Left of it are x <= t, or x < t if strict.
double parting_number(double low, double high, bool strict);

// The least and the greatest value that was seen of each bin. A value in between belongs to the bin on its side of the
// number that parts the two.
struct BinEdges {
    std::vector<double> lowest, greatest;
};

// Bins of about equally many of these values, at most `bins`; one per distinct value where there are so few. NaN is
// left out.
BinEdges bin_edges(std::vector<double> values, std::uint32_t bins);

// The bin of every number of a column; `missing` for NaN.
template <class Code>
void bin_codes(const MatrixView& matrix, std::size_t column, const BinEdges& edges, bool strict, Code* codes,
               std::size_t first, std::size_t end);

}  // namespace vaglio::tree
