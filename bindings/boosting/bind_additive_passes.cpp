// Additive models in passes: the booster that asks for sums of rows elsewhere.
#include <nanobind/stl/unique_ptr.h>

#include "additive_convert.hpp"
#include "passes_convert.hpp"

namespace {

using additive::TermStep;
using boosting::GradientSums;
using boosting::SquareSum;

auto flat_steps(const StepsOfBags& steps) {
    std::vector<std::uint32_t> bag, term, output;
    std::vector<double> values;
    for (std::size_t b = 0; b < steps.size(); ++b) {
        for (const TermStep& step : steps[b]) {
            bag.push_back(static_cast<std::uint32_t>(b));
            term.push_back(step.term);
            output.push_back(step.output);
            values.insert(values.end(), step.values.begin(), step.values.end());
        }
    }
    return std::make_tuple(to_numpy(std::move(bag)), to_numpy(std::move(term)), to_numpy(std::move(output)),
                           to_numpy(std::move(values)));
}

std::unique_ptr<additive::Booster> make_booster(const BoostingLayout& layout, const additive::BagConfig& config,
                                                std::size_t rows, const Array2<double>& starts) {
    std::vector<boosting::BinnedFeature> features = features_from_layout(layout);
    const std::size_t count = features.size();
    std::vector<std::vector<double>> own;
    for (std::size_t b = 0; b < starts.shape(0); ++b) {
        const double* first = starts.data() + b * starts.shape(1);
        own.emplace_back(first, first + starts.shape(1));
    }
    require(!own.empty() && !own[0].empty(), "one start per bag is needed");
    auto booster = std::make_unique<additive::Booster>(std::move(features), checked(config, count), rows, own);
    booster->open_features();
    return booster;
}

void open_terms(additive::Booster& self, const Array2<std::int64_t>& rows) {
    const std::size_t width = self.terms().offset.back() - self.terms().offset[self.first_open()];
    require(rows.shape(0) == self.bags().size() && rows.shape(1) == width, "one number of rows per slot is needed");
    for (std::size_t b = 0; b < self.bags().size(); ++b) {
        const std::int64_t* own = rows.data() + b * width;
        self.bags()[b]->open(self.first_open(), std::vector<std::uint64_t>(own, own + width));
    }
}

auto take_sums(additive::Booster& self, std::size_t group, const Array2<std::int64_t>& sums,
               const Array2<std::int64_t>& squares, const Array2<double>& bounds, std::size_t steps) {
    require(group < self.groups().size(), "no such group");
    const auto& terms = self.groups()[group];
    std::size_t width = 0;
    for (const std::uint32_t term : terms) width += self.outputs() * self.terms().slots(term);
    const auto own = pairs_from<GradientSums>(sums);
    const auto own_squares = pairs_from<SquareSum>(squares);
    const std::size_t bags = self.bags().size();
    require(own.size() == bags * width && own_squares.size() == bags * self.outputs(), "the sums have another shape");
    StepsOfBags found(bags);
    run_kernel(nb::none(), [&](vaglio::Control&) {
        for (std::size_t b = 0; b < bags; ++b) {
            const auto* first = own.data() + b * width;
            const auto* square = own_squares.data() + b * self.outputs();
            additive::TermSums given{{first, first + width}, {square, square + self.outputs()}};
            found[b] = self.bags()[b]->take(terms, given, self.unit(bounds_at(bounds, b)), steps);
        }
        return true;
    });
    return flat_steps(found);
}

void look_at(additive::Booster& self, const Array2<std::int64_t>& limbs, const Array1<std::int64_t>& beyond) {
    const std::size_t bags = self.bags().size();
    require(limbs.shape(0) == 2 * bags && limbs.shape(1) == vaglio::ExactSum::limbs && beyond.size() == bags,
            "one loss per bag is needed");
    std::vector<boosting::LossSum> losses(bags);
    for (std::size_t b = 0; b < bags; ++b) {
        losses[b].loss = sum_from(limbs, 2 * b);
        losses[b].weight = sum_from(limbs, 2 * b + 1);
        losses[b].beyond = beyond.data()[b] != 0;
    }
    self.look(losses);
}

auto gains_of(const additive::Booster& self, const Array2<std::uint32_t>& pairs, const Array2<std::int64_t>& sums,
              const Array2<double>& bounds) {
    const boosting::FixedPoint unit = self.unit(bounds_at(bounds, 0));
    const auto own = pairs_from<GradientSums>(sums);
    std::vector<double> gains;
    std::size_t at = 0;
    for (const additive::Pair& pair : pairs_from_array(pairs, self.terms().features.size())) {
        const auto& sides = self.terms().sides;
        const std::size_t cells = self.outputs() * sides[pair.first].slots * sides[pair.second].slots;
        require(at + cells <= own.size(), "the sums have another shape");
        gains.push_back(
            additive::screened_gain(self.config().step.split, unit, sides, pair, self.outputs(), own.data() + at));
        at += cells;
    }
    return copied(gains);
}

void set_sides(additive::Booster& self, const SlotsOfBins& slots) {
    std::vector<additive::Side> sides;
    const auto own = slots_from(slots, self.terms().features);
    for (std::size_t f = 0; f < own.size(); ++f) {
        sides.push_back({self.terms().features[f].nominal, std::uint32_t{own[f].back()} + 1});
    }
    self.set_sides(std::move(sides));
}

auto every_step(const additive::Booster& self) {
    StepsOfBags steps;
    for (const auto& bag : self.bags()) steps.push_back(bag->all_steps());
    return flat_steps(steps);
}

}  // namespace

