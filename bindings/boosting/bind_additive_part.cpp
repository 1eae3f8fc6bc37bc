// Additive models in passes: what is done with a part of the rows.
#include <numeric>
#include <tuple>

#include "additive_convert.hpp"
#include "passes_convert.hpp"

namespace {

using boosting::GradientSums;
using boosting::SquareSum;

// A part of the rows, with the arrays it reads.
struct AdditivePart {
    std::vector<boosting::BinnedFeature> features;
    Array2<std::uint8_t> bytes, held;
    Array2<std::uint16_t> words, cells;
    Array1<double> y;
    std::optional<Array1<double>> weight;
    std::vector<double> raw;
    std::size_t bags;
    additive::PartOfRows part;

    // Columns of bytes and of words are those of the features in their order; cells those of the pairs.
    AdditivePart(const BoostingLayout& layout, Array2<std::uint8_t> narrow, Array2<std::uint16_t> wide,
                 Array2<std::uint16_t> of_pairs, const std::vector<std::uint32_t>& cells_of_pairs,
                 const std::string& loss, std::size_t outputs, Array1<double> targets,
                 std::optional<Array1<double>> weights, Array2<std::uint8_t> watched,
                 std::optional<Array2<double>> scores)
        : features(features_from_layout(layout)),
          bytes(std::move(narrow)),
          held(std::move(watched)),
          words(std::move(wide)),
          cells(std::move(of_pairs)),
          y(std::move(targets)),
          weight(std::move(weights)),
          bags(held.shape(0)) {
        boosting::Target target = target_of(loss, outputs);
        target.rows = y.size();
        target.y = y.data();
        target.weight = weight ? weight->data() : nullptr;
        require(!weight || weight->size() == target.rows, "weights and targets differ in their rows");
        require(held.shape(1) == target.rows && bags > 0, "marks and targets differ in their rows");
        if (target.loss == boosting::LossKind::multinomial) {
            const auto classes = static_cast<double>(outputs);
            require(std::all_of(y.data(), y.data() + y.size(), [&](double c) { return c >= 0 && c < classes; }),
                    "a label is outside the classes");
        }
        raw.assign(bags * outputs * target.rows, 0.0);
        if (scores) {
            require(scores->shape(0) == bags * outputs && scores->shape(1) == target.rows,
                    "scores and targets differ in their rows");
            raw.assign(scores->data(), scores->data() + raw.size());
        }
        part.target = target;
        part.held = held.data();
        part.raw = raw.data();
        add_columns(cells_of_pairs);
    }

    void add_columns(const std::vector<std::uint32_t>& cells_of_pairs) {
        const std::size_t n = part.target.rows;
        std::size_t narrow = 0, wide = 0;
        for (const boosting::BinnedFeature& feature : features) {
            if (feature.slots() <= 256) {
                require(narrow < bytes.shape(0) && bytes.shape(1) == n, "a column of bytes is missing");
                part.columns.push_back({bytes.data() + narrow++ * n, false, feature.slots()});
                check<std::uint8_t>(part.columns.back());
            } else {
                require(wide < words.shape(0) && words.shape(1) == n, "a column of words is missing");
                part.columns.push_back({words.data() + wide++ * n, true, feature.slots()});
                check<std::uint16_t>(part.columns.back());
            }
        }
        require(cells.shape(0) == cells_of_pairs.size() && (cells_of_pairs.empty() || cells.shape(1) == n),
                "a column of cells is missing");
        for (std::size_t p = 0; p < cells_of_pairs.size(); ++p) {
            part.columns.push_back({cells.data() + p * n, true, cells_of_pairs[p]});
            check<std::uint16_t>(part.columns.back());
        }
    }

    template <class Slot>
    void check(const additive::SlotColumn& column) const {
        const auto* own = static_cast<const Slot*>(column.data);
        const auto outside = [&](Slot slot) { return slot >= column.slots; };
        require(std::none_of(own, own + part.target.rows, outside), "a row is outside the slots");
    }

    StepsOfBags steps_from(const FlatSteps& flat) const {
        const auto& [bag, term, output, values] = flat;
        StepsOfBags steps(bags);
        require(term.size() == bag.size() && output.size() == bag.size(), "steps differ in their number");
        std::size_t at = 0;
        for (std::size_t s = 0; s < bag.size(); ++s) {
            require(
                bag.data()[s] < bags && term.data()[s] < part.columns.size() && output.data()[s] < part.target.outputs,
                "a step of no bag, term or output");
            const std::size_t slots = part.columns[term.data()[s]].slots;
            require(at + slots <= values.size(), "a step has too few values");
            const double* first = values.data() + at;
            steps[bag.data()[s]].push_back({term.data()[s], output.data()[s], {first, first + slots}});
            at += slots;
        }
        return steps;
    }

