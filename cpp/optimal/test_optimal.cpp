// The search finds what trying every tree finds, on random tables with numbers, categories and missing values.
#include "base/check.hpp"
#include "base/random.hpp"
#include "optimal/counts.hpp"
#include "optimal/gain.hpp"
#include "optimal/solve.hpp"

using namespace vaglio;
using namespace vaglio::tree;
using namespace vaglio::optimal;

namespace {

struct Example {
    std::vector<double> numbers;
    std::vector<std::uint32_t> ranks;
    std::vector<std::vector<double>> distinct;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> labels;
    std::vector<double> targets;
    std::vector<Entry> entries;
    TreeData data;

    Example(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weighted) {
        Random random(seed);
        // Columns of two values are counted in another way than the others.
        const std::size_t numeric = 3, nominal = 3;
        const std::uint64_t levels[] = {3, 7, 2};
        data.rows = rows;
        data.classes = classes;
        for (std::size_t c = 0; c < numeric; ++c) {
            distinct.emplace_back();
            const std::uint64_t values = c == 2 ? 2 : 5;
            for (std::uint64_t v = 0; v < values; ++v) distinct.back().push_back(static_cast<double>(v));
            for (std::size_t i = 0; i < rows; ++i)
                ranks.push_back(random.below(6) == 0 && c == 0 ? missing_rank
                                                               : static_cast<std::uint32_t>(random.below(values)));
            data.features.push_back({false, static_cast<std::uint32_t>(c)});
        }
        for (std::size_t c = 0; c < nominal; ++c) {
            for (std::size_t i = 0; i < rows; ++i)
                codes.push_back(random.below(7) == 0 && c < 2 ? -1
                                                              : static_cast<std::int32_t>(random.below(levels[c])));
            data.features.push_back({true, static_cast<std::uint32_t>(c)});
            data.categories.push_back(static_cast<std::uint32_t>(levels[c]));
        }
        for (std::uint32_t i = 0; i < rows; ++i) {
            labels.push_back(static_cast<std::int64_t>(random.below(classes)));
            const Cost weight = weighted ? 1 + static_cast<Cost>(random.below(5)) : 1;
            entries.push_back({i, static_cast<std::uint16_t>(labels.back()), weight, weight});
            if (weighted && random.below(2) == 0)  // another label is not as bad as the others
                entries.push_back({i,
                                   static_cast<std::uint16_t>((labels.back() + 1) % static_cast<std::int64_t>(classes)),
                                   weight / 2, 0});
        }
        data.ranks = ranks.data();
        for (const auto& values : distinct) data.values.emplace_back(values);
        data.codes = codes.data();
        data.labels = labels.data();
    }

