// The sieve finds the winner of full scans, ties included, and its loops give the same bits on every x86-64 level.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/check.hpp"
#include "tree/partition/partition.hpp"
#include "tree/sieve/bin_loops.hpp"
#include "tree/sieve/loops.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/threshold/threshold.hpp"

namespace vaglio::tree::sieve {
const auto tables = VAGLIO_LEVELS(table);
const auto bin_tables = VAGLIO_LEVELS(bin_table);
}  // namespace vaglio::tree::sieve

using namespace vaglio;
using namespace vaglio::tree;

namespace {

// A node of `size` random rows of a table; the first features tell something about the class, the last is constant.
struct Example {
    static constexpr std::size_t columns = 5;
    std::vector<std::uint32_t> ranks;
    std::optional<RankRows> by_row;
    std::vector<double> values;
    TreeData data;
    TreeConfig config;
    GrowNode node;

    Example(std::uint32_t size, std::uint32_t distinct, std::size_t classes, bool counted, std::uint64_t seed) {
        Random random(seed);
        data.rows = 10 * static_cast<std::size_t>(size);
        for (std::uint32_t v = 0; v < distinct; ++v) values.push_back(v);
        data.values.assign(columns, values);
        data.complete.assign(columns, true);
        data.classes = classes;
        ranks.resize(data.rows * columns);
        std::vector<Label> labels(data.rows);
        for (std::size_t i = 0; i < data.rows; ++i) {
            for (std::uint32_t c = 0; c + 1 < columns; ++c)
                ranks[c * data.rows + i] = static_cast<std::uint32_t>(random.below(distinct));
            const bool clear = random.below(4) > 0;
            labels[i] = static_cast<Label>(clear ? ranks[i] * classes / distinct : random.below(classes));
        }
        data.ranks = ranks.data();
        for (std::uint32_t c = 0; c < columns; ++c) data.features.push_back({false, c});
        auto store = std::make_shared<RowStore>();
        store->count_bits = counted ? 3 : 0;
        store->payload_bits = store->count_bits + std::bit_width(classes - 1);
        node.sums.assign(classes, 0.0);
        for (std::uint32_t i = 0; i < size; ++i) {
            const auto row = static_cast<std::uint32_t>(10 * i + random.below(10));
            const auto count = static_cast<std::uint32_t>(counted ? 1 + random.below(7) : 0);
            store->rows.push_back(row);
            store->labels.push_back(labels[row]);
            store->payload.push_back(static_cast<std::uint32_t>(labels[row]) << store->count_bits | count);
            node.sums[labels[row]] += counted ? count : 1;
        }
        node.store = store;
        node.size = size;
        for (const double s : node.sums) node.weight += s;
    }

    void lay_out_rows() {
        by_row.emplace(data, 2);
        data.rank_rows = by_row->ranks.data();
        data.rank_stride = by_row->stride;
    }
};

const Candidate* winner(const std::vector<Candidate>& candidates) {
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates)
        if (c.valid && (!best || c.gain > best->gain)) best = &c;
    return best;
}

void check_winner(Example& example, Criterion criterion, double min_leaf) {
    const Scorer scorer(criterion, log_table(static_cast<std::size_t>(example.node.weight)));
    example.config.criterion = criterion;
    const NodeContext context{example.data,        example.config, scorer, example.node, example.node.sums,
                              example.node.weight, {min_leaf, 0},  1.0,    true,         nullptr};
    CHECK(sieve_applies(context));
    ScanScratch scratch;
    std::vector<Candidate> full, sieved(Example::columns);
    const std::vector<std::uint32_t> features{0, 1, 2, 3, 4};
    for (const std::uint32_t f : features) {
        CHECK(sieve_takes(context, f));
        full.push_back(scan_threshold(context, static_cast<std::int32_t>(f), no_order, scratch));
    }
    scan_sieve(context, features, scratch, sieved);
    const Candidate *expected = winner(full), *found = winner(sieved);
    CHECK((expected == nullptr) == (found == nullptr));
    if (!expected || !found) return;
    CHECK(expected->feature == found->feature);
    CHECK(expected->gain == found->gain);
    CHECK(expected->lower == found->lower);
    CHECK(expected->upper == found->upper);
    // Alone, every feature is its own winner.
    for (const std::uint32_t f : features) {
        scan_sieve(context, std::span(&f, 1), scratch, std::span(sieved).first(1));
        CHECK(sieved[0].valid == full[f].valid);
        CHECK(!sieved[0].valid ||
              (sieved[0].gain == full[f].gain && sieved[0].lower == full[f].lower && sieved[0].upper == full[f].upper));
    }
}

// Dividing packed rows keeps their order and counts both branches.
void check_division(Example& example, std::uint32_t last_left) {
    const GrowNode& node = example.node;
    const std::vector<std::uint32_t> before(node.rows(), node.rows() + node.size);
    Partition partition;
    std::vector<std::uint32_t> buffer;
    split_packed(node, example.data.ranks_for(0, node.size), last_left, false, buffer, partition);
    for (std::size_t b = 0; b < 2; ++b) {
        const GrowNode& child = partition.children[b];
        std::vector<std::uint32_t> expected;
        for (const std::uint32_t row : before)
            if ((example.ranks[row] > last_left) == (b == 1)) expected.push_back(row);
        CHECK(std::equal(expected.begin(), expected.end(), child.rows(), child.rows() + child.size));
        std::vector<double> sums(node.sums.size(), 0.0);
        const int bits = node.store->count_bits;
        for (std::uint32_t i = 0; i < child.size; ++i)
            sums[child.payload()[i] >> bits] += bits == 0 ? 1 : child.payload()[i] & ((1u << bits) - 1);
        CHECK(sums == child.sums);
        CHECK(std::accumulate(sums.begin(), sums.end(), 0.0) == child.weight);
    }
}

