// Derivatives agree with differences of the losses, histograms with plain sums, and trees are the same on any threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "boosting/gain_loops.hpp"
#include "boosting/loss/loss_loops.hpp"
#include "boosting/predict.hpp"
#include "boosting/trainer.hpp"

using namespace vaglio;
using namespace vaglio::boosting;

namespace {

constexpr std::size_t rows = 700, numeric = 11;

struct Example {
    std::vector<double> x = std::vector<double>(rows * numeric);
    std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows);
    std::vector<double> y = std::vector<double>(rows);
    RawTable raw;

    Example() {
        Random random(3);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < numeric; ++j) {
                const bool missing = random.below(15) == 0;
                x[i * numeric + j] = missing ? std::numeric_limits<double>::quiet_NaN() : random.uniform();
            }
            codes[i] = static_cast<std::int32_t>(random.below(300)) - (random.below(9) == 0 ? 1000 : 0);
            codes[i] = codes[i] < 0 ? -1 : codes[i];
            y[i] = (x[i * numeric] > 0.4) != (codes[i] % 3 == 0) ? 1 : 0;
        }
        raw.rows = rows;
        for (std::uint32_t j = 0; j < numeric; ++j) raw.features.push_back({false, j});
        raw.features.insert(raw.features.begin() + 2, {true, 0});
        raw.numeric = x.data();
        raw.row_stride = numeric;
        raw.column_stride = 1;
        raw.codes = codes.data();
        raw.categories = {300};
    }
};

void test_derivatives() {
    const LossKind kinds[] = {LossKind::binomial, LossKind::multinomial, LossKind::squared, LossKind::absolute,
                              LossKind::quantile, LossKind::poisson,     LossKind::gamma};
    for (const LossKind kind : kinds) {
        Random random(static_cast<std::uint64_t>(kind) + 1);
        for (int attempt = 0; attempt < 50; ++attempt) {
            Target target;
            target.loss = kind;
            target.quantile = 0.3;
            target.rows = 1;
            target.outputs = kind == LossKind::multinomial ? 3 : 1;
            const bool classes = kind == LossKind::binomial || kind == LossKind::multinomial;
            const double y =
                classes ? static_cast<double>(random.below(target.outputs == 3 ? 3 : 2)) : 0.2 + 3 * random.uniform();
            double raw[3] = {2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1};
            target.y = &y;
            target.raw = raw;
            for (std::size_t k = 0; k < target.outputs; ++k) {
                const Derivatives d = derivatives(target, 0, k);
                const double step = 1e-5, at = raw[k];
                raw[k] = at + step;
                const double above = row_loss(target, 0), gradient_above = derivatives(target, 0, k).gradient;
                raw[k] = at - step;
                const double below = row_loss(target, 0), gradient_below = derivatives(target, 0, k).gradient;
                raw[k] = at;
                CHECK(std::fabs((above - below) / (2 * step) - d.gradient) < 1e-5);
                if (!target.leaf_quantiles()) {
                    CHECK(std::fabs((gradient_above - gradient_below) / (2 * step) - d.hessian) < 1e-5);
                }
            }
        }
    }
}

// The loops over blocks give the derivatives of single rows, on all levels.
void test_loss_loops() {
    constexpr std::size_t n = 37, outputs = 3;
    std::vector<double> raw(n * outputs), y(n), weight(n), scratch(n * (outputs + 2));
    Random random(9);
    for (double& value : raw) value = 6 * random.uniform() - 3;
    for (std::size_t i = 0; i < n; ++i) {
        y[i] = static_cast<double>(random.below(2));
        weight[i] = random.uniform();
    }
    const double factor = 0x1p28;
    for (const std::size_t k : {std::size_t{1}, outputs}) {
        Target target;
        target.loss = k == 1 ? LossKind::binomial : LossKind::multinomial;
        target.rows = n;
        target.outputs = k;
        target.y = y.data();
        target.raw = raw.data();
        std::vector<RowGradient> found(n * k);
        const LossBlock block{
            n, n, k, raw.data(), y.data(), weight.data(), factor, factor, found.data(), scratch.data()};
        const auto compare = [&](auto loop) {
            loop(block);
            for (std::size_t i = 0; i < n * k; ++i) {
                const Derivatives d = derivatives(target, i % n, i / n);
                CHECK(std::fabs(found[i].gradient / factor - weight[i % n] * d.gradient) < 1e-8);
                CHECK(std::fabs(found[i].hessian / factor - weight[i % n] * d.hessian) < 1e-8);
            }
        };
        if (k == 1) {
            VAGLIO_LEVELS(binomial_block).each(compare);
        } else {
            VAGLIO_LEVELS(multinomial_block).each(compare);
        }
    }
}

