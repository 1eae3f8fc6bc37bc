#include <memory>

#include "additive_convert.hpp"

namespace {

// The trainer and the arrays it reads.
struct AdditiveTrainer {
    const boosting::BinnedTable& table;
    Array1<double> y;
    std::optional<Array1<double>> weight;
    std::unique_ptr<additive::Trainer> trainer;

    AdditiveTrainer(const boosting::BinnedTable& binned, const std::string& loss, Array1<double> targets,
                    std::size_t outputs, std::optional<Array1<double>> weights, const Array2<std::uint8_t>& held,
                    const additive::BagConfig& config, int n_threads)
        : table(binned), y(std::move(targets)), weight(std::move(weights)) {
        boosting::Target target;
        target.loss = loss_from(loss);
        target.rows = table.rows();
        target.outputs = outputs;
        target.y = y.data();
        target.weight = weight ? weight->data() : nullptr;
        require(!target.leaf_quantiles(), "an additive model has no loss of quantiles");
        require(y.size() == target.rows, "y and the table differ in their rows");
        require(!weight || weight->size() == target.rows, "weight and the table differ in their rows");
        require(held.shape(0) >= 1 && held.shape(1) == target.rows, "one mark per bag and row is needed");
        const bool multinomial = target.loss == boosting::LossKind::multinomial;
        require(outputs >= 1 && (outputs == 1 || multinomial), "only the multinomial loss has several outputs");
        const auto known = [&](double code) { return code >= 0 && code < static_cast<double>(outputs); };
        require(!multinomial || std::all_of(y.data(), y.data() + y.size(), known), "a label is outside the classes");
        for (std::size_t b = 0; b < held.shape(0); ++b) {
            const std::uint8_t* first = held.data() + b * target.rows;
            require(std::any_of(first, first + target.rows, [](std::uint8_t mark) { return mark == 0; }),
                    "a bag has no row to learn from");
        }
        trainer = std::make_unique<additive::Trainer>(table, target, held.data(), held.shape(0),
                                                      checked(config, table.features().size()), n_threads);
    }

    void set_coarse(const SlotsOfBins& slots) {
        trainer->set_coarse(slots_from(slots, table.features()));
        has_coarse = true;
    }

    std::vector<additive::Pair> pairs_of(const Array2<std::uint32_t>& pairs) const {
        require(has_coarse, "pairs need set_coarse first");
        return pairs_from_array(pairs, table.features().size());
    }

    bool has_coarse = false;
};

auto boosted(AdditiveTrainer& self, const additive::StoppingConfig& stopping, Progress progress) {
    check(stopping);
    return copied(
        run_kernel(progress, [&](vaglio::Control& control) { return self.trainer->boost(stopping, control); }));
}

}  // namespace

void register_additive(nb::module_& m) {
    m.def(
        "additive_together",
        [](double learning_rate, std::size_t most) {
            require(learning_rate > 0 && most > 0, "the learning rate must be positive");
            return std::make_tuple(additive::steps_together(learning_rate, most),
                                   additive::terms_together(learning_rate, most));
        },
        nb::arg("learning_rate"), nb::arg("most_steps"),
        "Steps that a term takes by the same sums, and terms that step by the same gradients.");
    nb::class_<AdditiveTrainer>(m, "AdditiveTrainer", "One table of scores per feature and pair, bagged.")
        .def(nb::init<const boosting::BinnedTable&, const std::string&, Array1<double>, std::size_t,
                      std::optional<Array1<double>>, const Array2<std::uint8_t>&, const additive::BagConfig&, int>(),
             nb::arg("table"), nb::arg("loss"), nb::arg("y"), nb::arg("n_outputs"), nb::arg("weight").none(),
             nb::arg("held"), nb::arg("config"), nb::arg("n_threads") = 1, nb::keep_alive<1, 2>())
        .def("boost", &boosted, nb::arg("stopping"), nb::arg("progress") = nb::none(),
             "Rounds of the terms that are open; returns the losses of the rows kept out.")
        .def("set_coarse", &AdditiveTrainer::set_coarse, nb::arg("slots"), "The slot of each bin, for pairs.")
        .def(
            "screen",
            [](const AdditiveTrainer& self, const Array2<std::uint32_t>& pairs, const Array1<std::uint32_t>& rows) {
                const auto asked = self.pairs_of(pairs);
                const auto among = row_list(rows, self.table.rows());
                return copied(run_kernel(
                    nb::none(), [&](vaglio::Control& control) { return self.trainer->screen(asked, among, control); }));
            },
            nb::arg("pairs"), nb::arg("rows"), "What each pair gains beyond its features, by some rows.")
        .def(
            "open_pairs",
            [](AdditiveTrainer& self, const Array2<std::uint32_t>& pairs) {
                self.trainer->open_pairs(self.pairs_of(pairs));
            },
            nb::arg("pairs"), "Gives these pairs a term each.")
        .def_prop_ro("rounds", [](const AdditiveTrainer& self) { return self.trainer->rounds(); })
        .def_prop_ro(
            "baseline",
            [](const AdditiveTrainer& self) {
                return tables_of(self.trainer->booster(), [](const auto& bag) { return bag.start(); });
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "features",
            [](const AdditiveTrainer& self) {
                return tables_of(self.trainer->booster(), [](const auto& bag) { return bag.features(); });
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "pairs",
            [](const AdditiveTrainer& self) {
                return tables_of(self.trainer->booster(), [](const auto& bag) { return bag.pairs(); });
            },
            nb::rv_policy::automatic);
}
