#include <nanobind/stl/unique_ptr.h>

#include "base/parallel.hpp"
#include "boosting/trainer_convert.hpp"
#include "tree_convert.hpp"

namespace {

namespace boosting = vaglio::boosting;

std::unique_ptr<boosting::BinnedTable> bin_table(const Strided2& numeric, const Columns2<std::int32_t>& codes,
                                                 const Array1<std::uint8_t>& nominal,
                                                 const Array1<std::uint32_t>& column,
                                                 const Array1<std::uint32_t>& n_categories, std::uint32_t max_bins,
                                                 std::uint64_t seed, int n_threads,
                                                 const std::optional<Array1<std::uint32_t>>& among,
                                                 const std::optional<Array1<double>>& weight) {
    const boosting::RawTable raw = raw_table(numeric, codes, nominal, column, n_categories);
    require(max_bins >= 2 && max_bins < boosting::BinnedTable::most_bins, "the number of bins is out of range");
    std::span<const std::uint32_t> rows;
    if (among) rows = {among->data(), among->size()};
    require(std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return row < raw.rows; }),
            "the bins are to be found among rows that are not there");
    require(!weight || weight->size() == raw.rows, "one weight per row is needed");
    const double* weights = weight ? weight->data() : nullptr;
    return run_kernel(nb::none(), [&](vaglio::Control&) {
        return std::make_unique<boosting::BinnedTable>(raw, max_bins, seed, n_threads, rows, weights);
    });
}

// The trainer and the arrays it reads.
struct BoostingTrainer {
    Array1<double> y;
    std::optional<Array1<double>> weight;
    std::unique_ptr<boosting::Trainer> trainer;

    BoostingTrainer(const boosting::BinnedTable& table, const std::string& loss, Array1<double> targets,
                    std::size_t outputs, std::optional<Array1<double>> weights, const Array1<std::uint32_t>& training,
                    const Array1<std::uint32_t>& validation, const boosting::TrainerConfig& config, double quantile,
                    std::optional<Array2<double>> start, std::size_t first_round)
        : y(std::move(targets)), weight(std::move(weights)) {
        boosting::Target target;
        target.loss = loss_from(loss);
        target.quantile = quantile;
        target.rows = table.rows();
        target.outputs = outputs;
        target.y = y.data();
        target.weight = weight ? weight->data() : nullptr;
        require(y.size() == target.rows, "y and the table differ in their rows");
        require(!weight || weight->size() == target.rows, "weight and the table differ in their rows");
        require(outputs >= 1 && (outputs == 1 || target.loss == boosting::LossKind::multinomial),
                "only the multinomial loss has several outputs");
        require(training.size() > 0, "boosting needs a training row");
        if (target.loss == boosting::LossKind::multinomial) {
            require(std::all_of(y.data(), y.data() + y.size(),
                                [&](double code) { return code >= 0 && code < static_cast<double>(outputs); }),
                    "a label is outside the classes");
        }
        std::vector<double> raw;
        if (start) {
            require(start->shape(0) == outputs && start->shape(1) == target.rows, "the start has another shape");
            raw.assign(start->data(), start->data() + start->size());
        }
        trainer = std::make_unique<boosting::Trainer>(
            table, target, row_list(training, target.rows), row_list(validation, target.rows),
            checked(config, table.features().size()), std::move(raw), first_round);
    }
};

// Several trainers, each for so many rounds, on threads of their own.
void advance_together(const std::vector<BoostingTrainer*>& trainers, std::size_t rounds, int n_threads) {
    run_kernel(nb::none(), [&](vaglio::Control& control) {
        vaglio::parallel_for(n_threads, trainers.size(),
                             [&](std::size_t i, int) { trainers[i]->trainer->advance(rounds, control); });
        return true;
    });
}

}  // namespace

void register_boosting(nb::module_& m) {
    nb::class_<boosting::BinnedTable>(m, "BinnedTable", "A training table whose numbers are replaced by bins.")
        .def_prop_ro("n_rows", &boosting::BinnedTable::rows)
        .def_prop_ro(
            "thresholds",
            [](const boosting::BinnedTable& self) {
                std::vector<NumPy<double>> found;
                for (const auto& feature : self.features()) found.push_back(copied(feature.thresholds));
                return found;
            },
            nb::rv_policy::automatic)
        .def(
            "bins",
            [](const boosting::BinnedTable& self, std::size_t feature) {
                require(feature < self.features().size(), "there is no such feature");
                std::vector<std::uint32_t> bins(self.rows());
                for (std::size_t i = 0; i < bins.size(); ++i) bins[i] = self.column(feature).at(i);
                return to_numpy(std::move(bins));
            },
            nb::arg("feature"), "The bin of every row; the last number is that of missing values.");
    m.def("bin_table", &bin_table, nb::arg("numeric"), nb::arg("codes"), nb::arg("nominal"), nb::arg("column"),
          nb::arg("n_categories"), nb::arg("max_bins"), nb::arg("seed") = 0, nb::arg("n_threads") = 1,
          nb::arg("among") = nb::none(), nb::arg("weight") = nb::none(),
          "Finds the bins of all columns; with `among`, by these rows alone; with `weight`, by weight.");
    nb::class_<BoostingTrainer>(m, "BoostingTrainer", "Trees added round by round.")
        .def(nb::init<const boosting::BinnedTable&, const std::string&, Array1<double>, std::size_t,
                      std::optional<Array1<double>>, const Array1<std::uint32_t>&, const Array1<std::uint32_t>&,
                      const boosting::TrainerConfig&, double, std::optional<Array2<double>>, std::size_t>(),
             nb::arg("table"), nb::arg("loss"), nb::arg("y"), nb::arg("n_outputs"), nb::arg("weight").none(),
             nb::arg("training"), nb::arg("validation"), nb::arg("config"), nb::arg("quantile") = 0.5,
             nb::arg("start") = nb::none(), nb::arg("first_round") = 0, nb::keep_alive<1, 2>())
        .def(
            "advance",
            [](BoostingTrainer& self, std::size_t rounds, Progress progress) {
                run_kernel(progress, [&](vaglio::Control& control) {
                    control.expect(rounds);
                    self.trainer->advance(rounds, control);
                    return true;
                });
            },
            nb::arg("rounds"), nb::arg("progress") = nb::none(), "Adds so many rounds.")
        .def(
            "trees", [](const BoostingTrainer& self) { return boosting::BoostedTrees(self.trainer->trees()); },
            "The arrays of all trees so far.")
        .def_prop_ro(
            "baseline", [](const BoostingTrainer& self) { return copied(self.trainer->baseline()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "raw",
            [](const BoostingTrainer& self) {
                const boosting::Target& target = self.trainer->target();
                return copied(self.trainer->raw(), {target.outputs, target.rows});
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "training_losses", [](const BoostingTrainer& self) { return copied(self.trainer->training_losses()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "validation_losses", [](const BoostingTrainer& self) { return copied(self.trainer->validation_losses()); },
            nb::rv_policy::automatic);
    m.def("advance_together", &advance_together, nb::arg("trainers"), nb::arg("rounds"), nb::arg("n_threads") = 1,
          "Several trainers, each for so many rounds, on threads of their own.");
}