void test_gains() {
    constexpr std::size_t n = 29;
    std::vector<std::int64_t> g(n), h(n), c(n);
    std::vector<double> first(n), other(n);
    Random random(5);
    for (std::size_t i = 0; i < n; ++i) {
        g[i] = static_cast<std::int64_t>(random.below(1000)) - 500;
        h[i] = c[i] = static_cast<std::int64_t>(i) + 1;
    }
    const GainTask task{n, g.data(), h.data(), c.data(), 1e-3, 1.0, 0.3, n + 5.0, n + 5.0, 0.5, 2.0, 3.0};
    const double best = v1::threshold_gains(task, first.data());
    VAGLIO_LEVELS(threshold_gains).each([&](auto loop) {
        CHECK(loop(task, other.data()) == best);
        CHECK(std::memcmp(first.data(), other.data(), n * sizeof(double)) == 0);
    });
    CHECK(first[0] == -1.0 && first[4] > 0);
}

void test_bins() {
    const std::vector<double> few{1, 1, 2, 4, 4};
    CHECK((bin_thresholds(few, 255) == std::vector<double>{1.5, 3.0}));
    std::vector<double> many(1000);
    std::iota(many.begin(), many.end(), 0.0);
    CHECK((bin_thresholds(many, 4) == std::vector<double>{249.5, 499.5, 749.5}));
    const Example example;
    const BinnedTable table(example.raw, 20, 0, 2);
    for (std::size_t f = 0; f < table.features().size(); ++f) {
        const BinnedFeature& feature = table.features()[f];
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint32_t bin = table.column(f).at(i);
            if (feature.nominal) {
                CHECK(bin == (example.codes[i] < 0 ? 300 : static_cast<std::uint32_t>(example.codes[i])));
                continue;
            }
            const double value = example.x[i * numeric + example.raw.features[f].column];
            if (value != value) {
                CHECK(bin == feature.bins);
                continue;
            }
            CHECK(bin == 0 || value > feature.thresholds[bin - 1]);
            CHECK(bin + 1 == feature.bins || value <= feature.thresholds[bin]);
        }
    }
}

