// Boosting in passes: what is done with a part of the rows, and the trainer that asks for it.
#include <nanobind/stl/unique_ptr.h>

#include <cstring>

#include "../records.hpp"
#include "boosting/passes/pass_trainer.hpp"
#include "passes_convert.hpp"
#include "trainer_convert.hpp"

namespace {

using boosting::FlatTrees;
using boosting::GradientSums;
using Blocks = std::vector<Array2<std::uint8_t>>;

auto make_blocks(const BoostingLayout& layout, const Strided2& numeric, const Columns2<std::int32_t>& codes,
                 const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column,
                 const Array1<std::uint32_t>& n_categories) {
    const auto table = binned_part(layout, numeric, codes, nominal, column, n_categories);
    std::vector<NumPy<std::uint8_t>> blocks;
    for (const boosting::BinBlock& block : table->blocks()) {
        std::vector<std::uint8_t> rows(block.rows.begin(), block.rows.end());
        blocks.push_back(to_numpy(std::move(rows), {table->rows(), block.stride}));
    }
    return blocks;
}

// A part of the rows, with the arrays it reads.
struct BoostingPart {
    Blocks blocks;
    Array1<double> y;
    std::optional<Array1<double>> weight;
    Array2<double> raw;
    std::optional<Array1<std::uint8_t>> held;
    std::unique_ptr<boosting::BinnedTable> table;
    std::unique_ptr<boosting::PartOfRows> part;

    BoostingPart(const BoostingLayout& layout, Blocks rows, const std::string& loss, Array1<double> targets,
                 std::optional<Array1<double>> weights, Array2<double> scores, std::uint64_t start,
                 std::optional<Array1<std::uint8_t>> watched)
        : blocks(std::move(rows)),
          y(std::move(targets)),
          weight(std::move(weights)),
          raw(std::move(scores)),
          held(std::move(watched)) {
        boosting::Target target = target_of(loss, raw.shape(0));
        target.rows = y.size();
        target.y = y.data();
        target.weight = weight ? weight->data() : nullptr;
        target.raw = raw.data();
        require(raw.shape(1) == target.rows, "scores and targets differ in their rows");
        require(!weight || weight->size() == target.rows, "weights and targets differ in their rows");
        require(!held || held->size() == target.rows, "marks and targets differ in their rows");
        if (target.loss == boosting::LossKind::multinomial) {
            const auto classes = static_cast<double>(target.outputs);
            require(std::all_of(y.data(), y.data() + y.size(), [&](double c) { return c >= 0 && c < classes; }),
                    "a label is outside the classes");
        }
        std::vector<const std::uint8_t*> lent;
        for (const auto& block : blocks) lent.push_back(block.data());
        table = std::make_unique<boosting::BinnedTable>(features_from_layout(layout), target.rows, lent);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            require(b < table->blocks().size() && blocks[b].shape(0) == target.rows &&
                        blocks[b].shape(1) == table->blocks()[b].stride,
                    "a block has another shape than the layout");
        }
        part = std::make_unique<boosting::PartOfRows>(
            boosting::PartOfRows{*table, target, start, held ? held->data() : nullptr});
    }

    // The trees, checked against the rows.
    const FlatTrees& whole(const FlatTrees& trees) const {
        require(blocks.size() == table->blocks().size(), "the part has no rows as bins");
        trees.check(table->features());
        for (const std::int64_t output : trees.output) {
            require(static_cast<std::size_t>(output) + trees.outputs <= part->target.outputs, "no such output");
        }
        return trees;
    }
};

using Draw = std::tuple<std::uint64_t, std::uint64_t, double>;
using Bounds = std::tuple<std::size_t, double, double>;  // rows of the table, largest derivatives

boosting::RoundDraw draw_from(const Draw& draw) { return {std::get<0>(draw), std::get<1>(draw), std::get<2>(draw)}; }

boosting::FixedPoint unit_from(const BoostingPart& self, const Bounds& bounds) {
    const auto [rows, gradient, hessian] = bounds;
    return boosting::units_of(rows, {gradient, hessian}, self.part->target.constant_hessian());
}

