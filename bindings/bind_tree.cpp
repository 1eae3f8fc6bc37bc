#include <algorithm>

#include "tree/grow.hpp"
#include "tree/predict.hpp"
#include "tree/preorder.hpp"
#include "tree/table/rank.hpp"
#include "tree_convert.hpp"

namespace {

std::tuple<AnyArray, std::vector<NumPy<std::uint32_t>>> ranked_to_tuple(vaglio::tree::RankedColumns&& ranked,
                                                                        std::size_t rows) {
    const std::size_t columns = ranked.firsts.size();
    nb::object ranks = nb::cast(to_numpy(std::move(ranked.ranks), {columns, rows})).attr("T");
    std::vector<NumPy<std::uint32_t>> firsts;
    for (auto& found : ranked.firsts) firsts.push_back(to_numpy(std::move(found)));
    return {nb::borrow<AnyArray>(ranks), std::move(firsts)};
}

auto rank_columns(const Strided2& X, int n_threads, Progress progress) {
    const vaglio::tree::MatrixView view{X.data(), X.shape(0), X.shape(1), X.stride(0), X.stride(1)};
    require(view.rows < 0x7FFFFFFFu, "a table of more than 2^31 rows cannot be ranked");
    auto ranked = run_kernel(
        progress, [&](vaglio::Control& control) { return vaglio::tree::rank_columns(view, n_threads, control); },
        steps_of({view.rows, view.columns, 16}));
    return ranked_to_tuple(std::move(ranked), view.rows);
}

auto take_ranks(const Columns2<std::uint32_t>& ranks, const Array1<std::uint64_t>& distinct,
                const Array1<std::int64_t>& rows, int n_threads) {
    const std::size_t all_rows = ranks.shape(0);
    require(distinct.size() == ranks.shape(1), "one number of distinct values per column is needed");
    require(std::all_of(rows.data(), rows.data() + rows.size(),
                        [&](std::int64_t i) { return i >= 0 && static_cast<std::size_t>(i) < all_rows; }),
            "a row is out of range");
    for (std::size_t column = 0; column < distinct.size(); ++column) {
        const std::uint32_t* from = ranks.data() + column * all_rows;
        const std::uint64_t known = distinct.data()[column];
        require(known <= all_rows, "a column has more distinct values than rows");
        require(std::all_of(from, from + all_rows,
                            [&](std::uint32_t r) { return r < known || r == vaglio::tree::missing_rank; }),
                "a rank is out of range");
    }
    auto taken = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::tree::take_ranks(ranks.data(), all_rows, span_of(distinct), span_of(rows), n_threads,
                                            control);
        },
        steps_of({all_rows, distinct.size(), 4}));
    return ranked_to_tuple(std::move(taken), rows.size());
}

vaglio::tree::Tree grow_tree(const TreeTable& table, AnyArray y, std::size_t n_classes, Weight weight,
                             std::optional<Array1<std::uint32_t>> multiplicity, const vaglio::tree::TreeConfig& config,
                             int n_threads, Progress progress) {
    vaglio::tree::TreeData data = table.data();
    set_target(data, y, n_classes, weight, multiplicity);
    require((n_classes == 0) == vaglio::tree::is_regression(config.criterion),
            "errors and the deviance are criteria of regression, and of nothing else");
    require(config.monotonic.empty() || (config.monotonic.size() == data.features.size() && n_classes <= 2),
            "monotonic constraints need one sign per feature, and two classes or numbers");
    require(config.max_bins != 1, "at least two bins are needed");
    require(config.pruning == vaglio::tree::Pruning::none || n_classes > 0, "this pruning needs classes");
    require(config.confidence > 0 && config.confidence <= 0.5, "the confidence must be in (0, 0.5]");
    return run_kernel(
        progress, [&](vaglio::Control& control) { return vaglio::tree::learn_tree(data, config, n_threads, control); },
        steps_of({data.rows, data.rows, data.features.size()}));
}

vaglio::tree::Tree grow_outputs(const TreeTable& table, AnyArray y, std::vector<std::size_t> n_classes, Weight weight,
                                const vaglio::tree::TreeConfig& config, int n_threads, Progress progress) {
    using vaglio::tree::Criterion;
    vaglio::tree::TreeData data = table.data();
    const vaglio::tree::Outputs outputs = outputs_from(data, y, n_classes, weight);
    data.outputs = &outputs;
    const bool of_classes = config.criterion == Criterion::gini || config.criterion == Criterion::gain;
    require(n_classes.empty() ? vaglio::tree::is_regression(config.criterion) : of_classes,
            "several outputs are learned by the Gini index or the entropy of classes, or by an error or deviance of "
            "numbers");
    require(data.categories.empty(), "several outputs are learned from numeric columns");
    require(config.monotonic.empty() && !config.oblique && config.max_bins == 0 &&
                config.pruning == vaglio::tree::Pruning::none,
            "this option is for trees of one output");
    return run_kernel(
        progress, [&](vaglio::Control& control) { return vaglio::tree::learn_tree(data, config, n_threads, control); },
        steps_of({data.rows, data.rows, data.features.size(), outputs.count}));
}

