#include "boosting/growth/grower.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t piece = 8192;  // rows that a thread moves at a time

// Moves rows to one of two lists, in their order: no branch depends on the side.
template <class Bin, class Right>
std::size_t separate(const Bin* bins, const std::uint32_t* rows, std::size_t count, std::uint32_t* left,
                     std::uint32_t* right, Right goes_right) {
    std::size_t l = 0, r = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = rows[i];
        const bool to_right = goes_right(bins[row]);
        left[l] = row;
        right[r] = row;
        l += !to_right;
        r += to_right;
    }
    return l;
}

}  // namespace

TreeGrower::Histograms Grower::count(const GrownNode& node) {
    Histograms found = spare();
    for (std::size_t k = 0; k < task_.outputs; ++k) {
        histograms_.build(gradients_.rows + k * gradients_.stride, task_.unit,
                          {rows_->data() + node.begin, node.end - node.begin}, found[k]);
    }
    return found;
}

TreeGrower::Histograms Grower::count(const GrownNode& node, Candidate&) { return count(node); }

void Grower::send_rows(GrownNode& node, GrownNode& left_side, GrownNode& right_side) {
    const std::size_t count = node.end - node.begin, pieces = (count + piece - 1) / piece;
    std::uint32_t* rows = rows_->data() + node.begin;
    std::uint32_t* moved = moved_.data() + node.begin;
    const auto f = static_cast<std::size_t>(node.feature);
    const BinnedFeature& feature = table_.features()[f];
    std::vector<std::size_t> left(pieces + 1, 0);
    const int threads = count < 4 * piece ? 1 : threads_;
    // Every piece leaves its left rows at the beginning of its place and its right rows, reversed by no one, in a list
    // of its own; then all move to where the pieces before them end.
    std::vector<std::vector<std::uint32_t>> right(pieces);
    parallel_for(threads, pieces, [&](std::size_t p, int) {
        const std::size_t first = p * piece, size = std::min(piece, count - first);
        right[p].resize(size + 1);
        table_.with_column(f, [&](const auto* bins) {
            const std::uint32_t last = node.bin, absent = feature.bins;
            const bool missing_right = node.missing_right;
            if (feature.nominal) {
                left[p + 1] = separate(
                    bins, rows + first, size, moved + first, right[p].data(),
                    [&](std::uint32_t bin) { return goes_right(feature, bin, last, missing_right, node.right); });
            } else if (missing_right || !feature.missing) {
                left[p + 1] = separate(bins, rows + first, size, moved + first, right[p].data(),
                                       [=](std::uint32_t bin) { return bin > last; });
            } else {
                left[p + 1] = separate(bins, rows + first, size, moved + first, right[p].data(),
                                       [=](std::uint32_t bin) { return (bin > last) & (bin != absent); });
            }
        });
    });
    for (std::size_t p = 0; p < pieces; ++p) left[p + 1] += left[p];
    const std::size_t all_left = left[pieces];
    parallel_for(threads, pieces, [&](std::size_t p, int) {
        const std::size_t first = p * piece, size = std::min(piece, count - first), own = left[p + 1] - left[p];
        std::copy_n(moved + first, own, rows + left[p]);
        std::copy_n(right[p].data(), size - own, rows + all_left + (first - left[p]));
    });
    left_side.begin = node.begin;
    left_side.end = right_side.begin = node.begin + all_left;
    right_side.end = node.end;
}

GrownTree Grower::grow(const TreeGradients& gradients, const TreeTask& task, std::vector<std::uint32_t>& rows,
                       Control& control) {
    gradients_ = gradients;
    rows_ = &rows;
    moved_.resize(rows.size() + 1);
    begin(task);
    tree_.nodes[0].end = rows.size();
    plant(count(tree_.nodes[0]));
    while (growing()) {
        control.check();
        divide(next());
    }
    return std::move(tree_);
}

}  // namespace vaglio::boosting
