// Rows sorted by branch, however many branches there are and wherever rows go.
#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"
#include "tree/binned/row_lists.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

// Every list has a value that says which row it belongs to.
RowLists numbered(std::size_t size) {
    RowLists lists;
    for (std::size_t i = 0; i < size; ++i) {
        lists.rows.push_back(static_cast<std::uint32_t>(i));
        lists.labels.push_back(static_cast<Label>(i % 1000));
        lists.drawn.push_back(static_cast<std::uint16_t>(i % 777));
        lists.weights.push_back(static_cast<double>(i) / 2);
    }
    return lists;
}

bool belong_together(const RowLists& lists) {
    for (std::size_t i = 0; i < lists.rows.size(); ++i) {
        const std::uint32_t row = lists.rows[i];
        if (lists.labels[i] != row % 1000 || lists.drawn[i] != row % 777 || lists.weights[i] != row / 2.0) return false;
    }
    return lists.labels.size() == lists.rows.size() && lists.counts.empty();
}

void test_sorting() {
    Random random(1);
    SpareRows spare;
    for (const std::size_t size : {0u, 1u, 7u, 4096u, 4097u, 10000u}) {
        for (const std::uint32_t branches : {1u, 2u, 5u, 200u}) {
            RowLists lists = numbered(size + 5);
            std::vector<std::uint8_t> codes(lists.rows.size());
            for (auto& code : codes) code = static_cast<std::uint8_t>(random.below(branches));
            BranchOf branch_of;
            branch_of.bins = branches;
            for (std::uint32_t code = 0; code < branches; ++code)
                branch_of.table.push_back(static_cast<std::int32_t>((code * 7) % branches));
            std::vector<std::uint32_t> expected(lists.rows);
            std::stable_sort(
                expected.begin() + 2, expected.begin() + 2 + static_cast<std::ptrdiff_t>(size),
                [&](std::uint32_t a, std::uint32_t b) { return branch_of(codes[a]) < branch_of(codes[b]); });
            const auto sizes = sort_by_branch(lists, 2, size, {codes.data(), 1, branches}, branch_of, branches, spare);
            CHECK(lists.rows == expected);
            CHECK(belong_together(lists));
            CHECK(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) == size);
            for (std::uint32_t b = 0; b < branches; ++b)
                CHECK(sizes[b] ==
                      static_cast<std::size_t>(std::count_if(
                          expected.begin() + 2, expected.begin() + 2 + static_cast<std::ptrdiff_t>(size),
                          [&](std::uint32_t row) { return branch_of(codes[row]) == static_cast<std::int32_t>(b); })));
        }
    }
}

}  // namespace

int main() {
    test_sorting();
    return check_result();
}