    // The same columns with numbers to predict, of up to so many values.
    void predict_numbers(std::uint64_t seed, std::uint64_t values, bool weighted) {
        Random random(seed);
        const auto top = static_cast<Cost>(values - 1);
        entries.clear();
        for (std::uint32_t i = 0; i < data.rows; ++i) {
            const auto y = static_cast<Cost>(random.below(values));
            const Cost w = weighted ? 1 + static_cast<Cost>(random.below(4)) : 1, dearest = std::max(y, top - y);
            const Cost most = w * dearest * dearest;
            targets.push_back(static_cast<double>(y));
            entries.push_back({i, 0, w, most});
            entries.push_back({i, 1, w * y, 0});
            entries.push_back({i, 2, most - w * y * y, 0});
        }
        data.classes = 0;
        data.labels = nullptr;
        data.targets = targets.data();
    }
};

// The least cost of all trees of a depth and a number of leaves.
Cost try_all(const Subset& subset, std::uint32_t depth, std::uint32_t leaves) {
    Cost best = subset.leaf_cost();
    if (depth == 0 || leaves < 2) return best;
    const auto attempt = [&](const Test& test) {
        const auto [left, right] = divide(subset, test);
        if (left.size == 0 || right.size == 0) return;
        for (std::uint32_t share = 1; share < leaves; ++share)
            best = std::min(best, try_all(left, depth - 1, share) + try_all(right, depth - 1, leaves - share));
    };
    for (std::uint32_t c = 0; c < subset.values.size(); ++c) {
        if (subset.problem->columns[c].ordered) {
            for (const std::uint32_t code : subset.values[c]) attempt({Test::Kind::cut, c, code});
        } else {
            each_set(subset, c, view_of(subset, c), [&](const Test& test, auto) { attempt(test); });
        }
    }
    return best;
}

// What a finished tree costs.
Cost price(const Problem& problem, const TreeData& data, const Tree& tree) {
    std::vector<std::vector<Cost>> gains(tree.size(), std::vector<Cost>(problem.labels, 0));
    Cost most = 0;
    for (const Entry& entry : problem.entries) {
        std::size_t node = 0;
        while (!tree.is_leaf(node)) {
            const Feature& feature = data.features[static_cast<std::size_t>(tree.feature[node])];
            std::int32_t branch = tree.missing_branch[node];
            if (feature.nominal) {
                const std::int32_t code = data.code_column(feature.column)[entry.row];
                const auto at = static_cast<std::uint32_t>(code);
                if (code >= 0)
                    branch = static_cast<std::int32_t>(
                        tree.tables[static_cast<std::size_t>(tree.table_start[node]) + at / 32] >> (at % 32) & 1u);
            } else {
                const std::uint32_t rank = data.rank_column(feature.column)[entry.row];
                if (rank != missing_rank) branch = data.values[feature.column][rank] > tree.threshold[node];
            }
            node = static_cast<std::size_t>(tree.first_child[node] + branch);
        }
        gains[node][entry.label] += entry.gain;
        most += entry.most;
    }
    for (std::size_t node = 0; node < tree.size(); ++node)
        if (tree.is_leaf(node)) most += problem.leaf_price - best_gain(gains[node], problem.numbers);
    return most;
}

constexpr Effort endless{~std::uint64_t{0}, 1e10};

Tree single_leaf(std::size_t width) {
    Tree tree;
    tree.width = width;
    tree.append(1);
    return tree;
}

void compare_with_all_trees(const Example& example, const std::vector<std::uint8_t>& used, std::uint32_t depth,
                            std::uint32_t leaves, Cost price_of_leaf) {
    const Limits limits{depth, leaves, 5, price_of_leaf};
    const Problem problem = make_problem(example.data, used, example.entries, limits);
    const Cost least = try_all(whole(problem), depth, leaves);
    Control control;
    for (const int threads : {1, 3}) {
        const Optimum found =
            find_optimum(example.data, problem, single_leaf(std::max<std::size_t>(example.data.classes, 1)), endless,
                         threads, control);
        CHECK(found.cost == least);
        CHECK(found.lower == least);
        CHECK(price(problem, example.data, found.tree) == least);
    }
}

void test_against_all_trees() {
    for (std::uint64_t seed = 0; seed < 36; ++seed) {
        const std::size_t rows = seed % 3 == 2 ? 5 + seed % 7 : 6 + seed % 25;
        const Example example(seed, rows, 2 + seed % 4 / 2, seed % 2 == 1);
        const std::uint32_t depth = 1 + static_cast<std::uint32_t>(seed % 3);
        for (const std::uint32_t leaves : {8u, 3u, 5u}) {
            compare_with_all_trees(example, {1, 1, 1, 1, 1, 1}, depth, leaves, static_cast<Cost>(seed % 4 == 3));
            if (depth == 3) break;
        }
    }
    // Depths two and three are counted and looked at from the root; only from four on are tests searched below it.
    const std::vector<std::uint8_t> some[] = {{0, 1, 1, 0, 0, 1}, {0, 0, 1, 1, 0, 0}, {1, 0, 0, 0, 0, 1}};
    for (std::uint64_t seed = 100; seed < 104; ++seed) {
        const Example example(seed, 20 + seed % 30, 2 + seed % 2, seed % 4 == 1);
        compare_with_all_trees(example, some[seed % 3], 4, seed % 2 == 0 ? 16 : 6, static_cast<Cost>(seed % 5 == 0));
    }
}

// The square of a large sum does not fit a word of the machine.
void test_numbers_against_all_trees() {
    const std::uint64_t values[] = {2, 5, std::uint64_t{1} << 24};
    const std::vector<std::uint8_t> used[] = {{1, 1, 1, 1, 1, 1}, {0, 0, 1, 0, 0, 1}, {0, 1, 0, 1, 0, 0}};
    for (std::uint64_t seed = 0; seed < 18; ++seed) {
        Example example(seed, 6 + seed % 15, 2, false);
        example.predict_numbers(seed, values[seed % 3], seed % 2 == 1);
        const std::uint32_t depth = 1 + static_cast<std::uint32_t>(seed % 3);
        compare_with_all_trees(example, used[seed / 3 % 3], depth, seed % 4 == 0 ? 3 : 8, static_cast<Cost>(seed % 5));
        if (seed < 2) compare_with_all_trees(example, used[1], 4, 16, 0);
    }
}

// Of columns of two values alone, too, with several labels and with rows that have several entries.
void test_two_values() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Example example(100 + seed, 4 + 3 * seed, 2 + seed % 3, seed % 2 == 1);
        const std::vector<std::uint8_t> used{0, 0, 1, 0, 0, 1};
        const std::uint32_t depth = 2 + static_cast<std::uint32_t>(seed % 2);
        const Problem problem = make_problem(example.data, used, example.entries, {depth, 4, 5, 0});
        CHECK(problem.marks.size() == 2);
        Control control;
        const Optimum found =
            find_optimum(example.data, problem, single_leaf(example.data.classes), endless, 1, control);
        CHECK(found.cost == try_all(whole(problem), depth, 4));
        CHECK(price(problem, example.data, found.tree) == found.cost);
    }
}

