// The radix sort against std::stable_sort: all sizes of digits, shared digits, keys of 32 and 64 bits, negative
// numbers.
#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "base/radix_sort.hpp"
#include "base/random.hpp"

using namespace vaglio;

namespace {

void check_rows(std::size_t n, std::uint64_t range, double scale) {
    Random random(n + range);
    std::vector<KeyedRow> rows(n), spare(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double value = (static_cast<double>(random.below(range)) - static_cast<double>(range / 2)) * scale;
        rows[i] = {ordered_bits(value), static_cast<std::uint32_t>(i)};
    }
    std::vector<KeyedRow> expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    const KeyedRow* sorted =
        radix_sort(rows.data(), spare.data(), n, 0, 64, [](const KeyedRow& row) { return row.key; });
    for (std::size_t i = 0; i < n; ++i) CHECK(sorted[i].key == expected[i].key && sorted[i].row == expected[i].row);
}

// Keys of a rank above a position: equal ranks keep the order of their positions.
void check_keys(std::size_t n, int low, int bits) {
    Random random(n);
    std::vector<std::uint32_t> keys(n), spare;
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << bits) << low | i);
    std::vector<std::uint32_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    sort_keys(keys, spare, low, bits);
    CHECK(keys == expected);
}

}  // namespace

int main() {
    CHECK(ordered_bits(-0.0) == ordered_bits(0.0));
    CHECK(ordered_bits(-1.0) < ordered_bits(0.0) && ordered_bits(0.0) < ordered_bits(1e-300));
    for (const std::size_t n : {0u, 1u, 2u, 48u, 300u, 1024u, 5000u, 40000u}) {
        for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 40})
            for (const double scale : {1.0, 1e-7}) check_rows(n, range, scale);
        for (const int bits : {1, 9, 15}) check_keys(n, 16, bits);
    }
    return check_result();
}
