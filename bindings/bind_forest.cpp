#include "boosting/predict.hpp"
#include "forest/bootstrap.hpp"
#include "forest/similarity.hpp"
#include "packed_forest.hpp"

namespace {

using Weight = std::optional<Array1<double>>;

void set_target(vaglio::tree::TreeData& data, const AnyArray& y, std::size_t n_classes, const Weight& weight) {
    data.classes = n_classes;
    if (n_classes > 0) {
        const auto labels = nb::cast<Array1<std::int64_t>>(y, false);
        require(labels.size() == data.rows, "y and the table differ in their rows");
        for (std::size_t i = 0; i < labels.size(); ++i) {
            require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < n_classes,
                    "a label is outside the classes");
        }
        data.labels = labels.data();
    } else {
        const auto targets = nb::cast<Array1<double>>(y, false);
        require(targets.size() == data.rows, "y and the table differ in their rows");
        data.targets = targets.data();
    }
    if (weight) {
        require(weight->size() == data.rows, "weight and the table differ in their rows");
        data.weights = weight->data();
    }
}

vaglio::Forest grow_forest(const TreeTable& table, AnyArray y, std::size_t n_classes, Weight weight,
                           const vaglio::tree::TreeConfig& config, std::size_t n_trees, std::size_t draws,
                           std::size_t features_per_tree, std::uint64_t seed, int n_threads, Progress progress) {
    vaglio::tree::TreeData data = table.data();
    set_target(data, y, n_classes, weight);
    require(n_trees > 0 && data.rows > 0, "a forest needs a tree and a row");
    const vaglio::ForestConfig chosen{config, n_trees, draws, features_per_tree, seed, n_threads};
    check_forest(chosen.tree);
    return run_kernel(progress, [&](vaglio::Control& control) { return vaglio::grow_forest(data, chosen, control); });
}

auto predict(const PackedForest& self, Numbers numeric, Array2<std::int32_t> codes, Array2<double> values,
             std::size_t draws, std::uint64_t seed, int n_threads) {
    const auto rows = self.rows(numeric, codes);
    const std::size_t width = values.shape(1);
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            const auto bags =
                draws > 0 ? vaglio::draw_bags(seed, self.n_trees(), rows.rows, draws, n_threads) : vaglio::Bags{};
            const auto* ranked = draws > 0 ? nullptr : self.ranked->get(self.view(), rows.rows, n_threads, control);
            return vaglio::predict_forest(self.view(), rows, {values.data(), values.size()}, width, bags, n_threads,
                                          control, ranked);
        },
        draws > 0 ? std::numeric_limits<double>::infinity() : steps_of({rows.rows, self.n_trees(), 32 + width}));
    return std::make_tuple(to_numpy(std::move(found.sums), {rows.rows, width}), to_numpy(std::move(found.trees)));
}

auto predict_raw(const PackedForest& self, Numbers numeric, Array2<std::int32_t> codes, Array1<double> values,
                 Array1<double> start, std::size_t first_tree, std::size_t last_tree, int n_threads) {
    const auto rows = self.rows(numeric, codes);
    require(first_tree <= last_tree && last_tree <= self.n_trees(), "there are no such trees");
    require(start.size() > 0, "an output is needed");
    auto raw = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            const bool all = first_tree == 0 && last_tree == self.n_trees();
            const auto* ranked = all ? self.ranked->get(self.view(), rows.rows, n_threads, control) : nullptr;
            return vaglio::boosting::predict_raw(self.view(), rows, span_of(values), span_of(start), first_tree,
                                                 last_tree, n_threads, control, ranked);
        },
        steps_of({rows.rows, last_tree - first_tree, 32}));
    return to_numpy(std::move(raw), {rows.rows, start.size()});
}

auto apply(const PackedForest& self, Numbers numeric, Array2<std::int32_t> codes, int n_threads) {
    const auto rows = self.rows(numeric, codes);
    auto leaves = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) { return vaglio::apply_forest(self.view(), rows, n_threads, control); },
        steps_of({rows.rows, self.n_trees(), 32}));
    return to_numpy(std::move(leaves), {rows.rows, self.n_trees()});
}