void test_histograms() {
    const Example example;
    const BinnedTable table(example.raw, 30, 0, 1);
    const FixedPoint unit(rows, 1.0, 0.25, false);
    std::vector<RowGradient> gradients;
    std::vector<std::uint32_t> some, others;
    Random random(4);
    for (std::uint32_t i = 0; i < rows; ++i) {
        gradients.push_back(
            {static_cast<std::int32_t>(random.below(2000)) - 1000, static_cast<std::uint32_t>(random.below(500))});
        (random.below(3) == 0 ? some : others).push_back(i);
    }
    std::vector<std::uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0u);
    for (const int threads : {1, 3}) {
        HistogramBuilder builder(table, threads);
        const TreeGradients own{gradients.data(), rows};
        // By features of one list after the other, and by rows that threads take.
        const auto by_features = [&](const std::vector<std::uint32_t>& list) {
            std::vector<Histogram> found(1);
            found[0].assign(table.slots(), GradientSums{7, 7});  // what was there before does not count
            const std::size_t groups = table.groups().size(), half = list.size() / 2;
            const std::span<const std::uint32_t> both(list);
            const std::vector<std::span<const std::uint32_t>> lists{both.first(half), both.subspan(half)};
            for (std::size_t g = 0; g < groups; ++g) builder.count(lists, own, unit, g, g + 1, found);
            return found[0];
        };
        const auto by_rows = [&](const std::vector<std::uint32_t>& list) {
            std::vector<Histogram> found(1);
            const std::size_t piece = 100, pieces = (list.size() + piece - 1) / piece;
            builder.begin(found);
            parallel_for(threads, pieces, [&](std::size_t p, int worker) {
                const std::size_t first = p * piece;
                builder.add({list.data() + first, std::min(piece, list.size() - first)}, own, unit, worker, found);
            });
            builder.end(found);
            for (const BinnedFeature& feature : table.features()) builder.add_up(feature, found);
            return found[0];
        };
        Histogram whole = by_rows(all);
        const Histogram part = by_features(some), rest = by_rows(others);
        CHECK(by_features(all) == whole);
        for (std::size_t f = 0; f < table.features().size(); ++f) {
            std::vector<GradientSums> plain(table.features()[f].slots());
            for (const std::uint32_t i : some) {
                plain[table.column(f).at(i)] += {gradients[i].gradient, gradients[i].hessian + unit.one_row()};
            }
            for (std::size_t b = 0; b < plain.size(); ++b) CHECK(part[table.features()[f].offset + b] == plain[b]);
        }
        for (const BinnedFeature& feature : table.features()) subtract(whole, part, feature);
        for (std::size_t s = 0; s < whole.size(); ++s) CHECK(whole[s] == rest[s]);
    }
}

// What the trees say of the training rows, by thresholds and by ranks, is what the trainer says.
void check_predictions(const Example& example, const Trainer& trainer, Control& control) {
    const BoostedTrees& trees = trainer.trees();
    std::vector<std::uint32_t> categories;
    for (const Feature& feature : example.raw.features) categories.push_back(feature.nominal ? 300 : 0);
    std::vector<double> values;
    for (std::size_t i = 0; i < trees.leaves.size(); i += 2) values.push_back(trees.leaves[i]);
    const ForestView view{trees.nodes, trees.starts, trees.tables, categories};
    const ForestRows table{rows, example.raw.features, example.x.data(), numeric, example.codes.data(), 1};
    const auto ranked = forest::RankedForest::of(view, 2, control);
    CHECK(ranked != nullptr);
    const auto plain = predict_raw(view, table, values, trainer.baseline(), 0, view.n_trees(), 1, control);
    CHECK(predict_raw(view, table, values, trainer.baseline(), 0, view.n_trees(), 2, control, ranked.get()) == plain);
    const std::size_t outputs = trainer.target().outputs;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < outputs; ++k) CHECK(plain[i * outputs + k] == trainer.raw()[k * rows + i]);
    }
}

struct Variant {
    bool level_wise = false, shared = false;
};

BoostedTrees trained(const Example& example, int threads, const Variant& variant) {
    const BinnedTable table(example.raw, 255, 0, threads);
    Target target;
    target.loss = variant.shared ? LossKind::multinomial : LossKind::binomial;
    target.outputs = variant.shared ? 2 : 1;
    target.rows = rows;
    target.y = example.y.data();
    std::vector<std::uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0u);
    TrainerConfig config;
    config.growth.split.min_samples_leaf = 5;
    config.growth.split.guarded_from = 0.0;
    config.growth.level_wise = variant.level_wise;
    config.shared = config.refit = variant.shared;
    config.subsample = 0.7;
    config.seed = 11;
    config.threads = threads;
    config.track_loss = true;
    Control control;
    Trainer trainer(table, target, all, {}, config);
    trainer.advance(10, control);
    CHECK(trainer.training_losses().back() < 0.7 * trainer.training_losses().front());
    check_predictions(example, trainer, control);
    return trainer.trees();
}