bool same(const sieve::Best& a, const sieve::Best& b) {
    return a.over == b.over && a.under == b.under && a.left == b.left && a.position == b.position;
}

// Sorting and scanning a column by one level's loops.
sieve::Best scan_all(const sieve::Loops& loops, const Example& example, std::vector<std::int32_t>& sorted) {
    const GrowNode& node = example.node;
    const sieve::Column column{example.ranks.data(),  1,         node.rows(),
                               node.payload(),        node.size, node.store->payload_bits,
                               node.store->count_bits};
    sieve::Node totals{{0, 0, 0}, node.weight, 1, node.weight - 1};
    std::copy(node.sums.begin(), node.sums.end(), totals.totals);
    std::vector<std::int32_t> keys(node.size + sieve::slack);
    std::vector<std::uint64_t> words(node.size + sieve::slack);
    sorted.assign(node.size + sieve::slack, 0);
    loops.gather(column, keys.data());
    loops.sort_few(keys.data(), node.size, sorted.data());
    return loops.scan(column, totals, sorted.data(), node.size, words.data());
}

void check_levels(const Example& example) {
    std::vector<std::int32_t> sorted;
    const sieve::Best expected = scan_all(sieve::tables.of[0](), example, sorted);
    CHECK(std::is_sorted(sorted.begin(), sorted.begin() + example.node.size));
    sieve::tables.each([&](auto table) {
        std::vector<std::int32_t> again;
        CHECK(same(scan_all(table(), example, again), expected));
        CHECK(again == sorted);
    });
}

// Rows of random classes in random bins, some of them standing on the left: no cut within a bin scores more than its
// bound, borders have their scores, and every level gives the same bits.
void check_bounds(std::size_t classes, bool entropy, std::uint64_t seed) {
    constexpr std::uint32_t n_bins = 21;
    Random random(seed);
    std::vector<std::vector<std::uint32_t>> rows(n_bins);
    for (auto& bin : rows) bin.resize(random.below(3) > 0 ? random.below(40) : 0);
    std::vector<std::int32_t> standing(classes, 0);
    std::vector<double> totals(classes, 0.0);
    for (std::size_t c = 0; c < classes; ++c)
        totals[c] = standing[c] = static_cast<std::int32_t>(seed % 2 * random.below(9));
    const std::size_t stride = n_bins + 3 * sieve::bin_margin;
    std::vector<std::int32_t> counts(classes * stride, 0);
    const sieve::ClassBins bins{counts.data(), stride, n_bins};
    for (std::uint32_t b = 0; b < n_bins; ++b)
        for (std::uint32_t& label : rows[b]) {
            label = static_cast<std::uint32_t>(random.below(classes));
            ++bins.of(label)[b];
            ++totals[label];
        }
    const double n = std::accumulate(totals.begin(), totals.end(), 0.0);
    const Scorer scorer(entropy ? Criterion::gain : Criterion::gini, log_table(static_cast<std::size_t>(n)));
    const double unit = entropy ? LogTable::scale : 1.0;
    sieve::bin_loops().add_up(bins, classes);
    const sieve::Totals given{totals.data(), classes, n, 1, n - 1, entropy ? scorer.table().data() : nullptr};
    std::vector<double> scores(2 * stride), terms(classes * stride + sieve::bin_margin);
    sieve::bin_loops().score(given, bins, standing.data(), {scores.data(), scores.data() + stride, terms.data()});
    std::vector<double> left(standing.begin(), standing.end()), right(classes);
    const auto score = [&] {
        for (std::size_t c = 0; c < classes; ++c) right[c] = totals[c] - left[c];
        const double l = std::accumulate(left.begin(), left.end(), 0.0);
        return unit * (scorer.purity({left, l}, true) + scorer.purity({right, n - l}, true));
    };
    const double rounding = entropy ? 100 : 1e-9;
    for (std::uint32_t b = 0; b < n_bins; ++b) {
        for (const std::uint32_t label : rows[b]) {
            ++left[label];
            CHECK(score() <= scores[stride + b] + rounding);
        }
        CHECK(scores[b] < -1e299 || std::abs(score() - scores[b]) <= rounding);
    }
    sieve::bin_tables.each([&](auto table) {
        std::vector<double> again(2 * stride);
        table().score(given, bins, standing.data(), {again.data(), again.data() + stride, terms.data()});
        CHECK(std::equal(again.begin(), again.begin() + n_bins, scores.begin()));
        CHECK(std::equal(again.begin() + stride, again.begin() + stride + n_bins, scores.begin() + stride));
    });
}

}  // namespace

int main() {
    std::uint64_t seed = 0;
    for (const std::uint32_t size : {2u, 3u, 7u, 8u, 9u, 31u, 100u, 161u, 300u, 1500u, 9000u})
        for (const std::uint32_t distinct : {2u, 5u, 60u, 1000u, 50000u})
            for (const std::size_t classes : {2u, 3u, 4u, 9u})
                for (const bool counted : {false, true}) {
                    Example example(size, distinct, classes, counted, ++seed);
                    for (const Criterion criterion : {Criterion::gini, Criterion::gain})
                        for (const double min_leaf : {1.0, 5.0}) check_winner(example, criterion, min_leaf);
                    example.lay_out_rows();
                    check_winner(example, Criterion::gini, 1.0);
                    check_division(example, distinct / 2);
                    if (size <= 300 && classes <= sieve::most_classes) check_levels(example);
                }
    for (const std::size_t classes : {2u, 3u, 8u})
        for (const bool entropy : {false, true})
            for (std::uint64_t trial = 0; trial < 20; ++trial) check_bounds(classes, entropy, trial);
    return check_result();
}
