#include "base/parallel.hpp"
#include "binned_convert.hpp"
#include "forest/bootstrap.hpp"
#include "forest/grow_binned.hpp"
#include "packed_forest.hpp"
#include "records.hpp"
#include "tree/binned/grow.hpp"
#include "tree/prune/prune.hpp"

namespace {

using Weight = std::optional<Array1<double>>;

auto bin_edges(Array1<double> values, std::uint32_t max_bins) {
    require(max_bins >= 2, "at least two bins are needed");
    auto edges = run_kernel(
        nb::none(),
        [&](vaglio::Control&) {
            return vaglio::tree::bin_edges({values.data(), values.data() + values.size()}, max_bins);
        },
        steps_of({values.size(), 16}));
    return std::make_tuple(to_numpy(std::move(edges.lowest)), to_numpy(std::move(edges.greatest)));
}

template <class Code>
AnyArray codes_of(const BinnedLayout& layout, std::size_t feature, const vaglio::tree::MatrixView& numeric,
                  const Columns2<std::int32_t>& codes, bool strict, std::size_t rows, int threads) {
    const auto [nominal, column] = layout.features[feature];
    std::vector<Code> found(rows);
    if (nominal) {
        nb::gil_scoped_release unlocked;
        const std::int32_t* from = codes.data() + static_cast<std::size_t>(column) * rows;
        const auto known = static_cast<std::int64_t>(layout.bins(feature));
        const bool fits = std::all_of(from, from + rows, [&](std::int32_t code) { return code < known; });
        require(fits, "a code is outside its column's categories");
        vaglio::code_categories(from, rows, layout.bins(feature), found.data());
    } else {
        constexpr std::size_t piece = 1 << 16;
        nb::gil_scoped_release unlocked;
        vaglio::parallel_for(threads, (rows + piece - 1) / piece, [&](std::size_t i, int) {
            vaglio::tree::bin_codes(numeric, column, layout.edges[column], strict, found.data(), i * piece,
                                    std::min(rows, (i + 1) * piece));
        });
    }
    return to_numpy(std::move(found));
}

nb::typed<nb::list, AnyArray> bin_rows(const BinnedLayout& layout, Strided2 numeric, Columns2<std::int32_t> codes,
                                       bool strict, int n_threads) {
    const vaglio::tree::MatrixView view{numeric.data(), numeric.shape(0), numeric.shape(1), numeric.stride(0),
                                        numeric.stride(1)};
    const std::size_t rows = std::max(numeric.shape(0), codes.shape(0));
    require(numeric.shape(1) == layout.edges.size() && codes.shape(1) == layout.categories.size(),
            "the table has other columns than its layout");
    nb::list columns;
    for (std::size_t f = 0; f < layout.features.size(); ++f) {
        require((layout.features[f].nominal ? codes.shape(0) : numeric.shape(0)) == rows,
                "numeric and nominal columns differ in their rows");
        const std::uint8_t bytes = vaglio::code_bytes(layout.bins(f));
        columns.append(bytes == 1   ? codes_of<std::uint8_t>(layout, f, view, codes, strict, rows, n_threads)
                       : bytes == 2 ? codes_of<std::uint16_t>(layout, f, view, codes, strict, rows, n_threads)
                                    : codes_of<std::uint32_t>(layout, f, view, codes, strict, rows, n_threads));
    }
    return columns;
}

void check_config(const vaglio::tree::TreeConfig& config, const vaglio::tree::BinnedTable& table) {
    require((table.layout.classes == 0) == (config.criterion == vaglio::tree::Criterion::squared_error),
            "squared_error is the criterion of regression, and of nothing else");
    require(config.monotonic.empty() || (config.monotonic.size() == table.columns.size() && table.layout.classes <= 2),
            "monotonic constraints need one sign per feature, and two classes or numbers");
    require(!config.oblique, "tests of several features need exact numbers");
    require(table.layout.rows > 0, "the table has no rows");
}

vaglio::tree::Tree grow_binned_tree(const BinnedLayout& layout, std::vector<CodeArray> columns, AnyArray y,
                                    std::size_t n_classes, Weight weight, const vaglio::tree::TreeConfig& config,
                                    const vaglio::tree::GrowthWeights& amounts, int n_threads, Progress progress) {
    const vaglio::tree::BinnedTable table = binned_table(layout, columns, y, n_classes, weight);
    check_config(config, table);
    vaglio::tree::BinnedSetting setting(table.layout, config, amounts, false);
    return run_kernel(
        progress,
        [&](vaglio::Control& control) {
            return vaglio::tree::grow_from_root(setting, table, vaglio::tree::all_rows(setting, table, {}), config.seed,
                                                n_threads, control);
        },
        steps_of({table.layout.rows, table.layout.rows, columns.size()}));
}

// Calls grow(table, plan, trees at a time) for the trees of a plan.
template <class Grow>
auto grow_plan(const BinnedLayout& layout, const std::vector<CodeArray>& columns, const AnyArray& y,
               std::size_t n_classes, const Weight& weight, const vaglio::tree::TreeConfig& config,
               const PlanArrays& trees, int at_once, const Progress& progress, Grow grow) {
    const vaglio::tree::BinnedTable table = binned_table(layout, columns, y, n_classes, weight);
    const vaglio::TreesPlan plan = plan_from(trees, columns.size());
    check_config(config, table);
    return run_kernel(progress, [&](vaglio::Control& control) { return grow(table, plan, at_once, control); });
}

std::vector<vaglio::tree::Tree> grow_binned_trees(const BinnedLayout& layout, std::vector<CodeArray> columns,
                                                  AnyArray y, std::size_t n_classes, Weight weight,
                                                  const vaglio::tree::TreeConfig& config,
                                                  const vaglio::tree::GrowthWeights& amounts, const PlanArrays& trees,
                                                  std::optional<int> beside, int n_threads, Progress progress) {
    return grow_plan(layout, columns, y, n_classes, weight, config, trees, beside.value_or(n_threads), progress,
                     [&](const auto& table, const auto& plan, int at_once, vaglio::Control& control) {
                         return vaglio::grow_binned_trees(table, config, plan, amounts, at_once, n_threads, control);
                     });
}

vaglio::Forest grow_binned_forest(const BinnedLayout& layout, std::vector<CodeArray> columns, AnyArray y,
                                  std::size_t n_classes, Weight weight, const vaglio::tree::TreeConfig& config,
                                  const vaglio::tree::GrowthWeights& amounts, const PlanArrays& trees,
                                  std::optional<int> beside, int n_threads, Progress progress) {
    check_forest(config);
    return grow_plan(layout, columns, y, n_classes, weight, config, trees, beside.value_or(n_threads), progress,
                     [&](const auto& table, const auto& plan, int at_once, vaglio::Control& control) {
                         return vaglio::grow_binned_forest(table, config, plan, amounts, at_once, n_threads, control);
                     });
}

PlanArrays plan_forest(std::size_t n_features, std::size_t n_trees, std::size_t draws, std::size_t features_per_tree,
                       std::uint64_t seed) {
    require(n_trees > 0 && n_features > 0, "a forest needs a tree and a feature");
    return arrays_of(vaglio::plan_forest(n_features, n_trees, draws, features_per_tree, seed));
}

PlanArrays with_blocks(const PlanArrays& plan, std::size_t rows, int n_threads) {
    PlanArrays drawn = plan;
    drawn.blocks.resize(plan.bags.size());
    const nb::gil_scoped_release unlocked;
    vaglio::parallel_for(n_threads, drawn.blocks.size(), [&](std::size_t t, int) {
        drawn.blocks[t] = vaglio::draw_blocks(plan.bags[t], rows, plan.draws);
    });
    return drawn;
}

vaglio::tree::Tree prune_counts(const vaglio::tree::Tree& tree, const vaglio::tree::TreeConfig& config) {
    vaglio::tree::check_structure(tree);
    return run_kernel(nb::none(), [&](vaglio::Control& control) {
        if (config.pruning == vaglio::tree::Pruning::pessimistic)
            return vaglio::tree::prune_pessimistic(tree, config.epsilon);
        return vaglio::tree::prune_error_based(tree, {}, config.criterion, config.confidence, false, 1, control);
    });
}

}  // namespace

