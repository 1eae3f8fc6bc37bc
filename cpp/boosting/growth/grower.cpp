#include "boosting/growth/grower.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vaglio::boosting {
namespace {

constexpr std::size_t dealt_rows = 1024;      // that one part gets before the next one
constexpr std::size_t least_moved = 1 << 14;  // rows that several threads move

// Keeps the rows of the left side and moves the others away, in their order: no branch depends on the side.
template <class Bin, class Right>
std::size_t separate(const Bin* bins, std::uint32_t* rows, std::size_t count, std::uint32_t* right, Right goes_right) {
    std::size_t l = 0, r = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = rows[i];
        const bool to_right = goes_right(bins[row]);
        rows[l] = row;
        right[r] = row;
        l += !to_right;
        r += to_right;
    }
    std::copy_n(right, r, rows + l);
    return l;
}

}  // namespace

std::size_t send_to_sides(const BinnedTable& table, const GrownNode& node, std::span<std::uint32_t> rows,
                          std::uint32_t* spare) {
    const auto f = static_cast<std::size_t>(node.feature);
    const BinnedFeature& feature = table.features()[f];
    const std::uint32_t last = node.bin, absent = feature.bins;
    std::size_t left = 0;
    with_codes(table.column(f), [&](const auto* bins) {
        const auto move = [&](auto goes) { left = separate(bins, rows.data(), rows.size(), spare, goes); };
        if (feature.nominal) {
            move([&](std::uint32_t bin) { return goes_right(feature, bin, last, node.missing_right, node.right); });
        } else if (node.missing_right || !feature.missing) {
            move([=](std::uint32_t bin) { return bin > last; });
        } else {
            move([=](std::uint32_t bin) { return (bin > last) & (bin != absent); });
        }
    });
    return left;
}

// Node by node, as the rows of the tree were sent: a way per row would be guessed wrong at every other test.
void LeafFinder::find(std::span<const std::uint32_t> rows, std::uint32_t* leaves) {
    rows_.assign(rows.begin(), rows.end());
    spare_.resize(rows.size());
    ranges_.resize(tree_.nodes.size());
    ranges_[0] = {0, rows.size()};
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
        const GrownNode& node = tree_.nodes[i];
        const auto [begin, end] = ranges_[i];
        if (node.is_leaf()) {
            for (std::size_t at = begin; at < end; ++at) leaves[rows_[at]] = static_cast<std::uint32_t>(i);
            continue;
        }
        const std::size_t left =
            send_to_sides(table_, node, std::span(rows_).subspan(begin, end - begin), spare_.data());
        const auto child = static_cast<std::size_t>(node.first_child);
        ranges_[child] = {begin, begin + left};
        ranges_[child + 1] = {begin + left, end};
    }
}

TreeGrower::Histograms Grower::send_rows(std::size_t node, const Below& to_do, Candidate&) {
    const GrownNode& parent = tree_.nodes[node];
    GrownNode& left = tree_.nodes[static_cast<std::size_t>(parent.first_child)];
    GrownNode& right = tree_.nodes[static_cast<std::size_t>(parent.first_child) + 1];
    const GrownNode& small = to_do.left_smaller ? left : right;
    const std::size_t parts = parent.rows.size();
    left.rows.resize(parts);
    right.rows.resize(parts);
    const bool wanted = to_do.left || to_do.right;
    // The rows that a thread has moved are still in its cache.
    const bool at_once = wanted && histograms_.by_rows(task_.unit.rows(small.sums[0]));
    Histograms found = wanted ? spare() : Histograms{};
    if (at_once) histograms_.begin(found);
    lists_.clear();
    const bool alone = !at_once && parent.row_count() < least_moved;
    parallel_for(alone ? 1 : threads_, parts, [&](std::size_t p, int worker) {
        const RowRange& range = parent.rows[p];
        const std::size_t middle =
            range.begin + send_to_sides(table_, parent, std::span(*rows_).subspan(range.begin, range.size()),
                                        moved_.data() + range.begin);
        left.rows[p] = {range.begin, middle};
        right.rows[p] = {middle, range.end};
        if (at_once) histograms_.add(rows_of(small.rows[p]), gradients_, task_.unit, worker, found);
    });
    if (at_once) {
        histograms_.end(found);
    } else if (wanted) {
        begin_count(small, found);
    }
    return found;
}

void Grower::begin_count(const GrownNode& node, Histograms& to) {
    histograms_.begin(to);
    lists_.clear();
    for (const RowRange& range : node.rows) lists_.push_back(rows_of(range));
    for (Histogram& histogram : to) histogram.resize(table_.slots());
    const std::size_t groups = table_.groups().size();
    if (groups >= shares_.size()) return;
    // Features of one group are in several shares.
    histograms_.count(lists_, gradients_, task_.unit, 0, groups, to);
    lists_.clear();
}

// Threads take features of their own, or add up what they have counted of rows of their own.
void Grower::finish(std::size_t share, Histograms& to) {
    if (lists_.empty()) {
        for (const std::uint32_t f : shares_[share]) histograms_.add_up(table_.features()[f], to);
    } else {
        histograms_.count(lists_, gradients_, task_.unit, first_group(share), first_group(share + 1), to);
    }
}

TreeGrower::Histograms Grower::count_root() {
    const GrownNode& root = tree_.nodes[0];
    Histograms found = spare();
    if (!histograms_.by_rows(rows_->size())) {
        begin_count(root, found);
        return found;
    }
    histograms_.begin(found);
    lists_.clear();
    parallel_for(threads_, root.rows.size(), [&](std::size_t p, int worker) {
        histograms_.add(rows_of(root.rows[p]), gradients_, task_.unit, worker, found);
    });
    histograms_.end(found);
    return found;
}

// A few rows to each part in turn: what is sorted in the table is so in none of them alone.
void Grower::deal(const std::vector<std::uint32_t>& rows) {
    const auto parts = static_cast<std::size_t>(threads_);
    const std::size_t deals = (rows.size() + dealt_rows - 1) / dealt_rows;
    rows_->resize(rows.size());
    moved_.resize(rows.size());
    std::vector<RowRange>& ranges = tree_.nodes[0].rows;
    ranges.assign(parts, {});
    std::size_t begin = 0;
    for (std::size_t p = 0; p < parts; ++p) {
        ranges[p].begin = begin;
        for (std::size_t d = p; d < deals; d += parts) begin += std::min(dealt_rows, rows.size() - d * dealt_rows);
        ranges[p].end = begin;
    }
    parallel_for(rows.size() < least_moved ? 1 : threads_, parts, [&](std::size_t p, int) {
        std::uint32_t* to = rows_->data() + ranges[p].begin;
        for (std::size_t d = p; d < deals; d += parts) {
            const std::size_t first = d * dealt_rows;
            to = std::copy_n(rows.data() + first, std::min(dealt_rows, rows.size() - first), to);
        }
    });
}

GrownTree Grower::grow(const TreeGradients& gradients, const TreeTask& task, const std::vector<std::uint32_t>& rows,
                       std::vector<std::uint32_t>& ordered, Control& control) {
    gradients_ = gradients;
    rows_ = &ordered;
    begin(task);
    deal(rows);
    plant(count_root());
    while (growing()) {
        control.check();
        divide(next());
    }
    return std::move(tree_);
}

}  // namespace vaglio::boosting