using Single2 = nb::ndarray<const float, nb::numpy, nb::ndim<2>, nb::device::cpu>;

auto preorder_nodes(const Array1<std::int32_t>& feature, const Array1<double>& threshold,
                    const Array1<std::int32_t>& first_child, const Array1<std::int32_t>& missing_branch,
                    const Single2& X, const Array1<bool>& complete, const Weight& weight,
                    const std::optional<Array2<double>>& targets) {
    const vaglio::tree::ThresholdTests tree{span_of(feature), span_of(threshold), span_of(first_child),
                                            span_of(missing_branch)};
    const vaglio::tree::SingleRows rows{X.data(), X.shape(0), X.shape(1), X.stride(0), X.stride(1)};
    vaglio::tree::RowAmounts amounts;
    if (weight) amounts.weights = span_of(*weight);
    if (targets) amounts = {amounts.weights, {targets->data(), targets->size()}, targets->shape(1)};
    require(!weight || weight->size() == rows.rows, "weight and the table differ in their rows");
    require(!targets || targets->shape(0) == rows.rows, "targets and the table differ in their rows");
    const std::span known{reinterpret_cast<const std::uint8_t*>(complete.data()), complete.size()};
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) { return vaglio::tree::lay_out(tree, rows, known, amounts, control); },
        steps_of({rows.rows, tree.size()}));
    const std::size_t n = found.order.size();
    return std::make_tuple(to_numpy(std::move(found.order)), to_numpy(std::move(found.left)),
                           to_numpy(std::move(found.right)), to_numpy(std::move(found.rows)),
                           to_numpy(std::move(found.missing_left)), to_numpy(std::move(found.weight)),
                           to_numpy(std::move(found.sums), {amounts.outputs, n}), found.depth);
}

vaglio::tree::PredictRows rows_from(const vaglio::tree::TreePredictor& predictor, const Array2<double>& numeric,
                                    const Columns2<std::int32_t>& codes) {
    require(numeric.shape(1) >= predictor.numeric_columns(), "the table has fewer numeric columns than the tree tests");
    require(codes.shape(1) >= predictor.code_columns(), "the table has fewer nominal columns than the tree tests");
    require(numeric.shape(0) == codes.shape(0), "numeric and nominal columns differ in their rows");
    return {numeric.shape(0), numeric.data(), numeric.shape(1), codes.data(), codes.shape(1)};
}

}  // namespace