void register_binned(nb::module_& m) {
    nb::class_<BinnedLayout>(m, "BinnedLayout", "Features, categories and bins of a table, without its rows.")
        .def(
            "__init__",
            [](BinnedLayout* self, Array1<std::uint8_t> nominal, Array1<std::uint32_t> column,
               Array1<std::uint32_t> n_categories, std::vector<std::tuple<Array1<double>, Array1<double>>> edges) {
                BinnedLayout layout{features_from(nominal, column),
                                    {n_categories.data(), n_categories.data() + n_categories.size()},
                                    {}};
                for (const auto& [lowest, greatest] : edges) {
                    require(lowest.size() == greatest.size(), "a bin has a least and a greatest value");
                    layout.edges.push_back({{lowest.data(), lowest.data() + lowest.size()},
                                            {greatest.data(), greatest.data() + greatest.size()}});
                }
                for (const auto& f : layout.features)
                    require(f.column < (f.nominal ? layout.categories.size() : layout.edges.size()),
                            "a feature names a column that is not there");
                new (self) BinnedLayout(std::move(layout));
            },
            nb::arg("nominal"), nb::arg("column"), nb::arg("n_categories"), nb::arg("edges"));
    m.def("bin_edges", &bin_edges, nb::arg("values").noconvert(), nb::arg("max_bins"),
          "The least and the greatest value of each bin; one bin per value where these are few.");
    m.def("bin_rows", &bin_rows, nb::arg("layout"), nb::arg("numeric").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("strict") = false, nb::arg("n_threads") = 1,
          "The bin or category of every row, feature by feature; the last code is a missing value.");
    m.def("grow_binned_tree", &grow_binned_tree, nb::arg("layout"), nb::arg("columns"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight") = nb::none(), nb::arg("config") = vaglio::tree::TreeConfig(),
          nb::kw_only(), nb::arg("amounts"), nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
          "Grows one tree on bins; returns its arrays.");
    m.def("grow_binned_trees", &grow_binned_trees, nb::arg("layout"), nb::arg("columns"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight") = nb::none(), nb::arg("config") = vaglio::tree::TreeConfig(),
          nb::kw_only(), nb::arg("amounts"), nb::arg("trees"), nb::arg("beside") = nb::none(), nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(), "Grows the trees of a plan on bins, at most `beside` at a time.");
    m.def("grow_binned_forest", &grow_binned_forest, nb::arg("layout"), nb::arg("columns"), nb::arg("y"),
          nb::arg("n_classes"), nb::arg("weight") = nb::none(), nb::arg("config") = vaglio::tree::TreeConfig(),
          nb::kw_only(), nb::arg("amounts"), nb::arg("trees"), nb::arg("beside") = nb::none(), nb::arg("n_threads") = 1,
          nb::arg("progress") = nb::none(), "The same, joined to a forest.");
    bind_record<PlanArrays>(m, "TreesPlan", "Rows, features and random numbers of trees that are grown together.",
                            SAME(draws), SAME(hash_seed), SAME(seeds), SAME(bags), SAME(first_out), SAME(last_out),
                            SAME(features), SAME(blocks))
        .def("with_blocks", &with_blocks, nb::arg("rows"), nb::arg("n_threads") = 1,
             "The plan with the number of rows that each tree draws from each block of rows.");
    m.def("plan_forest", &plan_forest, nb::arg("n_features"), nb::arg("n_trees"), nb::arg("draws"),
          nb::arg("features_per_tree"), nb::arg("seed"), "The plan of the trees of a forest.");
    m.def("prune_counts", &prune_counts, nb::arg("tree"), nb::arg("config"),
          "Prunes as the config says, by the class weights in the nodes alone.");
}