    auto scores() const { return to_numpy(std::vector<double>(raw), {bags * part.target.outputs, part.target.rows}); }
};

auto started(AdditivePart& self, const Array2<double>& starts, const FlatSteps& flat) {
    require(starts.shape(0) == self.bags && starts.shape(1) == self.part.target.outputs, "one start per bag is needed");
    const StepsOfBags steps = self.steps_from(flat);
    for (std::size_t b = 0; b < self.bags; ++b) {
        const double* own = starts.data() + b * starts.shape(1);
        additive::start_scores(self.part, b, {own, starts.shape(1)}, steps[b]);
    }
    return self.scores();
}

auto stepped(AdditivePart& self, const FlatSteps& flat) {
    const StepsOfBags steps = self.steps_from(flat);
    for (std::size_t b = 0; b < self.bags; ++b) additive::add_steps(self.part, b, steps[b]);
    return self.scores();
}

auto term_sums(AdditivePart& self, const std::vector<std::uint32_t>& terms, std::size_t rows,
               const Array2<double>& bounds, bool squares) {
    for (const std::uint32_t term : terms) require(term < self.part.columns.size(), "no such term");
    self.part.squares = squares;
    std::vector<GradientSums> sums;
    std::vector<SquareSum> all_squares;
    for (std::size_t b = 0; b < self.bags; ++b) {
        additive::TermSums own;
        additive::visit(self.part, b, {}, terms, boosting::units_of(rows, bounds_at(bounds, b), false), own);
        sums.insert(sums.end(), own.sums.begin(), own.sums.end());
        all_squares.insert(all_squares.end(), own.squares.begin(), own.squares.end());
    }
    return std::make_tuple(pairs_to_numpy(sums), pairs_to_numpy(all_squares));
}

auto training_rows(const AdditivePart& self, std::size_t first) {
    require(first <= self.part.columns.size(), "no such term");
    std::vector<std::uint32_t> terms(self.part.columns.size() - first);
    std::iota(terms.begin(), terms.end(), static_cast<std::uint32_t>(first));
    std::vector<std::int64_t> found;
    for (std::size_t b = 0; b < self.bags; ++b) {
        for (const std::uint64_t rows : additive::training_rows(self.part, b, terms)) {
            found.push_back(static_cast<std::int64_t>(rows));
        }
    }
    const std::size_t width = found.size() / self.bags;
    return to_numpy(std::move(found), {self.bags, width});
}

auto part_bounds(const AdditivePart& self) {
    std::vector<double> found;
    for (std::size_t b = 0; b < self.bags; ++b) {
        const boosting::Derivatives own = additive::bounds(self.part, b);
        found.insert(found.end(), {own.gradient, own.hessian});
    }
    return to_numpy(std::move(found), {self.bags, 2});
}

auto limbs_and_marks(const std::vector<vaglio::ExactSum>& sums, std::vector<std::int64_t> beyond) {
    std::vector<std::int64_t> limbs;
    for (const vaglio::ExactSum& sum : sums) limbs.insert(limbs.end(), sum.parts().begin(), sum.parts().end());
    return std::make_tuple(to_numpy(std::move(limbs), {sums.size(), vaglio::ExactSum::limbs}),
                           to_numpy(std::move(beyond)));
}

auto start_sums(const AdditivePart& self, double least) {
    std::vector<vaglio::ExactSum> sums;
    std::vector<std::int64_t> beyond;
    for (std::size_t b = 0; b < self.bags; ++b) {
        const boosting::BaselineSums own = additive::start_sums(self.part, b, least);
        sums.push_back(own.total);
        sums.insert(sums.end(), own.sums.begin(), own.sums.end());
        beyond.push_back(own.beyond);
    }
    return limbs_and_marks(sums, std::move(beyond));
}

auto held_losses(const AdditivePart& self) {
    std::vector<vaglio::ExactSum> sums;
    std::vector<std::int64_t> beyond;
    for (std::size_t b = 0; b < self.bags; ++b) {
        const boosting::LossSum own = additive::held_loss(self.part, b);
        sums.insert(sums.end(), {own.loss, own.weight});
        beyond.push_back(own.beyond);
    }
    return limbs_and_marks(sums, std::move(beyond));
}

additive::Coarse coarse_of(const AdditivePart& self, const SlotsOfBins& slots) {
    const auto own = slots_from(slots, self.features);
    additive::Coarse coarse;
    for (std::size_t f = 0; f < own.size(); ++f) {
        coarse.add(self.part.columns[f], self.features[f].nominal, own[f], self.part.target.rows);
    }
    return coarse;
}

auto cells_of(const AdditivePart& self, const SlotsOfBins& slots, const Array2<std::uint32_t>& pairs) {
    const additive::Coarse coarse = coarse_of(self, slots);
    std::vector<std::uint16_t> all;
    for (const additive::Pair& pair : pairs_from_array(pairs, self.features.size())) {
        const std::vector<std::uint16_t> own = coarse.column(pair);
        all.insert(all.end(), own.begin(), own.end());
    }
    return to_numpy(std::move(all), {pairs.shape(0), self.part.target.rows});
}

auto screen_sums(const AdditivePart& self, const SlotsOfBins& slots, const Array2<std::uint32_t>& pairs,
                 const Array1<std::uint32_t>& rows, std::size_t all_rows, const Array2<double>& bounds) {
    const additive::Coarse coarse = coarse_of(self, slots);
    const auto among = row_list(rows, self.part.target.rows);
    additive::Screen screen(self.part, self.bags);
    screen.compute(boosting::units_of(all_rows, bounds_at(bounds, 0), false), 1);
    std::vector<GradientSums> sums;
    for (const additive::Pair& pair : pairs_from_array(pairs, self.features.size())) {
        const std::size_t at = sums.size();
        sums.resize(at + self.part.target.outputs * coarse.cells(pair));
        screen.add_rows(coarse, pair, among, sums.data() + at);
    }
    return pairs_to_numpy(sums);
}

// The bins of each row, column by column: of few bins as bytes, of many as words.
auto make_columns(const BoostingLayout& layout, const Strided2& numeric, const Columns2<std::int32_t>& codes,
                  const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column,
                  const Array1<std::uint32_t>& n_categories) {
    const auto table = binned_part(layout, numeric, codes, nominal, column, n_categories);
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> words;
    const std::size_t n = table->rows();
    for (std::size_t f = 0; f < table->features().size(); ++f) {
        vaglio::with_codes(table->column(f), [&](const auto* own) {
            if constexpr (sizeof *own == 1) {
                bytes.insert(bytes.end(), own, own + n);
            } else {
                words.insert(words.end(), own, own + n);
            }
        });
    }
    const std::size_t narrow = n ? bytes.size() / n : 0, wide = n ? words.size() / n : 0;
    return std::make_tuple(to_numpy(std::move(bytes), {narrow, n}), to_numpy(std::move(words), {wide, n}));
}

}  // namespace

