// Trees that grow in passes: the grower that holds them, and what is done with a part of the rows.
#include <algorithm>

#include "binned_convert.hpp"
#include "forest/joining.hpp"
#include "packed_forest.hpp"
#include "records.hpp"
#include "tree/binned/levels.hpp"

namespace {

using vaglio::tree::Frontier;
using Weight = std::optional<Array1<double>>;

// What the sums of a part depend on besides its rows.
struct TableGrowth {
    std::uint64_t rows = 0;  // of the whole table
    bool weighted = false;
    std::optional<PlanArrays> trees;    // none: one tree of all rows
    std::vector<std::uint8_t> squares;  // per feature: whether squares are summed
};

// A part of a table, as the functions below take it.
struct Part {
    vaglio::tree::BinnedTable table;
    std::span<const std::uint8_t> squares;
    std::uint64_t start, all_rows;
    vaglio::TreesPlan plan;
    bool weighted;

    vaglio::tree::PartOfTable view() const { return {table, start, all_rows, plan, weighted, squares}; }
};

Part part_from(const BinnedLayout& layout, const std::vector<CodeArray>& columns, const AnyArray& y,
               std::size_t n_classes, const Weight& weight, std::uint64_t start, const TableGrowth& growth) {
    Part part{binned_table(layout, columns, y, n_classes, weight), growth.squares, start, growth.rows,
              plan_or_one_tree(growth.trees, columns.size(), 0),   growth.weighted};
    require(part.squares.size() == columns.size(), "one mark of squares per feature is needed");
    require(start + part.table.layout.rows <= part.all_rows, "the part reaches beyond the table");
    return part;
}

auto sum_part(const Frontier& frontier, const BinnedLayout& layout, std::vector<CodeArray> columns, AnyArray y,
              std::size_t n_classes, Weight weight, std::uint64_t start, const TableGrowth& growth,
              const vaglio::tree::GrowthWeights& amounts) {
    const Part part = part_from(layout, columns, y, n_classes, weight, start, growth);
    const vaglio::tree::WeightSummary rounding(amounts.bounds);
    return to_numpy(run_kernel(
        nb::none(), [&](vaglio::Control&) { return vaglio::tree::sum_frontier(frontier, part.view(), rounding); }));
}

auto gather_part(const Frontier& frontier, const BinnedLayout& layout, std::vector<CodeArray> columns, AnyArray y,
                 std::size_t n_classes, Weight weight, std::uint64_t start, const TableGrowth& growth,
                 const vaglio::tree::GrowthWeights& amounts) {
    const Part part = part_from(layout, columns, y, n_classes, weight, start, growth);
    const vaglio::tree::WeightSummary rounding(amounts.bounds);
    auto rows = run_kernel(
        nb::none(), [&](vaglio::Control&) { return vaglio::tree::gather_frontier(frontier, part.view(), rounding); });
    return std::make_tuple(to_numpy(std::move(rows.start)), to_numpy(std::move(rows.row)),
                           to_numpy(std::move(rows.weight)), to_numpy(std::move(rows.count)));
}

// The grower with the layout that it reads.
struct Levels {
    BinnedLayout layout;
    vaglio::tree::TreeData data;
    std::size_t classes;
    vaglio::TreesPlan plan;
    std::unique_ptr<vaglio::tree::LevelGrower> grower;
};

Levels* make_levels(const BinnedLayout& layout, std::size_t n_classes, const vaglio::tree::TreeConfig& config,
                    const vaglio::tree::GrowthWeights& amounts, const std::optional<PlanArrays>& trees) {
    auto levels = std::make_unique<Levels>();
    levels->layout = layout;
    levels->classes = n_classes;
    levels->data = levels->layout.data();
    levels->data.classes = n_classes;
    require(config.max_leaf_nodes == 0, "the best splits cannot be made first in passes");
    levels->plan = plan_or_one_tree(trees, layout.features.size(), config.seed);
    levels->grower = std::make_unique<vaglio::tree::LevelGrower>(levels->data, config, amounts, levels->plan);
    return levels.release();
}

void take_rows(Levels& self, Array1<std::int64_t> starts, std::vector<CodeArray> columns, AnyArray y, Weight weights,
               Weight counts, std::optional<Array1<std::uint16_t>> drawn, int n_threads) {
    vaglio::tree::BinnedTable table = binned_table(self.layout, columns, y, self.classes, std::nullopt);
    for (const Weight* each : {&weights, &counts})
        require(!*each || (*each)->size() == table.layout.rows, "weights and rows differ in their number");
    require(!drawn || drawn->size() == table.layout.rows, "counts and rows differ in their number");
    const auto ends = span_of(starts);
    require(ends.size() == self.grower->asked() + 1 && std::is_sorted(ends.begin(), ends.end()) && ends.front() == 0 &&
                static_cast<std::size_t>(ends.back()) == table.layout.rows,
            "every open node needs its rows");
    const auto span = [](const Weight& given) { return given ? span_of(*given) : std::span<const double>(); };
    const vaglio::tree::RowsGiven given{drawn ? span_of(*drawn) : std::span<const std::uint16_t>(), span(weights),
                                        span(counts)};
    run_kernel(nb::none(), [&](vaglio::Control& control) {
        self.grower->take_rows(ends, table, given, n_threads, control);
        return true;
    });
}

vaglio::Forest take_forest(Levels& self) {
    const std::vector<vaglio::tree::Tree> trees = self.grower->take_trees();
    std::vector<vaglio::CompactTree> compact;
    for (std::size_t t = 0; t < trees.size(); ++t)
        compact.push_back(vaglio::compact_of(trees[t], self.plan.trees[t].features, self.data, self.classes == 0));
    return vaglio::join_trees(compact, self.data);
}

}  // namespace

