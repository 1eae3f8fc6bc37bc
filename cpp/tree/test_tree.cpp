// Trees of every configuration on one small mixed table: the same for any number of threads, whole, prunable and
// applicable. Meant above all to be run under the sanitizers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "tree/grow.hpp"
#include "tree/predict.hpp"
#include "tree/prune/prune.hpp"
#include "tree/split/chance.hpp"
#include "tree/table/rank.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

struct Sample {
    static constexpr std::size_t rows = 600, numeric = 4, nominal = 2;
    std::vector<double> numbers = std::vector<double>(rows * numeric);
    std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows * nominal);
    std::vector<std::int64_t> labels = std::vector<std::int64_t>(rows);
    std::vector<double> targets = std::vector<double>(rows), weights = std::vector<double>(rows);
    RankedColumns ranked;

    explicit Sample(bool missing) {
        Random random(7);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < numeric; ++j) {
                double x = j == 0 ? random.uniform() : static_cast<double>(random.below(j == 1 ? 400 : 9));
                if (missing && random.below(10) == 0) x = std::nan("");
                numbers[i * numeric + j] = x;
            }
            for (std::size_t j = 0; j < nominal; ++j)
                codes[j * rows + i] =
                    missing && random.below(10) == 0 ? -1 : static_cast<std::int32_t>(random.below(5));
            const double x = numbers[i * numeric];
            labels[i] = static_cast<std::int64_t>((x > 0.4) + (codes[i] == 2));
            if (random.below(8) == 0) labels[i] = static_cast<std::int64_t>(random.below(3));
            targets[i] = static_cast<double>(labels[i]) + random.uniform();
            weights[i] = 0.25 + random.uniform();
        }
        Control control;
        ranked = rank_columns({numbers.data(), rows, numeric, numeric, 1}, 2, control);
    }

    TreeData data(bool regression, bool weighted) const {
        TreeData d;
        d.rows = rows;
        d.ranks = ranked.ranks.data();
        for (std::size_t j = 0; j < numeric; ++j)
            d.values.emplace_back(numbers.data() + j, static_cast<std::ptrdiff_t>(numeric), ranked.firsts[j]);
        d.codes = codes.data();
        d.categories = {5, 6};
        for (std::uint32_t j = 0; j < numeric; ++j) d.features.push_back({false, j});
        for (std::uint32_t j = 0; j < nominal; ++j) d.features.push_back({true, j});
        d.classes = regression ? 0 : 3;
        d.labels = labels.data();
        d.targets = targets.data();
        if (weighted) d.weights = weights.data();
        return d;
    }
};

bool same(const Tree& a, const Tree& b) {
    return a.kind == b.kind && a.feature == b.feature && a.threshold == b.threshold && a.first_child == b.first_child &&
           a.n_children == b.n_children && a.missing_branch == b.missing_branch && a.tables == b.tables &&
           a.weight == b.weight && a.impurity == b.impurity && a.gain == b.gain && a.value == b.value;
}

double leaf_weight(const Tree& tree) {
    double sum = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) sum += tree.is_leaf(i) ? tree.weight[i] : 0;
    return sum;
}

void check_tree(const Sample& sample, const TreeData& data, const TreeConfig& config) {
    Control control;
    const Tree tree = grow_tree(data, config, 1, control);
    CHECK(tree.size() > 1);
    CHECK(same(tree, grow_tree(data, config, 3, control)));
    CHECK(std::abs(leaf_weight(tree) - tree.weight[0]) < 1e-6 * tree.weight[0]);
    check_structure(tree);
    const TreePredictor predictor(tree, data.features, data.categories);
    const PredictRows rows{Sample::rows, sample.numbers.data(), Sample::numeric, sample.codes.data(), Sample::nominal};
    const auto leaves = predictor.apply(rows, 2, control);
    for (const std::int32_t leaf : leaves) CHECK(tree.is_leaf(static_cast<std::size_t>(leaf)));
    CHECK(predictor.predict(rows, tree.value, tree.width, 2, control).size() == Sample::rows * tree.width);
    CHECK(predictor.decision_path(rows, 2, control).offsets.size() == Sample::rows + 1);
    CHECK(prune_reduced_error(tree, validation_errors(tree, data, 1e3, control)).size() <= tree.size());
    const PruningPath path = cost_complexity_path(tree, Risk::impurity, control);
    CHECK(path.leaves.back() == 1);
    CHECK(std::all_of(path.alphas.begin(), path.alphas.end(), [](double alpha) { return alpha >= 0; }));
    CHECK(prune_cost_complexity(tree, Risk::impurity, path.alphas.back() + 1, control).size() == 1);
    if (data.classes == 0) return;
    CHECK(prune_pessimistic(tree, 0.5).size() <= tree.size());
    for (const bool raising : {false, true}) {
        const Tree pruned = prune_error_based(tree, data, config.criterion, 0.25, raising, 2, control);
        CHECK(pruned.size() <= tree.size());
        CHECK(std::abs(leaf_weight(pruned) - tree.weight[0]) < 1e-6 * tree.weight[0]);
    }
}