auto contributions(const PackedForest& self, Array2<double> numeric, Array2<std::int32_t> codes,
                   Array1<double> leaf_weight, Array2<double> values, Array3<double> direction, int n_threads) {
    const auto rows = self.rows(numeric, codes);
    require(leaf_weight.size() == values.shape(0), "a leaf needs one weight");
    require(direction.shape(0) == rows.rows && direction.shape(1) > 0 && direction.shape(2) == values.shape(1),
            "direction needs the rows of the table and the columns of values");
    auto found = run_kernel(nb::none(), [&](vaglio::Control& control) {
        return vaglio::forest_contributions(self.view(), rows, span_of(leaf_weight), {values.data(), values.size()},
                                            values.shape(1), {direction.data(), direction.size()}, direction.shape(1),
                                            n_threads, control);
    });
    return to_numpy(std::move(found), {rows.rows, self.features.size() + 1});
}

auto permutation_importance(const PackedForest& self, Array2<double> numeric, Array2<std::int32_t> codes,
                            Array2<double> values, AnyArray y, std::size_t n_classes, std::size_t draws,
                            std::uint64_t seed, int n_threads, Progress progress) {
    const auto rows = self.rows(numeric, codes);
    vaglio::tree::TreeData target;
    target.rows = rows.rows;
    set_target(target, y, n_classes, std::nullopt);
    const std::span<const std::int64_t> labels(target.labels, n_classes > 0 ? rows.rows : 0);
    const std::span<const double> targets(target.targets, n_classes > 0 ? 0 : rows.rows);
    auto found = run_kernel(progress, [&](vaglio::Control& control) {
        const auto bags = vaglio::draw_bags(seed, self.n_trees(), rows.rows, draws, n_threads);
        return vaglio::permutation_importance(self.view(), rows, {values.data(), values.size()}, values.shape(1),
                                              labels, targets, bags, seed, n_threads, control);
    });
    return to_numpy(std::move(found), {self.n_trees(), self.features.size()});
}

vaglio::SimilarityConfig similarity_config(const Array2<std::int32_t>& leaves, const Array2<std::int32_t>& others,
                                           std::size_t n_leaves, const Weight& tree_weights, std::size_t top,
                                           int n_threads) {
    require(leaves.shape(1) == others.shape(1), "the rows come from different forests");
    require(others.shape(0) <= 0x7FFFFFFFu, "more rows than 31 bits can number");
    vaglio::SimilarityConfig config{leaves.shape(1), n_leaves, {}, top, n_threads};
    if (tree_weights) {
        require(tree_weights->size() == config.n_trees, "there must be one weight per tree");
        config.tree_weights = span_of(*tree_weights);
    }
    return config;
}

auto leaf_similarity(Array2<std::int32_t> leaves, Array2<std::int32_t> others, std::size_t n_leaves,
                     Weight tree_weights, std::size_t top, int n_threads, Progress progress) {
    const auto config = similarity_config(leaves, others, n_leaves, tree_weights, top, n_threads);
    auto found = run_kernel(progress, [&](vaglio::Control& control) {
        return vaglio::leaf_similarity({leaves.data(), leaves.shape(0)}, {others.data(), others.shape(0)}, config,
                                       control);
    });
    return std::make_tuple(to_numpy(std::move(found.values)), to_numpy(std::move(found.columns)),
                           to_numpy(std::move(found.offsets)));
}

auto squared_similarity(Array2<std::int32_t> leaves, Array2<std::int32_t> others, std::size_t n_leaves,
                        Weight tree_weights, std::optional<Array1<std::int64_t>> groups,
                        std::optional<Array1<std::int64_t>> other_groups, int n_threads, Progress progress) {
    const auto config = similarity_config(leaves, others, n_leaves, tree_weights, 0, n_threads);
    require(groups.has_value() == other_groups.has_value(), "both sides need groups, or none");
    std::span<const std::int64_t> group, other_group;
    if (groups) {
        group = span_of(*groups);
        other_group = span_of(*other_groups);
        require(group.size() == leaves.shape(0) && other_group.size() == others.shape(0), "a row needs one group");
    }
    return to_numpy(run_kernel(progress, [&](vaglio::Control& control) {
        return vaglio::squared_similarity({leaves.data(), leaves.shape(0)}, {others.data(), others.shape(0)}, group,
                                          other_group, config, control);
    }));
}

}  // namespace