void register_additive_passes(nb::module_& m) {
    nb::class_<additive::Booster>(m, "AdditivePasses", "The bags of an additive model whose rows are elsewhere.")
        .def(nb::new_(&make_booster), nb::arg("layout"), nb::arg("config"), nb::arg("rows"), nb::arg("starts"))
        .def("open", &open_terms, nb::arg("rows"))
        .def("set_sides", &set_sides, nb::arg("slots"))
        .def(
            "open_pairs",
            [](additive::Booster& self, const Array2<std::uint32_t>& pairs) {
                require(!self.terms().sides.empty(), "pairs need set_sides first");
                self.open_pairs(pairs_from_array(pairs, self.terms().features.size()));
            },
            nb::arg("pairs"))
        .def("gains", &gains_of, nb::arg("pairs"), nb::arg("sums"), nb::arg("bounds"))
        .def(
            "begin",
            [](additive::Booster& self, const additive::StoppingConfig& stopping) {
                check(stopping);
                self.begin(stopping);
            },
            nb::arg("stopping"))
        .def("look", &look_at, nb::arg("limbs"), nb::arg("beyond"))
        .def("is_unfinished", [](additive::Booster& self) { return self.rounds().is_unfinished(); })
        .def("visits", [](additive::Booster& self) { return self.rounds().visits(); })
        .def("take", &take_sums, nb::arg("group"), nb::arg("sums"), nb::arg("squares"), nb::arg("bounds"),
             nb::arg("steps"))
        .def("end", &additive::Booster::end)
        .def("all_steps", &every_step)
        .def_prop_ro("groups", [](const additive::Booster& self) { return self.groups(); })
        .def_prop_ro("guarded", &additive::Booster::guarded)
        .def_prop_ro("watched", [](additive::Booster& self) { return self.rounds().watched(); })
        .def_prop_ro("rounds", [](additive::Booster& self) { return self.rounds().best(); })
        .def_prop_ro(
            "losses", [](additive::Booster& self) { return copied(self.rounds().losses()); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "baseline",
            [](const additive::Booster& self) { return tables_of(self, [](const auto& bag) { return bag.start(); }); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "features",
            [](const additive::Booster& self) {
                return tables_of(self, [](const auto& bag) { return bag.features(); });
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "pairs",
            [](const additive::Booster& self) { return tables_of(self, [](const auto& bag) { return bag.pairs(); }); },
            nb::rv_policy::automatic);
}
