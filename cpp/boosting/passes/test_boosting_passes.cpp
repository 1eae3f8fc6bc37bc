// Parts of the rows, asked in passes, give the trees of all rows in memory.
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
#include "boosting/passes/pass_trainer.hpp"

using namespace vaglio;
using namespace vaglio::boosting;

namespace {

constexpr std::size_t rows = 600, numeric = 3, categories = 300, rounds = 3;

struct Example {
    std::vector<double> x = std::vector<double>(rows * numeric);
    std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows);
    std::vector<double> y = std::vector<double>(rows);
    RawTable raw;

    Example() {
        Random random(11);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < numeric; ++j) {
                x[i * numeric + j] =
                    random.below(12) == 0 ? std::numeric_limits<double>::quiet_NaN() : random.uniform();
            }
            codes[i] = static_cast<std::int32_t>(random.below(categories + 1)) - 1;
            y[i] = (x[i * numeric] > 0.3) == (codes[i] % 4 == 0) ? 1 : 0;
        }
        raw.rows = rows;
        raw.features = {{false, 0}, {true, 0}, {false, 1}, {false, 2}};
        raw.numeric = x.data();
        raw.row_stride = numeric;
        raw.column_stride = 1;
        raw.codes = codes.data();
        raw.categories = {categories};
    }
};

// Some of the rows, with what is kept of them.
struct Part {
    BinnedTable own, lent;
    std::vector<double> y, scores;
    std::uint64_t start;

    Part(const Example& example, const BinnedTable& table, double baseline, std::size_t first, std::size_t last)
        : own(rows_of(example, first, last), table.features(), 1),
          lent(table.features(), last - first, pointers(own)),
          y(example.y.begin() + static_cast<std::ptrdiff_t>(first),
            example.y.begin() + static_cast<std::ptrdiff_t>(last)),
          scores(last - first, baseline),
          start(first) {}

    static RawTable rows_of(const Example& example, std::size_t first, std::size_t last) {
        RawTable raw = example.raw;
        raw.rows = last - first;
        raw.numeric += first * numeric;
        raw.codes += first;
        return raw;
    }
    static std::vector<const std::uint8_t*> pointers(const BinnedTable& table) {
        std::vector<const std::uint8_t*> found;
        for (const BinBlock& block : table.blocks()) found.push_back(block.rows.data());
        return found;
    }
    PartOfRows view() const {
        Target target;
        target.loss = LossKind::binomial;
        target.rows = y.size();
        target.y = y.data();
        target.raw = scores.data();
        return {lent, target, start};
    }
};

NodeSums added(NodeSums a, const NodeSums& b) {
    for (std::size_t i = 0; i < a.sums.size(); ++i) a.sums[i] += b.sums[i];
    for (std::size_t i = 0; i < a.squares.size(); ++i) {
        a.squares[i].low += b.squares[i].low;
        a.squares[i].high += b.squares[i].high;
    }
    return a;
}

void test_parts(TrainerConfig config, std::size_t most_sums) {
    const Example example;
    const BinnedTable table(example.raw, 64, 0, 1);
    Target target;
    target.loss = LossKind::binomial;
    target.rows = rows;
    target.y = example.y.data();
    std::vector<std::uint32_t> training(rows);
    for (std::size_t i = 0; i < rows; ++i) training[i] = static_cast<std::uint32_t>(i);
    Trainer whole(table, target, training, {}, config);
    Control control;
    whole.advance(rounds, control);

    PassTrainer trainer(table.features(), target, false, rows, config);
    std::vector<Part> parts;
    const double start = whole.baseline()[0];
    parts.emplace_back(example, table, start, 0, 251);
    parts.emplace_back(example, table, start, 251, rows);
    for (std::size_t round = 0; round < rounds; ++round) {
        trainer.begin_round({start}, {1.0, 0.25});
        const FixedPoint unit = units_of(rows, {1.0, 0.25}, false);
        while (trainer.growing()) {
            const FlatTrees trees = trainer.ask(most_sums);
            trees.check(table.features());
            const RoundDraw draw(config.seed, round, trainer.share());
            const NodeSums second = sum_nodes(trees, parts[1].view(), draw, unit);
            const NodeSums sums = added(sum_nodes(trees, parts[0].view(), draw, unit), second);
            CHECK(trainer.fits(sums.sums.size(), sums.squares.size()));
            trainer.take(sums.sums, sums.squares);
        }
        const FlatTrees finished = trainer.finish_round();
        for (Part& part : parts) part.scores = add_trees(finished, part.view());
    }
    const BoostedTrees &a = whole.trees(), &b = trainer.trees();
    CHECK(a.starts == b.starts && a.tables == b.tables && a.leaves == b.leaves && a.gains == b.gains);
    for (std::size_t i = 0; i < std::min(a.nodes.size(), b.nodes.size()); ++i) {
        CHECK(a.nodes[i].threshold == b.nodes[i].threshold && a.nodes[i].link == b.nodes[i].link);
        CHECK(a.nodes[i].feature == b.nodes[i].feature);
    }
    CHECK(a.starts.back() > static_cast<std::int64_t>(3 * rounds));
}

void test_broken_trees() {
    const Example example;
    const BinnedTable table(example.raw, 64, 0, 1);
    FlatTrees trees;
    trees.add_tree(0);
    GrownNode root;
    root.feature = 9;  // there is none
    root.first_child = 1;
    trees.add_node(root, -1);
    trees.add_node({}, 0);
    trees.add_node({}, -1);
    bool refused = false;
    try {
        trees.check(table.features());
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    TrainerConfig config;
    config.growth.max_leaves = 9;
    config.growth.max_features = 0.6;
    config.growth.split.min_samples_leaf = 3;
    config.growth.split.guarded_from = 10;
    config.subsample = 0.7;
    config.seed = 4;
    test_parts(config, 1);
    test_parts(config, 1 << 20);
    config.growth.level_wise = true;
    config.subsample = 1e-12;  // no row is drawn: all are taken
    test_parts(config, 1 << 20);
    test_broken_trees();
    return check_result();
}