void check_all(bool missing) {
    const Sample sample(missing);
    for (const Criterion criterion :
         {Criterion::gain, Criterion::gain_ratio, Criterion::gini, Criterion::error, Criterion::squared_error})
        for (const NominalSplit split : {NominalSplit::multiway, NominalSplit::subset})
            for (const MissingPolicy policy :
                 {MissingPolicy::fractional, MissingPolicy::learned, MissingPolicy::own_branch})
                for (const int variant : {0, 1, 2, 3}) {
                    TreeConfig config;
                    config.criterion = criterion;
                    config.nominal_split = split;
                    config.missing = policy;
                    config.min_rows_leaf = 3;
                    if (variant == 1) config.max_features = 2;
                    if (variant == 2) config.max_bins = 8;
                    if (variant == 3) config.random_thresholds = true;
                    const bool regression = criterion == Criterion::squared_error;
                    check_tree(sample, sample.data(regression, variant == 2), config);
                }
}

bool same_tests(const Tree& a, const Tree& b) {
    return a.kind == b.kind && a.feature == b.feature && a.threshold == b.threshold && a.tables == b.tables;
}

// Rows of each leaf, shares of rows included.
std::vector<double> rows_in_leaves(const Sample& sample, const TreeData& data, const Tree& tree, Control& control) {
    const TreePredictor predictor(tree, data.features, data.categories);
    const PredictRows rows{Sample::rows, sample.numbers.data(), Sample::numeric, sample.codes.data(), Sample::nominal};
    std::vector<double> one(tree.size() * tree.size(), 0.0), count(tree.size(), 0.0);
    for (std::size_t i = 0; i < tree.size(); ++i) one[i * tree.size() + i] = 1;
    const std::vector<double> shares = predictor.predict(rows, one, tree.size(), 1, control);
    for (std::size_t i = 0; i < shares.size(); ++i) count[i % tree.size()] += shares[i];
    return count;
}

// Minimums count rows, however light; and no common factor of the weights changes a test.
void check_weights(bool missing) {
    const Sample sample(missing);
    Control control;
    for (const Criterion criterion :
         {Criterion::gain_ratio, Criterion::gini, Criterion::error, Criterion::squared_error})
        for (const MissingPolicy policy : {MissingPolicy::learned, MissingPolicy::fractional})
            for (const bool whole : {false, true}) {
                TreeConfig config;
                config.criterion = criterion;
                config.missing = policy;
                config.min_rows_leaf = 7;
                config.min_rows_split = 20;
                TreeData data = sample.data(criterion == Criterion::squared_error, true);
                std::vector<double> weights = sample.weights;
                if (whole)
                    for (double& w : weights) w = 1 + std::floor(4 * w);
                data.weights = weights.data();
                const Tree tree = grow_tree(data, config, 2, control);
                CHECK(tree.size() > 1);
                const std::vector<double> rows = rows_in_leaves(sample, data, tree, control);
                for (std::size_t i = 0; i < tree.size(); ++i)
                    CHECK(!tree.is_leaf(i) || tree.weight[i] == 0 || rows[i] >= 7 - 1e-9);
                for (const double factor : {0.0078125, 1e-3, 1.0 / 3}) {
                    std::vector<double> scaled = weights;
                    for (double& w : scaled) w *= factor;
                    data.weights = scaled.data();
                    CHECK(same_tests(tree, grow_tree(data, config, 2, control)));
                }
            }
    // Weights that are all alike are none.
    const std::vector<double> alike(Sample::rows, 0.3);
    TreeConfig config;
    config.min_rows_leaf = 5;
    TreeData data = sample.data(false, false);
    const Tree expected = grow_tree(data, config, 1, control);
    data.weights = alike.data();
    CHECK(same_tests(expected, grow_tree(data, config, 1, control)));
}

