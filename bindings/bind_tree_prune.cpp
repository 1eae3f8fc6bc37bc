#include <algorithm>

#include "tree/predict.hpp"
#include "tree/prune/prune.hpp"
#include "tree_convert.hpp"

namespace {

// A tree from Python whose indices have been checked against the features it may test.
vaglio::tree::Tree checked_tree(const vaglio::tree::Tree& tree, const vaglio::tree::TreeData& data) {
    return vaglio::tree::TreePredictor(tree, data.features, data.categories).tree();
}

// The same where no table is at hand: only the shape matters.
const vaglio::tree::Tree& shaped_tree(const vaglio::tree::Tree& tree) {
    vaglio::tree::check_structure(tree);
    return tree;
}

vaglio::tree::Risk risk_from(const std::string& name) {
    if (name == "impurity") return vaglio::tree::Risk::impurity;
    require(name == "error", "the risk is impurity or error");
    return vaglio::tree::Risk::error;
}

auto validation_errors(const vaglio::tree::Tree& tree, const TreeTable& validation, AnyArray y, std::size_t n_classes,
                       Weight weight, double bound, Progress progress) {
    vaglio::tree::TreeData data = validation.data();
    set_target(data, y, n_classes, weight, std::nullopt);
    const vaglio::tree::Tree grown = checked_tree(tree, data);
    require(grown.width == std::max<std::size_t>(n_classes, 1), "the tree has another number of classes");
    return to_numpy(run_kernel(progress, [&](vaglio::Control& control) {
        return vaglio::tree::validation_errors(grown, data, bound, control);
    }));
}

vaglio::tree::Tree prune_reduced_error(const vaglio::tree::Tree& tree, Array1<double> errors) {
    const vaglio::tree::Tree& grown = shaped_tree(tree);
    require(errors.size() == grown.size(), "every node needs its error");
    return vaglio::tree::prune_reduced_error(grown, span_of(errors));
}

vaglio::tree::Tree prune_error_based(const vaglio::tree::Tree& tree, const TreeTable& table, AnyArray y,
                                     std::size_t n_classes, Weight weight, const vaglio::tree::TreeConfig& config,
                                     int n_threads, Progress progress) {
    vaglio::tree::TreeData data = table.data();
    set_target(data, y, n_classes, weight, std::nullopt);
    const vaglio::tree::Tree grown = checked_tree(tree, data);
    require(n_classes > 0 && grown.width == n_classes, "the tree has another number of classes");
    return run_kernel(progress, [&](vaglio::Control& control) {
        return vaglio::tree::prune_error_based(grown, data, config.criterion, config.confidence, config.subtree_raising,
                                               n_threads, control);
    });
}

auto cost_complexity_path(const vaglio::tree::Tree& tree, const std::string& risk) {
    const vaglio::tree::Tree& grown = shaped_tree(tree);
    const vaglio::tree::Risk chosen = risk_from(risk);
    auto path = run_kernel(nb::none(), [&](vaglio::Control& control) {
        return vaglio::tree::cost_complexity_path(grown, chosen, control);
    });
    return std::make_tuple(to_numpy(std::move(path.alphas)), to_numpy(std::move(path.risks)),
                           to_numpy(std::move(path.leaves)));
}

vaglio::tree::Tree prune_cost_complexity(const vaglio::tree::Tree& tree, double alpha, const std::string& risk) {
    const vaglio::tree::Tree& grown = shaped_tree(tree);
    const vaglio::tree::Risk chosen = risk_from(risk);
    return run_kernel(nb::none(), [&](vaglio::Control& control) {
        return vaglio::tree::prune_cost_complexity(grown, chosen, alpha, control);
    });
}

auto standing_nodes(const vaglio::tree::Tree& tree, Array1<std::int32_t> nodes, Array1<double> alphas,
                    const std::string& risk) {
    const vaglio::tree::Tree& grown = shaped_tree(tree);
    const vaglio::tree::Risk chosen = risk_from(risk);
    const auto wanted = span_of(nodes);
    const auto prices = span_of(alphas);
    require(std::is_sorted(prices.begin(), prices.end()), "the alphas do not ascend");
    for (const std::int32_t node : wanted)
        require(node >= 0 && static_cast<std::size_t>(node) < grown.size(), "a node is out of range");
    auto standing = run_kernel(nb::none(), [&](vaglio::Control& control) {
        return vaglio::tree::standing_nodes(grown, chosen, wanted, prices, control);
    });
    return to_numpy(std::move(standing), {prices.size(), wanted.size()});
}

}  // namespace

void register_tree_prune(nb::module_& m) {
    m.def("validation_errors", &validation_errors, nb::arg("tree"), nb::arg("validation"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight"), nb::arg("bound"), nb::arg("progress") = nb::none(),
          "The error of each node on validation rows; sums up to the bound are exact.");
    m.def("prune_reduced_error", &prune_reduced_error, nb::arg("tree"), nb::arg("errors"),
          "Prunes what does not err less, by the errors of the nodes.");
    m.def("prune_error_based", &prune_error_based, nb::arg("tree"), nb::arg("table"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight") = nb::none(), nb::kw_only(), nb::arg("config"),
          nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
          "C4.5's pruning of a tree by the rows it was grown on.");
    m.def("cost_complexity_path", &cost_complexity_path, nb::arg("tree"), nb::arg("risk") = "impurity",
          "alphas, risks and leaves of the nested sequence of trees.");
    m.def("prune_cost_complexity", &prune_cost_complexity, nb::arg("tree"), nb::arg("alpha"),
          nb::arg("risk") = "impurity", "The smallest tree of the sequence with an alpha up to the given one.");
    m.def("standing_nodes", &standing_nodes, nb::arg("tree"), nb::arg("nodes"), nb::arg("alphas"),
          nb::arg("risk") = "impurity",
          "The node that stands for each given one in the tree that each alpha prunes to: (alphas, nodes).");
}