void register_tree(nb::module_& m) {
    m.def("rank_columns", &rank_columns, nb::arg("X").noconvert(), nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(),
          "Ranks of each column's values (uint32, column order, 0xFFFFFFFF for NaN), and the first row of each rank.");
    m.def("take_ranks", &take_ranks, nb::arg("ranks").noconvert(), nb::arg("distinct"), nb::arg("rows"),
          nb::arg("n_threads") = 1, "The same for some of the rows, from the ranks of all of them.");
    nb::class_<TreeTable>(m, "TreeTable",
                          "A training table: ranks of numbers, codes of categories, the features' order.")
        .def(
            "__init__",
            [](TreeTable* self, Strided2 numeric, Columns2<std::uint32_t> ranks,
               std::vector<Array1<std::uint32_t>> firsts, Columns2<std::int32_t> codes,
               Array1<std::uint32_t> n_categories, Array1<std::uint8_t> nominal, Array1<std::uint32_t> column,
               bool reused) {
                new (self) TreeTable{numeric, ranks, std::move(firsts), codes, n_categories, nominal, column};
                if (reused) self->keep();
            },
            nb::arg("numeric").noconvert(), nb::arg("ranks").noconvert(), nb::arg("firsts"),
            nb::arg("codes").noconvert(), nb::arg("n_categories"), nb::arg("nominal"), nb::arg("column"),
            nb::arg("reused") = false);
    m.def("grow_tree", &grow_tree, nb::arg("table"), nb::arg("y"), nb::arg("n_classes"), nb::arg("weight") = nb::none(),
          nb::arg("multiplicity") = nb::none(), nb::arg("config") = vaglio::tree::TreeConfig(),
          nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
          "Grows one tree and prunes it as the config says; returns its arrays.");
    m.def("grow_outputs_tree", &grow_outputs, nb::arg("table"), nb::arg("y"), nb::arg("n_classes"),
          nb::arg("weight") = nb::none(), nb::arg("config") = vaglio::tree::TreeConfig(), nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(),
          "Grows one tree for several columns of y; its values are those of one column after the other.");
    m.def("preorder_nodes", &preorder_nodes, nb::arg("feature"), nb::arg("threshold"), nb::arg("first_child"),
          nb::arg("missing_branch"), nb::arg("X").noconvert(), nb::arg("complete"), nb::arg("weight"),
          nb::arg("targets"),
          "The nodes of a tree of thresholds depth first: number in the tree, places of the children, training rows, "
          "whether a missing value goes left, weight and sums of targets; and the depth.");
    nb::class_<vaglio::tree::TreePredictor>(m, "TreePredictor",
                                            "A finished tree, checked and laid out for classifying rows.")
        .def(
            "__init__",
            [](vaglio::tree::TreePredictor* self, const vaglio::tree::Tree& tree, Array1<std::uint8_t> nominal,
               Array1<std::uint32_t> column, Array1<std::uint32_t> n_categories) {
                new (self)
                    vaglio::tree::TreePredictor(tree, features_from(nominal, column),
                                                {n_categories.data(), n_categories.data() + n_categories.size()});
            },
            nb::arg("tree"), nb::arg("nominal"), nb::arg("column"), nb::arg("n_categories"))
        .def(
            "apply",
            [](const vaglio::tree::TreePredictor& self, Array2<double> numeric, Columns2<std::int32_t> codes,
               int n_threads) {
                const auto rows = rows_from(self, numeric, codes);
                return to_numpy(run_kernel(
                    nb::none(), [&](vaglio::Control& c) { return self.apply(rows, n_threads, c); },
                    steps_of({rows.rows, self.tree().size()})));
            },
            nb::arg("numeric").noconvert(), nb::arg("codes").noconvert(), nb::arg("n_threads") = 1,
            "The leaf of each row; of several, the heaviest.")
        .def(
            "predict",
            [](const vaglio::tree::TreePredictor& self, Array2<double> numeric, Columns2<std::int32_t> codes,
               Array2<double> leaf_values, int n_threads) {
                const auto rows = rows_from(self, numeric, codes);
                require(leaf_values.shape(0) == self.tree().size(), "leaf_values needs one row per node");
                const std::size_t width = leaf_values.shape(1);
                return to_numpy(run_kernel(
                                    nb::none(),
                                    [&](vaglio::Control& c) {
                                        return self.predict(rows, {leaf_values.data(), leaf_values.size()}, width,
                                                            n_threads, c);
                                    },
                                    steps_of({rows.rows, self.tree().size(), width})),
                                {rows.rows, width});
            },
            nb::arg("numeric").noconvert(), nb::arg("codes").noconvert(), nb::arg("leaf_values").noconvert(),
            nb::arg("n_threads") = 1, "Sum of share times leaf_values[leaf] over the leaves each row reaches.")
        .def(
            "contributions",
            [](const vaglio::tree::TreePredictor& self, Array2<double> numeric, Columns2<std::int32_t> codes,
               Array2<double> leaf_values, Array2<double> direction, int n_threads) {
                const auto rows = rows_from(self, numeric, codes);
                const std::size_t width = leaf_values.shape(1);
                require(leaf_values.shape(0) == self.tree().size(), "leaf_values needs one row per node");
                require(direction.shape(0) == rows.rows && direction.shape(1) == width,
                        "direction needs the rows of the table and the columns of leaf_values");
                auto found = run_kernel(
                    nb::none(),
                    [&](vaglio::Control& c) {
                        return self.contributions(rows, {leaf_values.data(), leaf_values.size()}, width,
                                                  {direction.data(), direction.size()}, n_threads, c);
                    },
                    steps_of({rows.rows, self.tree().size(), 32 + width}));
                return to_numpy(std::move(found), {rows.rows, self.n_features() + 1});
            },
            nb::arg("numeric").noconvert(), nb::arg("codes").noconvert(), nb::arg("leaf_values").noconvert(),
            nb::arg("direction").noconvert(), nb::arg("n_threads") = 1,
            "What each feature contributes to direction · prediction, and last what is predicted without any.")
        .def(
            "decision_path",
            [](const vaglio::tree::TreePredictor& self, Array2<double> numeric, Columns2<std::int32_t> codes,
               int n_threads) {
                const auto rows = rows_from(self, numeric, codes);
                auto paths = run_kernel(
                    nb::none(), [&](vaglio::Control& c) { return self.decision_path(rows, n_threads, c); },
                    steps_of({rows.rows, self.tree().size()}));
                return std::make_tuple(to_numpy(std::move(paths.offsets)), to_numpy(std::move(paths.nodes)));
            },
            nb::arg("numeric").noconvert(), nb::arg("codes").noconvert(), nb::arg("n_threads") = 1,
            "indptr and indices of the CSR matrix of rows by the nodes they pass.");
}