void test_time_limit() {
    const Example example(5, 200, 3, false);
    const std::vector<std::uint8_t> used(6, 1);
    const Problem problem = make_problem(example.data, used, example.entries, {4, 16, 5, 0});
    Control control;
    const Optimum found = find_optimum(example.data, problem, single_leaf(3), {endless.work, 0.0}, 1, control);
    CHECK(found.limit == Limit::time);
    CHECK(found.lower <= found.cost);
    CHECK(price(problem, example.data, found.tree) == found.cost);
}

bool same(const Tree& a, const Tree& b) {
    return a.feature == b.feature && a.threshold == b.threshold && a.first_child == b.first_child;
}

// A limit in cells leaves the same tree on any number of threads, and more work a tree that is no worse.
void test_work_limit() {
    const Example example(7, 300, 3, true);
    const std::vector<std::uint8_t> used(6, 1);
    const Problem problem = make_problem(example.data, used, example.entries, {4, 16, 5, 0});
    Control control;
    Cost before = unbounded;
    bool stopped = false, proved = false;
    for (std::uint64_t work = 1; work < (std::uint64_t{1} << 40) && !proved; work *= 16) {
        const Optimum found = find_optimum(example.data, problem, single_leaf(3), {work, 1e10}, 1, control);
        for (const int threads : {2, 7}) {
            const Optimum again = find_optimum(example.data, problem, single_leaf(3), {work, 1e10}, threads, control);
            CHECK(again.cost == found.cost && again.lower == found.lower && again.limit == found.limit);
            CHECK(same(again.tree, found.tree));
        }
        CHECK(found.lower <= found.cost && found.cost <= before);
        CHECK((found.limit == Limit::work) == (found.lower < found.cost));
        CHECK(price(problem, example.data, found.tree) == found.cost);
        before = found.cost;
        stopped = stopped || found.limit == Limit::work;
        proved = found.limit == Limit::none;
    }
    CHECK(stopped && proved);
}

void test_interrupt() {
    const Example example(6, 200, 2, false);
    const std::vector<std::uint8_t> used(6, 1);
    Control control;
    control.stop = true;
    bool stopped = false;
    try {
        find_optimum(example.data, make_problem(example.data, used, example.entries, {3, 8, 5, 0}), single_leaf(2),
                     endless, 2, control);
    } catch (const Interrupted&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    test_against_all_trees();
    test_numbers_against_all_trees();
    test_two_values();
    test_time_limit();
    test_work_limit();
    test_interrupt();
    return check_result();
}
