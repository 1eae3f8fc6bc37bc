#include "optimal/gain.hpp"
#include "optimal/solve.hpp"
#include "records.hpp"
#include "tree_convert.hpp"

using vaglio::optimal::Limit;

VAGLIO_NAMED(Limit, "'', 'time', 'work'", {"", Limit::none}, {"time", Limit::time}, {"work", Limit::work})

namespace {

using vaglio::optimal::Cost;
using vaglio::optimal::Entry;

std::vector<Entry> entries_from(const Array1<std::uint32_t>& row, const Array1<std::uint32_t>& label,
                                const Array1<Cost>& gain, const Array1<Cost>& most, std::size_t rows,
                                std::size_t labels) {
    require(row.size() == label.size() && row.size() == gain.size() && row.size() == most.size(),
            "the arrays of gains differ in length");
    std::vector<Entry> entries;
    entries.reserve(row.size());
    constexpr Cost largest = vaglio::optimal::unbounded / 4;
    Cost sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Entry entry{row.data()[i], static_cast<std::uint16_t>(label.data()[i]), gain.data()[i], most.data()[i]};
        require(entry.row < rows && (i == 0 || entry.row >= entries.back().row), "gains must come row by row");
        require(label.data()[i] < labels, "a gain is for a label outside the classes");
        require(entry.gain >= 0 && entry.most >= 0 && entry.gain < largest && entry.most < largest,
                "a gain is outside of its range");
        sum += std::max(entry.gain, entry.most);
        require(sum < largest, "the gains are too large to sum up");
        entries.push_back(entry);
    }
    return entries;
}

vaglio::optimal::Optimum find_optimal_tree(const TreeTable& table, AnyArray y, std::size_t n_classes, Weight weight,
                                           const vaglio::tree::Tree& start, Array1<std::uint8_t> used,
                                           Array1<std::uint32_t> row, Array1<std::uint32_t> label, Array1<Cost> gain,
                                           Array1<Cost> most, std::uint32_t max_depth, std::uint32_t max_leaves,
                                           std::uint32_t set_values, Cost leaf_price, std::uint64_t work,
                                           double seconds, int n_threads, Progress progress) {
    vaglio::tree::TreeData data = table.data();
    set_target(data, y, n_classes, weight, std::nullopt);
    require(used.size() == data.features.size(), "one mark per feature is needed");
    require(max_leaves >= 1 && leaf_price >= 0, "a tree has at least one leaf, and its price is not negative");
    auto entries =
        entries_from(row, label, gain, most, data.rows, n_classes > 0 ? n_classes : vaglio::optimal::number_sums);
    auto problem = vaglio::optimal::make_problem(data, {used.data(), used.size()}, std::move(entries),
                                                 {max_depth, max_leaves, set_values, leaf_price});
    vaglio::tree::check_structure(start);
    return run_kernel(progress, [&](vaglio::Control& control) {
        return vaglio::optimal::find_optimum(data, std::move(problem), start, {work, seconds}, n_threads, control);
    });
}

}  // namespace

void register_optimal(nb::module_& m) {
    using vaglio::optimal::Optimum;
    nb::class_<Optimum>(m, "OptimalTree", "The best tree that a search has found, and what no tree can cost less than.")
        .def_ro("tree", &Optimum::tree)
        .def_ro("cost", &Optimum::cost, "Of the tree, leaves included.")
        .def_ro("lower", &Optimum::lower, "No tree costs less; the cost itself when the tree is proved optimal.")
        .def_ro("greedy", &Optimum::greedy, "Of the tree that the search started from.")
        .def_ro("limit", &Optimum::limit, "What ended the search before the proof.");
    m.def(
        "find_optimal_tree", &find_optimal_tree, nb::arg("table"), nb::arg("y"), nb::arg("n_classes"),
        nb::arg("weight").none(), nb::arg("start"), nb::arg("used"), nb::arg("row"), nb::arg("label"), nb::arg("gain"),
        nb::arg("most"), nb::arg("max_depth"), nb::arg("max_leaves"), nb::arg("set_values"), nb::arg("leaf_price"),
        nb::arg("work"), nb::arg("seconds"), nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
        "The tree of least cost within a depth and a number of leaves, and what no tree can cost less than. Of numbers "
        "(n_classes = 0) the labels are 0 for w, 1 for w·y and 2 for most − w·y².");
}
