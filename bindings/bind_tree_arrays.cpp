// Grown trees as Python holds them: the kernels' own structs, whose arrays are read where they lie.
#include <algorithm>

#include "boosting/growth/boosted_trees.hpp"
#include "forest/forest.hpp"
#include "support.hpp"
#include "tree/tree.hpp"

namespace {

using vaglio::tree::Tree;

// In Python the terms of linear tests lie in the order of the nodes, with n + 1 offsets; no offsets at all where no
// test is linear.
struct LinearTerms {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> feature;
    std::vector<double> coef;

    explicit LinearTerms(const Tree& tree) {
        if (tree.linear_feature.empty()) return;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            start.push_back(static_cast<std::int64_t>(feature.size()));
            if (tree.linear_start[i] < 0) continue;
            const auto first = static_cast<std::size_t>(tree.linear_start[i]);
            for (std::size_t t = first; t < first + static_cast<std::size_t>(tree.linear_terms[i]); ++t) {
                feature.push_back(tree.linear_feature[t]);
                coef.push_back(tree.linear_coef[t]);
            }
        }
        start.push_back(static_cast<std::int64_t>(feature.size()));
    }
};

void set_linear(Tree& tree, const Array1<std::int64_t>& offsets, const Array1<std::int32_t>& feature,
                const Array1<double>& coef) {
    const std::size_t n = tree.size(), terms = feature.size();
    tree.linear_start.assign(n, -1);
    tree.linear_terms.assign(n, 0);
    if (terms == 0) return;
    require(offsets.size() == n + 1 && coef.size() == terms, "the tree's linear terms do not fit its nodes");
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
        require(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(terms),
                "the tree's linear terms do not fit its nodes");
        if (begin == end) continue;
        tree.linear_start[i] = begin;
        tree.linear_terms[i] = static_cast<std::int32_t>(end - begin);
    }
    tree.linear_feature.assign(feature.data(), feature.data() + terms);
    tree.linear_coef.assign(coef.data(), coef.data() + terms);
}

template <class T>
std::vector<T> copy_of(const Array1<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// Lengths are checked here; indices where the tree is used, by what it is used on.
Tree make_tree(const Array1<std::uint8_t>& kind, const Array1<std::int32_t>& feature, const Array1<double>& threshold,
               const Array1<std::int32_t>& first_child, const Array1<std::int32_t>& n_children,
               const Array1<std::int32_t>& missing_branch, const Array1<std::int64_t>& table_start,
               const Array1<std::uint32_t>& tables, const Array2<double>& value, const Array1<double>& weight,
               const Array1<double>& impurity, const Array1<double>& gain, const Array1<std::int64_t>& linear_start,
               const Array1<std::int32_t>& linear_feature, const Array1<double>& linear_coef, bool strict) {
    const std::size_t n = kind.size();
    require(n > 0 && value.shape(0) == n && value.shape(1) > 0, "the tree's values do not fit its nodes");
    for (const std::size_t length :
         {feature.size(), threshold.size(), first_child.size(), n_children.size(), missing_branch.size(),
          table_start.size(), weight.size(), impurity.size(), gain.size()})
        require(length == n, "the tree's arrays differ in length");
    Tree tree;
    tree.width = value.shape(1);
    tree.kind = copy_of(kind);
    tree.feature = copy_of(feature);
    tree.threshold = copy_of(threshold);
    tree.first_child = copy_of(first_child);
    tree.n_children = copy_of(n_children);
    tree.missing_branch = copy_of(missing_branch);
    tree.table_start = copy_of(table_start);
    tree.tables = copy_of(tables);
    tree.value.assign(value.data(), value.data() + value.size());
    tree.weight = copy_of(weight);
    tree.impurity = copy_of(impurity);
    tree.gain = copy_of(gain);
    tree.strict.assign(n, strict);
    set_linear(tree, linear_start, linear_feature, linear_coef);
    return tree;
}

constexpr const char* tree_fields[] = {
    "kind",  "feature", "threshold", "first_child", "n_children",   "missing_branch", "table_start", "tables",
    "value", "weight",  "impurity",  "gain",        "linear_start", "linear_feature", "linear_coef", "strict"};

template <class... Given, std::size_t... At>
void bind_making(nb::class_<Tree>& type, Tree (*make)(Given...), std::index_sequence<At...>) {
    type.def(
        "__init__", [make](Tree* self, Given... given) { new (self) Tree(make(given...)); }, nb::kw_only(),
        nb::arg(tree_fields[At])...);
    using State = std::tuple<std::remove_cvref_t<Given>...>;
    type.def("__setstate__", [make](Tree& self, const State& state) { new (&self) Tree(std::apply(make, state)); });
}

template <class Owned>
View<std::uint8_t> node_bytes(const Owned& trees) {
    constexpr std::size_t size = sizeof(vaglio::ForestNode);
    return View<std::uint8_t>(trees.nodes.data(), {trees.nodes.size(), size});
}

}  // namespace