void register_levels(nb::module_& m) {
    bind_record<Frontier>(m, "Frontier", "Trees under way, and the nodes whose sums or rows are asked for.",
                          SAME(cells), SAME(tree_start), SAME(tree_number), SAME(feature), SAME(first_child),
                          SAME(missing), SAME(last_left), SAME(table_start), SAME(share_start), SAME(n_children),
                          SAME(slot), SAME(branches), SAME(shares), SAME(feature_start), SAME(features), SAME(offset),
                          SAME(totals));
    bind_record<TableGrowth>(m, "TableGrowth", "What the sums of a part depend on besides its rows.", SAME(rows),
                             SAME(weighted), SAME(trees), SAME(squares));
    m.def("sum_part", &sum_part, nb::arg("frontier"), nb::arg("layout"), nb::arg("columns"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight"), nb::arg("start"), nb::arg("growth"), nb::arg("amounts"),
          "What some rows add to the sums of open nodes.");
    m.def("gather_part", &gather_part, nb::arg("frontier"), nb::arg("layout"), nb::arg("columns"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight"), nb::arg("start"), nb::arg("growth"), nb::arg("amounts"),
          "Where the rows of each open node begin; and row, weight and count of them.");
    nb::class_<Levels>(m, "LevelGrower", "Trees that grow level by level from sums of the rows.")
        .def(nb::new_(&make_levels), nb::arg("layout"), nb::arg("n_classes"), nb::arg("config"), nb::arg("amounts"),
             nb::arg("trees") = nb::none())
        .def("done", [](const Levels& self) { return self.grower->done(); })
        .def("squares",
             [](const Levels& self) {
                 std::vector<std::uint8_t> marks = self.grower->squares();
                 return to_numpy(std::move(marks));
             })
        .def(
            "ask_sums",
            [](Levels& self, std::size_t most_cells, double most_rows) {
                return self.grower->ask_sums({most_cells, most_rows});
            },
            nb::arg("most_cells"), nb::arg("most_rows"))
        .def(
            "take_sums",
            [](Levels& self, Array1<double> sums) {
                run_kernel(nb::none(), [&](vaglio::Control&) {
                    self.grower->take_sums(span_of(sums));
                    return true;
                });
            },
            nb::arg("sums"))
        .def(
            "ask_rows",
            [](Levels& self, std::size_t most_cells, double most_rows) {
                return self.grower->ask_rows({most_cells, most_rows});
            },
            nb::arg("most_cells"), nb::arg("most_rows"))
        .def("take_rows", &take_rows, nb::arg("starts"), nb::arg("columns"), nb::arg("y"),
             nb::arg("weights") = nb::none(), nb::arg("counts") = nb::none(), nb::arg("drawn") = nb::none(),
             nb::arg("n_threads") = 1)
        .def("take_trees", [](Levels& self) { return self.grower->take_trees(); })
        .def("take_forest", &take_forest, "The trees, joined to a forest.");
}
