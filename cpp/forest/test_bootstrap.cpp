// Counts of a bootstrap: a part of the rows finds what all rows find, and the counts are multinomial.
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "base/check.hpp"
#include "forest/bootstrap.hpp"

using namespace vaglio;

namespace {

std::vector<std::uint32_t> drawn(std::uint64_t key, std::uint64_t rows, std::uint64_t draws, std::uint64_t begin,
                                 std::uint64_t end) {
    std::vector<std::uint32_t> counts(end - begin);
    draw_counts(key, rows, draws, begin, end, counts.data());
    return counts;
}

void test_parts() {
    for (const std::uint64_t rows : {1u, 2u, 63u, 64u, 65u, 100u, 129u, 1000u, 4097u}) {
        for (const std::uint64_t draws : {std::uint64_t{0}, std::uint64_t{1}, rows, 3 * rows + 7}) {
            const auto all = drawn(rows, rows, draws, 0, rows);
            CHECK(std::accumulate(all.begin(), all.end(), std::uint64_t{0}) == draws);
            for (std::uint64_t begin = 0; begin < rows; begin += 1 + rows / 7) {
                const std::uint64_t end = std::min(rows, begin + 1 + rows / 5);
                CHECK(drawn(rows, rows, draws, begin, end) ==
                      std::vector<std::uint32_t>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 all.begin() + static_cast<std::ptrdiff_t>(end)));
            }
        }
    }
}

// Parts that start from the draws of blocks find the same; the last block may have few rows.
void test_blocks() {
    for (const std::uint64_t rows : {1u, 64u, 70u, 65535u, 65536u, 65537u, 65600u, 65601u, 131072u + 64u, 200001u}) {
        for (const std::uint64_t draws : {std::uint64_t{0}, std::uint64_t{5}, rows, 2 * rows + 3}) {
            const auto blocks = draw_blocks(rows + 1, rows, draws);
            CHECK(std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}) == draws);
            CHECK(blocks.size() == (rows + rows_of_block(rows) - 1) / rows_of_block(rows));
            const auto all = drawn(rows + 1, rows, draws, 0, rows);
            for (std::uint64_t begin = 0; begin < rows; begin += 1 + rows / 3) {
                const std::uint64_t end = std::min(rows, begin + 1 + rows / 2);
                std::vector<std::uint32_t> counts(end - begin);
                draw_counts(rows + 1, rows, blocks, begin, end, counts.data());
                CHECK(std::equal(counts.begin(), counts.end(), all.begin() + static_cast<std::ptrdiff_t>(begin)));
            }
        }
    }
    CHECK(rows_of_block(1u << 27) == 65536 && rows_of_block(1u << 28) == 131072);
}

// Five of 150 rows watched: the sum over many bootstraps of how often each was drawn, and of the products of two of
// them, against the moments of the multinomial distribution; limits are five standard errors.
void test_moments() {
    const std::uint64_t rows = 150, draws = 200;
    const double p = 1.0 / rows, n = draws, repeats = 20000;
    const std::uint64_t watched[] = {0, 63, 64, 127, 149};
    double sum[5] = {}, square[5] = {}, product = 0;
    for (std::uint64_t key = 0; key < 20000; ++key) {
        const auto counts = drawn(key, rows, draws, 0, rows);
        for (std::size_t i = 0; i < 5; ++i) {
            sum[i] += counts[watched[i]];
            square[i] += counts[watched[i]] * counts[watched[i]];
        }
        product += counts[63] * counts[149];
    }
    const double mean = n * p, variance = n * p * (1 - p);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(std::abs(sum[i] / repeats - mean) < 5 * std::sqrt(variance / repeats));
        CHECK(std::abs(square[i] / repeats - variance - mean * mean) < 5 * std::sqrt(15 * variance / repeats));
    }
    CHECK(std::abs(product / repeats - n * (n - 1) * p * p) < 5 * std::sqrt(4 * mean * mean / repeats));
}

// Three of 70 rows drawn: how often no row, one row or several fall among the first 64, whose share is no power of two.
void test_binomial() {
    std::map<std::uint64_t, double> seen;
    const double repeats = 40000, p = 64.0 / 70;
    for (std::uint64_t key = 0; key < 40000; ++key) {
        const auto counts = drawn(key, 70, 3, 0, 64);
        seen[std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})] += 1 / repeats;
    }
    const double expected[] = {std::pow(1 - p, 3), 3 * p * std::pow(1 - p, 2), 3 * p * p * (1 - p), p * p * p};
    for (std::uint64_t k = 0; k < 4; ++k) {
        CHECK(std::abs(seen[k] - expected[k]) < 5 * std::sqrt(expected[k] * (1 - expected[k]) / repeats));
    }
}

}  // namespace

int main() {
    test_parts();
    test_blocks();
    test_moments();
    test_binomial();
    return check_result();
}