void register_tree_arrays(nb::module_& m) {
    nb::class_<Tree> tree(m, "TreeArrays", "A tree: an entry per node in each array, siblings side by side.");
    bind_making(tree, &make_tree, std::make_index_sequence<std::size(tree_fields)>());
    tree.def("__getstate__",
             [](const nb::handle_t<Tree>& self) {
                 nb::list values;
                 for (const char* name : tree_fields) values.append(self.attr(name));
                 return nb::typed<nb::tuple, nb::any, nb::ellipsis>(nb::tuple(values));
             })
        .def_prop_ro("kind", [](const Tree& self) { return view_of(self.kind); })
        .def_prop_ro("feature", [](const Tree& self) { return view_of(self.feature); })
        .def_prop_ro("threshold", [](const Tree& self) { return view_of(self.threshold); })
        .def_prop_ro("first_child", [](const Tree& self) { return view_of(self.first_child); })
        .def_prop_ro("n_children", [](const Tree& self) { return view_of(self.n_children); })
        .def_prop_ro("missing_branch", [](const Tree& self) { return view_of(self.missing_branch); })
        .def_prop_ro("table_start", [](const Tree& self) { return view_of(self.table_start); })
        .def_prop_ro("tables", [](const Tree& self) { return view_of(self.tables); })
        .def_prop_ro("value", [](const Tree& self) { return view_of(self.value, self.width); })
        .def_prop_ro("weight", [](const Tree& self) { return view_of(self.weight); })
        .def_prop_ro("impurity", [](const Tree& self) { return view_of(self.impurity); })
        .def_prop_ro("gain", [](const Tree& self) { return view_of(self.gain); })
        .def_prop_ro(
            "linear_start", [](const Tree& self) { return to_numpy(LinearTerms(self).start); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "linear_feature", [](const Tree& self) { return to_numpy(LinearTerms(self).feature); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "linear_coef", [](const Tree& self) { return to_numpy(LinearTerms(self).coef); }, nb::rv_policy::automatic)
        .def_prop_ro("strict", [](const Tree& self) {
            return std::any_of(self.strict.begin(), self.strict.end(), [](std::uint8_t mark) { return mark != 0; });
        });

    using vaglio::Forest;
    nb::class_<Forest>(m, "ForestArrays", "The trees of a forest one after the other; a node has 16 bytes.")
        .def_prop_ro("nodes", [](const Forest& self) { return node_bytes(self); })
        .def_prop_ro("starts", [](const Forest& self) { return view_of(self.starts); })
        .def_prop_ro("tables", [](const Forest& self) { return view_of(self.tables); })
        .def_prop_ro("leaves", [](const Forest& self) { return view_of(self.leaves, self.leaf_width); })
        .def_prop_ro("importances", [](const Forest& self) {
            const std::size_t trees = self.starts.size() - 1;
            return View<double>(self.importances.data(), {trees, self.importances.size() / trees});
        });

    using vaglio::boosting::BoostedTrees;
    nb::class_<BoostedTrees>(m, "BoostedArrays", "Boosted trees one after the other; a node has 16 bytes.")
        .def_prop_ro("nodes", [](const BoostedTrees& self) { return node_bytes(self); })
        .def_prop_ro("starts", [](const BoostedTrees& self) { return view_of(self.starts); })
        .def_prop_ro("tables", [](const BoostedTrees& self) { return view_of(self.tables); })
        .def_prop_ro("leaves", [](const BoostedTrees& self) { return view_of(self.leaves, 2); })
        .def_prop_ro("gains", [](const BoostedTrees& self) { return view_of(self.gains); });
}
