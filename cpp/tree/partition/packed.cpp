// Rows with whole counts, in two branches: told apart, counted and moved in one pass.
#include <algorithm>
#include <cstring>

#include "tree/partition/partition.hpp"

namespace vaglio::tree {
namespace {

// The rows that stay on the left move up in place, the others through a buffer; both keep their order.
template <class Moves>
std::uint32_t divide_rows(const GrowNode& node, std::vector<std::uint32_t>& buffer, Moves moves) {
    const std::uint32_t n = node.size;
    std::uint32_t* rows = node.store->rows.data() + node.start;
    std::uint32_t* payload = node.store->payload.data() + node.start;
    if (buffer.size() < 2 * static_cast<std::size_t>(n)) buffer.resize(2 * static_cast<std::size_t>(n));
    std::uint32_t *other_rows = buffer.data(), *other_payload = other_rows + n;
    std::uint32_t left = 0, right = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = rows[i], word = payload[i];
        const bool goes_right = moves(row);
        rows[left] = other_rows[right] = row;
        payload[left] = other_payload[right] = word;
        left += !goes_right;
        right += goes_right;
    }
    std::memcpy(rows + left, other_rows, right * sizeof(std::uint32_t));
    std::memcpy(payload + left, other_payload, right * sizeof(std::uint32_t));
    return left;
}

// Class counts of a child. Neighbouring rows count apart, so that equal classes do not wait for one another.
void count_classes(const std::uint32_t* payload, std::uint32_t n, int count_bits, std::vector<double>& sums) {
    const std::uint32_t count_mask = (1u << count_bits) - 1, unit = count_bits == 0;
    if (sums.size() > 4) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::uint32_t i = 0; i < n; ++i) sums[payload[i] >> count_bits] += (payload[i] & count_mask) | unit;
        return;
    }
    std::uint64_t counts[4][4] = {};
    for (std::uint32_t i = 0; i < n; ++i)
        counts[i & 3][payload[i] >> count_bits & 3] += (payload[i] & count_mask) | unit;
    for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] = static_cast<double>(counts[0][c] + counts[1][c] + counts[2][c] + counts[3][c]);
}

// The branches of rows of which the first `left` stay on the left.
void make_children(const GrowNode& node, std::uint32_t left, Partition& partition) {
    partition.branches = 2;
    partition.children.resize(2);
    const std::uint32_t sizes[] = {left, node.size - left}, starts[] = {0, left};
    // The smaller child is counted, the other has what is left.
    const std::size_t counted = sizes[1] < sizes[0];
    for (std::size_t b = 0; b < 2; ++b) {
        GrowNode& child = partition.children[b];
        child.store = node.store;
        child.start = node.start + starts[b];
        child.size = sizes[b];
        child.sums.resize(node.sums.size());
    }
    GrowNode &small = partition.children[counted], &large = partition.children[1 - counted];
    count_classes(small.payload(), small.size, node.store->count_bits, small.sums);
    for (std::size_t c = 0; c < node.sums.size(); ++c) {
        large.sums[c] = node.sums[c] - small.sums[c];
        small.weight += small.sums[c];
    }
    large.weight = node.weight - small.weight;
    for (GrowNode& child : partition.children)
        child.count = node.store->weighted ? static_cast<double>(child.size) : child.weight;
}

}  // namespace

void split_packed(const GrowNode& node, RankColumn column, std::uint32_t last_left, bool missing_left,
                  std::vector<std::uint32_t>& buffer, Partition& partition) {
    // The rank of a missing value is the greatest; one more, and it is the least.
    const std::uint32_t turn = missing_left;
    const auto moves = [=](std::uint32_t row) { return column[row] + turn > last_left + turn; };
    make_children(node, divide_rows(node, buffer, moves), partition);
}

void split_packed(const GrowNode& node, const std::int32_t* codes, std::span<const std::int32_t> branches,
                  bool missing_left, std::vector<std::uint32_t>& buffer, Partition& partition) {
    const std::int32_t missing = missing_left ? 0 : 1;
    const auto moves = [=](std::uint32_t row) {
        const std::int32_t code = codes[row];
        return (code < 0 ? missing : branches[static_cast<std::size_t>(code)]) != 0;
    };
    make_children(node, divide_rows(node, buffer, moves), partition);
}

}  // namespace vaglio::tree
