#include <memory>

#include "additive/trainer.hpp"
#include "options.hpp"

namespace {

namespace additive = vaglio::additive;

additive::BagConfig bag_config(const nb::dict& fields, const boosting::BinnedTable& table) {
    const std::size_t n_features = table.features().size();
    additive::BagConfig config;
    boosting::SplitConfig& split = config.step.split;
    config.boosted.assign(n_features, 1);
    split.middle_of_gaps = true;
    take(fields, "learning_rate", config.learning_rate);
    take(fields, "max_leaves", config.step.max_leaves);
    take(fields, "boosted", config.boosted);
    take(fields, "min_samples_leaf", split.min_samples_leaf);
    take(fields, "min_hessian", split.min_hessian);
    take(fields, "l2", split.l2);
    take(fields, "nominal_smoothing", split.nominal_smoothing);
    take(fields, "guarded_from", split.guarded_from);
    take(fields, "monotonic", split.monotonic);
    require(config.learning_rate > 0, "the learning rate must be positive");
    require(config.step.max_leaves >= 2, "a step needs two leaves");
    require(config.boosted.size() == n_features, "one mark per feature is needed");
    require(split.monotonic.empty() || split.monotonic.size() == n_features, "one constraint per feature is needed");
    return config;
}

additive::StoppingConfig stopping_config(const nb::dict& fields) {
    additive::StoppingConfig config;
    take(fields, "max_rounds", config.max_rounds);
    take(fields, "patience", config.patience);
    take(fields, "tolerance", config.tolerance);
    take(fields, "interval", config.interval);
    require(config.interval >= 1, "the loss is looked at every round or less often");
    return config;
}

// The trainer and the arrays it reads.
struct AdditiveTrainer {
    const boosting::BinnedTable& table;
    Array1<double> y;
    std::optional<Array1<double>> weight;
    std::unique_ptr<additive::Trainer> trainer;

    AdditiveTrainer(const boosting::BinnedTable& binned, const std::string& loss, Array1<double> targets,
                    std::size_t outputs, std::optional<Array1<double>> weights, const Array2<std::uint8_t>& held,
                    const nb::dict& config, int n_threads)
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
                                                      bag_config(config, table), n_threads);
    }

    // Slot of each bin, per feature: the last one is that of missing values.
    void set_coarse(const std::vector<Array1<std::uint8_t>>& slots) {
        require(slots.size() == table.features().size(), "one list of bins per feature is needed");
        additive::Coarse coarse;
        for (std::size_t f = 0; f < slots.size(); ++f) {
            const boosting::BinnedFeature& feature = table.features()[f];
            require(slots[f].size() == feature.slots(), "one slot per bin is needed");
            const std::uint8_t* to = slots[f].data();
            const std::uint32_t last = *std::max_element(to, to + slots[f].size());
            require(to[feature.bins] == last, "missing values are in the last slot");
            coarse.sides.push_back({feature.nominal, last + 1});
            std::vector<std::uint8_t> column(table.rows());
            table.with_column(f, [&](const auto* bins) {
                for (std::size_t i = 0; i < column.size(); ++i) column[i] = to[bins[i]];
            });
            coarse.columns.push_back(std::move(column));
        }
        trainer->set_coarse(std::move(coarse));
        has_coarse = true;
    }

    std::vector<additive::Pair> pairs_of(const Array2<std::uint32_t>& pairs) const {
        require(has_coarse, "pairs need set_coarse first");
        require(pairs.shape(1) == 2, "a pair has two features");
        std::vector<additive::Pair> found;
        for (std::size_t p = 0; p < pairs.shape(0); ++p) {
            const std::uint32_t a = pairs.data()[2 * p], b = pairs.data()[2 * p + 1];
            require(a < table.features().size() && b < table.features().size() && a != b,
                    "a pair names a feature that is not there");
            found.push_back({a, b, 0});
        }
        return found;
    }

    nb::object tables(const std::vector<double>& (additive::Bag::*part)() const) const {
        const auto& bags = trainer->bags();
        const std::size_t outputs = bags[0]->target().outputs;
        std::vector<double> all;
        for (const auto& bag : bags) all.insert(all.end(), ((*bag).*part)().begin(), ((*bag).*part)().end());
        const std::size_t width = all.size() / bags.size() / outputs;
        return nb::cast(to_numpy(std::move(all), {bags.size(), outputs, width}));
    }

    bool has_coarse = false;
};

using Boost = std::vector<double> (additive::Trainer::*)(const additive::StoppingConfig&, vaglio::Control&);

template <Boost boost>
nb::object boosted(AdditiveTrainer& self, const nb::dict& stopping, nb::object progress) {
    const additive::StoppingConfig config = stopping_config(stopping);
    return copied(
        run_kernel(progress, [&](vaglio::Control& control) { return (self.trainer.get()->*boost)(config, control); }));
}

}  // namespace

void register_additive(nb::module_& m) {
    nb::class_<AdditiveTrainer>(m, "AdditiveTrainer", "One table of scores per feature and pair, bagged.")
        .def(nb::init<const boosting::BinnedTable&, const std::string&, Array1<double>, std::size_t,
                      std::optional<Array1<double>>, const Array2<std::uint8_t>&, const nb::dict&, int>(),
             nb::arg("table"), nb::arg("loss"), nb::arg("y"), nb::arg("n_outputs"), nb::arg("weight").none(),
             nb::arg("held"), nb::arg("config"), nb::arg("n_threads") = 1, nb::keep_alive<1, 2>())
        .def("boost_features", &boosted<&additive::Trainer::boost_features>, nb::arg("stopping"),
             nb::arg("progress") = nb::none(), "Rounds of all features; returns the losses of the rows kept out.")
        .def("boost_pairs", &boosted<&additive::Trainer::boost_pairs>, nb::arg("stopping"),
             nb::arg("progress") = nb::none(), "Rounds of the open pairs; returns the losses of the rows kept out.")
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
        .def_prop_ro("baseline", [](const AdditiveTrainer& self) { return self.tables(&additive::Bag::baseline); })
        .def_prop_ro("features", [](const AdditiveTrainer& self) { return self.tables(&additive::Bag::features); })
        .def_prop_ro("pairs", [](const AdditiveTrainer& self) { return self.tables(&additive::Bag::pairs); });
}