void register_forest(nb::module_& m) {
    m.def("grow_forest", &grow_forest, nb::arg("table"), nb::arg("y"), nb::arg("n_classes"),
          nb::arg("weight") = nb::none(), nb::kw_only(), nb::arg("config"), nb::arg("n_trees"), nb::arg("draws") = 0,
          nb::arg("features_per_tree") = 0, nb::arg("seed") = 0, nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(), "Grows a forest; returns its arrays.");
    nb::class_<PackedForest>(m, "PackedForest", "A forest's arrays, checked by the caller, laid out for many rows.")
        .def(nb::init<Bytes, Array1<std::int64_t>, Array1<std::uint32_t>, const Array1<std::uint8_t>&,
                      const Array1<std::uint32_t>&, const Array1<std::uint32_t>&>(),
             nb::arg("nodes"), nb::arg("starts"), nb::arg("tables"), nb::arg("nominal"), nb::arg("column"),
             nb::arg("n_categories"))
        .def("predict", &predict, nb::arg("numeric"), nb::arg("codes"), nb::arg("values"), nb::arg("draws") = 0,
             nb::arg("seed") = 0, nb::arg("n_threads") = 1,
             "Sums of values[leaf] over the trees (with draws: over those that did not see the row), and their number.")
        .def("predict_raw", &predict_raw, nb::arg("numeric"), nb::arg("codes"), nb::arg("values"), nb::arg("start"),
             nb::arg("first_tree"), nb::arg("last_tree"), nb::arg("n_threads") = 1,
             "start[k] plus values[leaf] over the trees k, k + K, … of the K outputs, in a range of trees.")
        .def("apply", &apply, nb::arg("numeric"), nb::arg("codes"), nb::arg("n_threads") = 1,
             "The leaf of each row in each tree, numbered through the forest.")
        .def("contributions", &contributions, nb::arg("numeric"), nb::arg("codes"), nb::arg("leaf_weight"),
             nb::arg("values"), nb::arg("direction"), nb::arg("n_threads") = 1,
             "What each feature contributes to direction · sums of values[leaf], and last what is left without any.")
        .def("permutation_importance", &permutation_importance, nb::arg("numeric"), nb::arg("codes"), nb::arg("values"),
             nb::arg("y"), nb::arg("n_classes"), nb::arg("draws"), nb::arg("seed"), nb::arg("n_threads") = 1,
             nb::arg("progress") = nb::none(), "Loss added by shuffling a feature among each tree's unseen rows.");
    m.def(
        "draw_counts",
        [](std::uint64_t key, std::size_t rows, std::size_t draws) {
            std::vector<std::uint32_t> counts(rows);
            vaglio::draw_counts(key, rows, draws, 0, rows, counts.data());
            return to_numpy(std::move(counts));
        },
        nb::arg("key"), nb::arg("rows"), nb::arg("draws"),
        "How often each row is drawn when so many rows are drawn with replacement.");
    m.def("leaf_similarity", &leaf_similarity, nb::arg("leaves"), nb::arg("others"), nb::arg("n_leaves"),
          nb::arg("tree_weights") = nb::none(), nb::arg("top") = 0, nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(), "CSR (values, columns, offsets) of the shares of common leaves.");
    m.def("squared_similarity", &squared_similarity, nb::arg("leaves"), nb::arg("others"), nb::arg("n_leaves"),
          nb::arg("tree_weights") = nb::none(), nb::arg("groups") = nb::none(), nb::arg("other_groups") = nb::none(),
          nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
          "For each row the sum of its squared similarities to the others.");
}
