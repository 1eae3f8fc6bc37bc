// Bins take equal shares of the values, because bins of equal width would put most values of a skewed column into one.
#include "tree/binned/edges.hpp"

#include <algorithm>

#include "columns/cutting.hpp"

namespace vaglio::tree {

double parting_number(double low, double high, bool strict) {
    const double middle = low / 2 + high / 2;
    // Between neighbouring doubles the midpoint is one of them, and between infinities it is none.
    if (strict) return middle > low && middle <= high ? middle : high;
    return middle >= low && middle < high ? middle : low;
}

BinEdges bin_edges(std::vector<double> values, std::uint32_t bins) {
    values.erase(std::remove_if(values.begin(), values.end(), [](double x) { return x != x; }), values.end());
    sort_numbers(values);
    std::vector<std::size_t> ends;  // of the runs of equal values
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i + 1 == values.size() || values[i + 1] != values[i]) ends.push_back(i + 1);
    BinEdges edges;
    std::size_t left = values.size(), filled = 0, begin = 0, bins_left = bins;
    bool open = false;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        const double value = values[begin] + 0.0;  // -0.0 counts as 0.0
        if (!open) {
            edges.lowest.push_back(value);
            edges.greatest.push_back(value);
            open = true;
        }
        edges.greatest.back() = value;
        filled += ends[r] - begin;
        begin = ends[r];
        // A bin takes an equal share of what is left, unless as many bins as values are left.
        const bool one_each = ends.size() - r - 1 <= bins_left - 1;
        if (bins_left > 1 && (one_each || filled * bins_left >= left)) {
            left -= filled;
            filled = 0;
            --bins_left;
            open = false;
        }
    }
    return edges;
}

template <class Code>
void bin_codes(const MatrixView& matrix, std::size_t column, const BinEdges& edges, bool strict, Code* codes,
               std::size_t first, std::size_t end) {
    std::vector<double> cuts;
    for (std::size_t b = 0; b + 1 < edges.lowest.size(); ++b)
        cuts.push_back(parting_number(edges.greatest[b], edges.lowest[b + 1], strict));
    const double* values = matrix.column(column);
    const auto value = [&](std::size_t i) { return values[static_cast<std::ptrdiff_t>(i) * matrix.row_stride]; };
    code_numbers(cuts, strict, first, end, value, codes);
}

template void bin_codes(const MatrixView&, std::size_t, const BinEdges&, bool, std::uint8_t*, std::size_t, std::size_t);
template void bin_codes(const MatrixView&, std::size_t, const BinEdges&, bool, std::uint16_t*, std::size_t,
                        std::size_t);
template void bin_codes(const MatrixView&, std::size_t, const BinEdges&, bool, std::uint32_t*, std::size_t,
                        std::size_t);

}  // namespace vaglio::tree