auto sum_nodes(const BoostingPart& self, const FlatTrees& trees, const Draw& draw, const Bounds& bounds) {
    const FlatTrees& found = self.whole(trees);
    const boosting::NodeSums sums = run_kernel(nb::none(), [&](vaglio::Control&) {
        return boosting::sum_nodes(found, *self.part, draw_from(draw), unit_from(self, bounds));
    });
    return std::make_tuple(pairs_to_numpy(sums.sums), pairs_to_numpy(sums.squares));
}

auto sum_leaves(const BoostingPart& self, const FlatTrees& trees, const Draw& draw, const Bounds& bounds) {
    const FlatTrees& found = self.whole(trees);
    boosting::LeafSums sums = run_kernel(nb::none(), [&](vaglio::Control&) {
        return boosting::sum_leaves(found, *self.part, draw_from(draw), unit_from(self, bounds));
    });
    return std::make_tuple(pairs_to_numpy(sums.sums), to_numpy(std::move(sums.weights)));
}

auto add_trees(const BoostingPart& self, const FlatTrees& trees) {
    const FlatTrees& found = self.whole(trees);
    require(!found.values.empty(), "the trees have no values");
    std::vector<double> raw =
        run_kernel(nb::none(), [&](vaglio::Control&) { return boosting::add_trees(found, *self.part); });
    return to_numpy(std::move(raw), {self.part->target.outputs, self.part->target.rows});
}

auto losses(const BoostingPart& self) {
    const boosting::PartLosses sums =
        run_kernel(nb::none(), [&](vaglio::Control&) { return boosting::sum_losses(*self.part); });
    const boosting::LossSum &own = sums.training, &watched = sums.watched;
    return std::make_tuple(limbs_to_numpy({&own.loss, &own.weight, &watched.loss, &watched.weight}),
                           static_cast<int>(own.beyond), static_cast<int>(watched.beyond));
}

auto baseline_sums(const BoostingPart& self, double least) {
    const boosting::BaselineSums sums = boosting::sum_baseline(*self.part, least);
    std::vector<std::int64_t> limbs(sums.total.parts().begin(), sums.total.parts().end());
    for (const auto& sum : sums.sums) limbs.insert(limbs.end(), sum.parts().begin(), sum.parts().end());
    const std::vector<std::size_t> shape{1 + sums.sums.size(), vaglio::ExactSum::limbs};
    return std::make_tuple(to_numpy(std::move(limbs), shape), static_cast<int>(sums.beyond));
}

auto baseline_of(const std::string& loss, std::size_t outputs, const Array2<std::int64_t>& limbs, bool beyond,
                 double least) {
    boosting::BaselineSums sums(target_of(loss, outputs));
    require(limbs.shape(0) == 1 + sums.sums.size() && limbs.shape(1) == vaglio::ExactSum::limbs,
            "the sums have another shape");
    const auto sum = [&](std::size_t i) { return sum_from(limbs, i); };
    sums.total = sum(0);
    for (std::size_t k = 0; k < sums.sums.size(); ++k) sums.sums[k] = sum(k + 1);
    sums.beyond = beyond;
    return copied(sums.baseline(least));
}

std::unique_ptr<boosting::PassTrainer> make_trainer(const BoostingLayout& layout, const std::string& loss,
                                                    std::size_t outputs, bool weighted, std::size_t rows,
                                                    const boosting::TrainerConfig& config) {
    std::vector<boosting::BinnedFeature> features = features_from_layout(layout);
    const std::size_t count = features.size();
    return std::make_unique<boosting::PassTrainer>(std::move(features), target_of(loss, outputs), weighted, rows,
                                                   checked(config, count));
}

void take_sums(boosting::PassTrainer& self, const Array2<std::int64_t>& sums, const Array2<std::int64_t>& squares) {
    const auto own = pairs_from<GradientSums>(sums);
    const auto own_squares = pairs_from<boosting::SquareSum>(squares);
    require(self.fits(own.size(), own_squares.size()), "the sums have another shape than what was asked for");
    run_kernel(nb::none(), [&](vaglio::Control&) {
        self.take(own, own_squares);
        return true;
    });
}

void take_leaves(boosting::PassTrainer& self, const Array2<std::int64_t>& sums, const Array1<double>& weights) {
    boosting::LeafSums found{pairs_from<GradientSums>(sums), {weights.data(), weights.data() + weights.size()}};
    require(self.fits_leaves(found.sums.size(), found.weights.size()), "the sums are not those of the leaves");
    self.take_leaves(found);
}

}  // namespace