// Of features that split equally well the seed draws one, each as often, for any number of threads and any way to scan;
// else it is the first. What is tested against what is the same.
void check_ties() {
    const Sample sample(true);
    Control control;
    for (const Criterion criterion : {Criterion::gain, Criterion::gini, Criterion::squared_error})
        for (const bool weighted : {false, true}) {
            TreeData data = sample.data(criterion == Criterion::squared_error, weighted);
            data.features.assign(4, {false, 0});
            TreeConfig config;
            config.criterion = criterion;
            config.max_depth = 5;
            const Tree first = grow_tree(data, config, 1, control);
            for (std::size_t i = 0; i < first.size(); ++i) CHECK(first.is_leaf(i) || first.feature[i] == 0);
            config.draw_ties = true;
            std::vector<int> roots(4, 0);
            for (config.seed = 0; config.seed < 200; ++config.seed) {
                Tree drawn = grow_tree(data, config, 1, control);
                ++roots[static_cast<std::size_t>(drawn.feature[0])];
                if (config.seed < 5) {
                    CHECK(same(drawn, grow_tree(data, config, 3, control)));
                    config.sieve = false;
                    CHECK(same(drawn, grow_tree(data, config, 2, control)));
                    config.sieve = true;
                }
                drawn.feature = first.feature;
                CHECK(same(drawn, first));
            }
            for (const int times : roots) CHECK(times > 25 && times < 75);
        }
}

// A chain of nodes, each cutting off one leaf: nothing may recurse.
void check_degenerate() {
    Tree tree;
    tree.width = 2;
    const std::size_t depth = 200000;
    tree.append(2 * depth + 1);
    for (std::size_t level = 0; level < depth; ++level) {
        const std::size_t node = level == 0 ? 0 : 2 * level;
        tree.kind[node] = static_cast<std::uint8_t>(NodeKind::threshold);
        tree.feature[node] = 0;
        tree.threshold[node] = static_cast<double>(level);
        tree.first_child[node] = static_cast<std::int32_t>(2 * level + 1);
        tree.n_children[node] = 2;
    }
    for (std::size_t i = 0; i < tree.size(); ++i) tree.weight[i] = tree.value[2 * i] = 1;
    Control control;
    CHECK(compact(tree).size() == tree.size());
    CHECK(prune_pessimistic(tree, 0.0).size() <= tree.size());
    const std::vector<double> x{0.5, 1e9};
    const TreePredictor predictor(tree, {{false, 0}}, {});
    const auto leaves = predictor.apply({2, x.data(), 1, nullptr, 0}, 1, control);
    CHECK(leaves[0] == 3);
    CHECK(leaves[1] == static_cast<std::int32_t>(2 * depth));
}

// Tables of categories beyond the stored ones: of a test they are refused, of a leaf they are nothing.
void check_tables_outside() {
    const Sample sample(false);
    const TreeData data = sample.data(false, false);
    TreeConfig config;
    config.nominal_split = NominalSplit::multiway;
    config.criterion = Criterion::gain;
    Control control;
    const Tree tree = grow_tree(data, config, 1, control);
    const auto beyond = static_cast<std::int64_t>(tree.tables.size()) + 5;
    std::size_t tested = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        Tree changed = tree;
        changed.table_start[i] = beyond;
        if (tree.is_leaf(i)) {
            CHECK(prune_cost_complexity(changed, Risk::impurity, -1, control).tables.size() <= tree.tables.size());
        } else if (tree.table_start[i] >= 0) {
            bool refused = false;
            try {
                const TreePredictor predictor(changed, data.features, data.categories);
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            CHECK(refused);
            ++tested;
        }
    }
    CHECK(tested > 0);
}

}  // namespace

int main() {
    check_tables_outside();
    check_all(false);
    check_all(true);
    check_weights(false);
    check_weights(true);
    check_ties();
    check_degenerate();
    CHECK(std::abs(chi_square_survival(3.841458820694124, 1) - 0.05) < 1e-12);
    CHECK(std::abs(chi_square_survival(18.307038053275146, 10) - 0.05) < 1e-12);
    CHECK(std::abs(added_errors(6, 0, 0.25) - 6 * (1 - std::pow(0.25, 1.0 / 6))) < 1e-12);
    return check_result();
}