void register_additive_part(nb::module_& m) {
    m.def("additive_columns", &make_columns, nb::arg("layout"), nb::arg("numeric"), nb::arg("codes"),
          nb::arg("nominal"), nb::arg("column"), nb::arg("n_categories"), "Rows as bins, column by column.");
    nb::class_<AdditivePart>(m, "AdditivePart", "A part of the rows of an additive model.")
        .def(nb::init<const BoostingLayout&, Array2<std::uint8_t>, Array2<std::uint16_t>, Array2<std::uint16_t>,
                      const std::vector<std::uint32_t>&, const std::string&, std::size_t, Array1<double>,
                      std::optional<Array1<double>>, Array2<std::uint8_t>, std::optional<Array2<double>>>(),
             nb::arg("layout"), nb::arg("bytes"), nb::arg("words"), nb::arg("cells"), nb::arg("cells_of_pairs"),
             nb::arg("loss"), nb::arg("n_outputs"), nb::arg("y"), nb::arg("weight").none(), nb::arg("held"),
             nb::arg("raw").none())
        .def("start_sums", &start_sums, nb::arg("least"))
        .def("training_rows", &training_rows, nb::arg("first"))
        .def("started", &started, nb::arg("starts"), nb::arg("steps"))
        .def("stepped", &stepped, nb::arg("steps"))
        .def("bounds", &part_bounds)
        .def("losses", &held_losses)
        .def("sums", &term_sums, nb::arg("terms"), nb::arg("rows"), nb::arg("bounds"), nb::arg("squares"))
        .def("screen_bounds",
             [](const AdditivePart& self) {
                 const boosting::Derivatives found = additive::Screen(self.part, self.bags).bounds(1);
                 return to_numpy(std::vector<double>{found.gradient, found.hessian}, {1, 2});
             })
        .def("screen", &screen_sums, nb::arg("slots"), nb::arg("pairs"), nb::arg("rows"), nb::arg("all_rows"),
             nb::arg("bounds"))
        .def("cells", &cells_of, nb::arg("slots"), nb::arg("pairs"));
}