void test_trees_are_the_same_on_any_threads() {
    const Example example;
    for (const Variant& variant : {Variant{}, Variant{true, false}, Variant{false, true}}) {
        const BoostedTrees one = trained(example, 1, variant);
        for (const int threads : {2, 7}) {
            const BoostedTrees other = trained(example, threads, variant);
            CHECK(one.nodes.size() == other.nodes.size());
            CHECK(std::memcmp(one.nodes.data(), other.nodes.data(), one.nodes.size() * sizeof(ForestNode)) == 0);
            CHECK(one.leaves == other.leaves && one.tables == other.tables && one.starts == other.starts);
        }
    }
}

// So many rows that threads divide them, with weights whose sums depend on the order of the rows.
BoostedTrees trained_on_many(const std::vector<double>& x, const std::vector<double>& y,
                             const std::vector<double>& weight, LossKind loss, bool shuffled, int threads) {
    const std::size_t many = y.size(), columns = x.size() / many;
    RawTable raw;
    raw.rows = many;
    raw.numeric = x.data();
    raw.row_stride = 1;
    raw.column_stride = static_cast<std::int64_t>(many);
    for (std::uint32_t j = 0; j < columns; ++j) raw.features.push_back({false, j});
    const BinnedTable table(raw, 255, 0, threads);
    Target target;
    target.loss = loss;
    target.outputs = loss == LossKind::multinomial ? 3 : 1;
    target.rows = many;
    target.y = y.data();
    target.weight = weight.data();
    std::vector<std::uint32_t> training, validation;
    Random random(2);
    for (std::uint32_t i = 0; i < many; ++i) (i % 11 == 0 ? validation : training).push_back(i);
    for (std::size_t i = 0; shuffled && i < training.size(); ++i) {
        std::swap(training[i], training[i + random.below(training.size() - i)]);
    }
    TrainerConfig config;
    config.threads = threads;
    config.shared = shuffled;
    Control control;
    Trainer trainer(table, target, training, validation, config);
    trainer.advance(3, control);
    CHECK(trainer.validation_losses().back() < trainer.validation_losses().front());
    return trainer.trees();
}

void test_many_rows_are_the_same_on_any_threads() {
    constexpr std::size_t many = 140000, columns = 18;  // three groups of features: too few for seven threads
    Random random(6);
    std::vector<double> x(many * columns), y(many), weight(many);
    for (double& value : x) value = random.uniform();
    for (std::size_t i = 0; i < many; ++i) {
        y[i] = std::floor(x[i] + x[many + i] + random.uniform());
        weight[i] = 0.5 + random.uniform();
    }
    for (const LossKind loss : {LossKind::multinomial, LossKind::absolute}) {
        for (const bool shuffled : {false, true}) {
            const BoostedTrees one = trained_on_many(x, y, weight, loss, shuffled, 1);
            for (const int threads : {2, 7}) {
                const BoostedTrees other = trained_on_many(x, y, weight, loss, shuffled, threads);
                CHECK(one.nodes.size() == other.nodes.size());
                CHECK(std::memcmp(one.nodes.data(), other.nodes.data(), one.nodes.size() * sizeof(ForestNode)) == 0);
                CHECK(one.leaves == other.leaves);
            }
        }
    }
}

void test_quantiles() {
    std::vector<double> values{5, 1, 3, 2};
    CHECK(weighted_quantile(values, {}, 0.5) == 2.5);
    CHECK(weighted_quantile(values, {}, 1.0) == 5);
    values = {5, 1, 3};
    CHECK(weighted_quantile(values, {1, 2, 1}, 0.5) == 2);
    CHECK(weighted_quantile(values, {1, 1, 1}, 0.5) == 3);
}

}  // namespace

int main() {
    test_derivatives();
    test_loss_loops();
    test_gains();
    test_bins();
    test_histograms();
    test_trees_are_the_same_on_any_threads();
    test_many_rows_are_the_same_on_any_threads();
    test_quantiles();
    return check_result();
}