void register_boosting_passes(nb::module_& m) {
    bind_record<FlatTrees>(m, "FlatTrees", "Trees of one round, with slots for the nodes whose sums are wanted.",
                           SAME(outputs), SAME(start), SAME(output), SAME(feature), SAME(first_child), SAME(bin),
                           SAME(missing_right), SAME(right_start), SAME(slot), SAME(values), SAME(right));
    bind_record<BoostingLayout>(m, "BoostingLayout", "The bins of all features.", SAME(nominal), SAME(bins),
                                SAME(missing), SAME(thresholds));
    m.def(
        "rows_for_bins",
        [](std::size_t rows, std::uint64_t seed) { return copied(boosting::rows_for_bins(rows, {}, seed)); },
        nb::arg("rows"), nb::arg("seed"), "The rows that decide where the bins of boosting end.");
    m.def("boosting_blocks", &make_blocks, nb::arg("layout"), nb::arg("numeric"), nb::arg("codes"), nb::arg("nominal"),
          nb::arg("column"), nb::arg("n_categories"), "Rows as bins, a few features side by side.");
    m.def("boosting_baseline", &baseline_of, nb::arg("loss"), nb::arg("n_outputs"), nb::arg("sums"), nb::arg("beyond"),
          nb::arg("least"), "Where boosting starts, from the sums of all rows.");
    nb::class_<BoostingPart>(m, "BoostingPart", "A part of the rows of boosting.")
        .def(nb::init<const BoostingLayout&, Blocks, const std::string&, Array1<double>, std::optional<Array1<double>>,
                      Array2<double>, std::uint64_t, std::optional<Array1<std::uint8_t>>>(),
             nb::arg("layout"), nb::arg("blocks"), nb::arg("loss"), nb::arg("y"), nb::arg("weight").none(),
             nb::arg("raw"), nb::arg("start"), nb::arg("held").none())
        .def("sum_nodes", &sum_nodes, nb::arg("trees"), nb::arg("draw"), nb::arg("bounds"))
        .def("sum_leaves", &sum_leaves, nb::arg("trees"), nb::arg("draw"), nb::arg("bounds"))
        .def("add_trees", &add_trees, nb::arg("trees"))
        .def("losses", &losses)
        .def("bounds",
             [](const BoostingPart& self) {
                 const boosting::Derivatives found = boosting::derivative_bounds(self.part->target, 1);
                 return std::make_tuple(found.gradient, found.hessian);
             })
        .def("baseline_sums", &baseline_sums, nb::arg("least"));
    nb::class_<boosting::PassTrainer>(m, "BoostingPasses", "Trees added round by round, by sums of rows elsewhere.")
        .def(nb::new_(&make_trainer), nb::arg("layout"), nb::arg("loss"), nb::arg("n_outputs"), nb::arg("weighted"),
             nb::arg("rows"), nb::arg("config"))
        .def(
            "begin_round",
            [](boosting::PassTrainer& self, const std::vector<double>& start, double gradient, double hessian) {
                self.begin_round(start, {gradient, hessian});
            },
            nb::arg("start"), nb::arg("gradient"), nb::arg("hessian"))
        .def("growing", &boosting::PassTrainer::growing)
        .def(
            "ask", [](boosting::PassTrainer& self, std::size_t most_sums) { return self.ask(most_sums); },
            nb::arg("most_sums"), "Trees as they are, with slots for the nodes whose sums are wanted.")
        .def("take", &take_sums, nb::arg("sums"), nb::arg("squares"))
        .def("wants_leaves", &boosting::PassTrainer::wants_leaves)
        .def("grown", [](boosting::PassTrainer& self) { return self.grown(); })
        .def("take_leaves", &take_leaves, nb::arg("sums"), nb::arg("weights"))
        .def("finish_round", [](boosting::PassTrainer& self) { return self.finish_round(); })
        .def_prop_ro("share", &boosting::PassTrainer::share, "The share of the rows that this round draws.")
        .def("trees", [](const boosting::PassTrainer& self) { return boosting::BoostedTrees(self.trees()); });
}
