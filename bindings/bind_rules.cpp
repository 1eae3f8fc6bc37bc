#include <algorithm>
#include <memory>

#include "rules/description_length.hpp"
#include "rules/ripper.hpp"
#include "rules/scan/packed.hpp"
#include "rules/scan/scan.hpp"
#include "support.hpp"

namespace {

using namespace vaglio;
using Rows = Array1<std::uint32_t>;
using OptionalWeights = std::optional<Array1<double>>;
// column, test, cut, threshold, codes
using ConditionTuple = std::tuple<int, int, std::uint32_t, double, std::vector<std::uint32_t>>;
// ... score, weight, positive weight, whether it is significant
using ScoredTuple = std::tuple<ConditionTuple, double, double, double, bool>;

ConditionTuple to_tuple(const RuleCondition& c) {
    return {c.column, static_cast<int>(c.test), c.cut, c.threshold, c.codes};
}

// The table of a rule learner: numeric columns first, then nominal ones. Keeps the arrays it looks into alive.
class RuleKernel {
 public:
    // ranks (p, n) and codes (q, n): a column is a row here, so that its cells lie together.
    RuleKernel(Array2<std::uint32_t> ranks, Array1<double> values, Array1<std::int64_t> value_start,
               Array2<std::int32_t> codes, Array1<std::int32_t> n_categories, Array1<std::int32_t> classes,
               int n_classes, OptionalWeights weight)
        : ranks_(ranks), values_(values), codes_(codes), classes_(classes), weight_(weight) {
        const std::size_t n = classes.size(), p = ranks.shape(0), q = codes.shape(0);
        require(ranks.shape(1) == n || p == 0, "ranks have another number of rows than classes");
        require(codes.shape(1) == n || q == 0, "codes have another number of rows than classes");
        require(n < missing_cell, "too many rows");
        require(value_start.size() == p + 1 && n_categories.size() == q, "columns and their values do not fit");
        require(!weight || weight->size() == n, "weights have another number of rows than classes");
        require(n_classes > 0, "there are no classes");
        table_.n_rows = n;
        table_.classes = classes.data();
        table_.n_classes = n_classes;
        table_.weights = weight ? weight->data() : nullptr;
        for (std::size_t j = 0; j < p; ++j) add_numeric(ranks.data() + j * n, values, value_start, j);
        for (std::size_t j = 0; j < q; ++j) add_nominal(codes.data() + j * n, n_categories.data()[j]);
        check(n);
    }

    std::vector<ScoredTuple> best_conditions(Rows rows, int measure, int target, double smoothing, double m,
                                             std::optional<Array1<double>> priors, double min_rows, double min_positive,
                                             std::size_t keep, std::optional<Array1<std::uint8_t>> allowed,
                                             std::int64_t meets_row, std::int64_t excludes_row, OptionalWeights weight,
                                             int proof, double min_ratio, double min_ratio_of_one, double few,
                                             int n_threads) const {
        ScanConfig config;
        require(measure >= 0 && measure <= static_cast<int>(Measure::m_estimate), "unknown measure");
        config.measure = static_cast<Measure>(measure);
        config.target = target;
        config.smoothing = smoothing;
        config.m = m;
        require(!priors || priors->size() == static_cast<std::size_t>(table_.n_classes),
                "there must be one prior per class");
        const bool needs_priors = config.measure == Measure::target_m || config.measure == Measure::m_estimate;
        require(!needs_priors || (priors && target >= 0 && target < table_.n_classes), "the m-estimate needs priors");
        config.priors = priors ? priors->data() : nullptr;
        require(proof >= 0 && proof <= static_cast<int>(Proof::significant), "no such proof");
        config.proof = static_cast<Proof>(proof);
        require(config.proof == Proof::none || (priors && target >= 0 && target < table_.n_classes),
                "the test of significance needs priors");
        config.min_ratio = min_ratio;
        config.min_ratio_of_one = min_ratio_of_one;
        config.few = few;
        config.min_rows = min_rows;
        config.min_positive = min_positive;
        require(keep > 0, "keep at least one condition");
        config.keep = keep;
        require(!allowed || allowed->size() == table_.columns.size(), "one byte of tests a column");
        config.allowed = allowed ? allowed->data() : nullptr;
        const auto n = static_cast<std::int64_t>(table_.n_rows);
        require(meets_row >= -1 && meets_row < n && excludes_row >= -1 && excludes_row < n, "no such row");
        config.meets_row = meets_row;
        config.excludes_row = excludes_row;
        config.threads = n_threads;
        check_rows(rows);
        RuleTable table = table_;
        // Packed when first asked for a best gain: FOIL asks for hundreds, and other learners for none.
        if (config.measure == Measure::foil_gain && config.keep == 1) {
            if (!packed_) packed_ = std::make_shared<const PackedTable>(table_);
            table.packed = packed_.get();
        }
        require(!weight || weight->size() == table.n_rows, "weights have another number of rows than the table");
        if (weight) table.weights = weight->data();
        const std::span<const std::uint32_t> covered = span_of(rows);
        const std::vector<ScoredCondition> best = run_kernel(
            nb::none(), [&](Control& control) { return vaglio::best_conditions(table, covered, config, control); },
            steps_of({covered.size(), table.columns.size(), 16}));
        std::vector<ScoredTuple> result;
        for (const ScoredCondition& s : best) {
            result.emplace_back(to_tuple(s.condition), s.score, s.weight, s.positive, s.significant);
        }
        return result;
    }

    nb::ndarray<nb::numpy, std::uint32_t> rows_meeting(Rows rows, const ConditionTuple& condition) const {
        check_rows(rows);
        return to_numpy(vaglio::rows_meeting(table_, from_tuple(condition), span_of(rows)));
    }

    std::vector<std::tuple<int, std::vector<ConditionTuple>>> ripper(int optimizations, int folds, bool prune,
                                                                     bool check_error, double min_positive,
                                                                     double mdl_slack, int max_rules,
                                                                     int max_conditions, std::vector<int> first_columns,
                                                                     Array2<std::uint8_t> allowed, std::uint64_t seed,
                                                                     int n_threads, Progress progress) const {
        RipperConfig config;
        config.optimizations = optimizations;
        require(folds >= 2, "there must be two parts at least, one to grow and one to prune");
        config.folds = folds;
        config.prune = prune;
        config.check_error = check_error;
        config.min_positive = min_positive;
        config.mdl_slack = mdl_slack;
        config.max_rules = max_rules;
        config.max_conditions = max_conditions;
        for (const int column : first_columns) {
            require(column >= 0 && static_cast<std::size_t>(column) < table_.columns.size(), "no such column");
        }
        config.first_columns = std::move(first_columns);
        require(
            allowed.shape(0) == static_cast<std::size_t>(table_.n_classes) && allowed.shape(1) == table_.columns.size(),
            "one byte of tests a class and column");
        config.allowed = allowed.data();
        config.seed = seed;
        config.threads = n_threads;
        const std::vector<LearnedRule> learned =
            run_kernel(progress, [&](Control& control) { return learn_ripper(table_, config, control); });
        std::vector<std::tuple<int, std::vector<ConditionTuple>>> result;
        for (const LearnedRule& rule : learned) {
            std::vector<ConditionTuple> conditions;
            for (const RuleCondition& c : rule.conditions) conditions.push_back(to_tuple(c));
            result.emplace_back(rule.label, std::move(conditions));
        }
        return result;
    }

 private:
    void add_numeric(const std::uint32_t* cells, const Array1<double>& values, const Array1<std::int64_t>& start,
                     std::size_t j) {
        const std::int64_t begin = start.data()[j], end = start.data()[j + 1];
        require(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(values.size()), "values out of range");
        // A column without any value has no test, but must not look nominal.
        static const double nothing = 0.0;
        const double* first = begin == end ? &nothing : values.data() + begin;
        table_.columns.push_back({cells, static_cast<std::uint32_t>(end - begin), first});
    }

    void add_nominal(const std::int32_t* codes, std::int32_t n_categories) {
        require(n_categories >= 0, "a column has a negative number of categories");
        // Code -1 and the missing rank have the same bits.
        const auto* cells = reinterpret_cast<const std::uint32_t*>(codes);
        table_.columns.push_back({cells, static_cast<std::uint32_t>(n_categories), nullptr});
    }

    void check(std::size_t n) const {
        for (const RuleColumn& column : table_.columns) {
            bool fits = true;
            for (std::size_t i = 0; i < n; ++i)
                fits &= column.cells[i] < column.n_values || column.cells[i] == missing_cell;
            require(fits, "a cell is out of range");
        }
        bool fits = true;
        for (std::size_t i = 0; i < n; ++i) fits &= table_.classes[i] >= 0 && table_.classes[i] < table_.n_classes;
        require(fits, "a class is out of range");
    }

    void check_rows(const Rows& rows) const {
        bool fits = true;
        for (std::size_t i = 0; i < rows.size(); ++i) fits &= rows.data()[i] < table_.n_rows;
        require(fits, "a row is out of range");
    }

    RuleCondition from_tuple(const ConditionTuple& tuple) const {
        const auto& [column, test, cut, threshold, codes] = tuple;
        require(column >= 0 && static_cast<std::size_t>(column) < table_.columns.size(), "no such column");
        require(test >= 0 && test <= static_cast<int>(Test::one_of), "no such test");
        const std::uint32_t n_values = table_.columns[static_cast<std::size_t>(column)].n_values;
        for (const std::uint32_t code : codes) require(code < n_values, "no such category");
        require(cut < n_values || static_cast<Test>(test) == Test::one_of, "no such value");
        return {column, static_cast<Test>(test), cut, threshold, codes};
    }

    Array2<std::uint32_t> ranks_;
    Array1<double> values_;
    Array2<std::int32_t> codes_;
    Array1<std::int32_t> classes_;
    OptionalWeights weight_;
    RuleTable table_;
    mutable std::shared_ptr<const PackedTable> packed_;
};

}  // namespace

void register_rules(nb::module_& m) {
    nb::class_<RuleKernel>(m, "RuleKernel")
        .def(nb::init<Array2<std::uint32_t>, Array1<double>, Array1<std::int64_t>, Array2<std::int32_t>,
                      Array1<std::int32_t>, Array1<std::int32_t>, int, OptionalWeights>(),
             nb::arg("ranks"), nb::arg("values"), nb::arg("value_start"), nb::arg("codes"), nb::arg("n_categories"),
             nb::arg("classes"), nb::arg("n_classes"), nb::arg("weight") = nb::none())
        .def("best_conditions", &RuleKernel::best_conditions, nb::arg("rows"), nb::kw_only(), nb::arg("measure"),
             nb::arg("target") = 0, nb::arg("smoothing") = 0.0, nb::arg("m") = 2.0, nb::arg("priors") = nb::none(),
             nb::arg("min_rows") = 0.0, nb::arg("min_positive") = 0.0, nb::arg("keep") = 1,
             nb::arg("allowed") = nb::none(), nb::arg("meets_row") = -1, nb::arg("excludes_row") = -1,
             nb::arg("weight") = nb::none(), nb::arg("proof") = 0, nb::arg("min_ratio") = 0.0,
             nb::arg("min_ratio_of_one") = 0.0, nb::arg("few") = 0.0, nb::arg("n_threads") = 1)
        .def("rows_meeting", &RuleKernel::rows_meeting, nb::arg("rows"), nb::arg("condition"))
        .def("ripper", &RuleKernel::ripper, nb::kw_only(), nb::arg("optimizations"), nb::arg("folds"), nb::arg("prune"),
             nb::arg("check_error"), nb::arg("min_positive"), nb::arg("mdl_slack"), nb::arg("max_rules"),
             nb::arg("max_conditions"), nb::arg("first_columns"), nb::arg("allowed"), nb::arg("seed"),
             nb::arg("n_threads") = 1, nb::arg("progress") = nb::none());
    m.def("subset_bits", &subset_bits, nb::arg("t"), nb::arg("k"), nb::arg("p"));
    m.def("theory_bits", &theory_bits, nb::arg("k"), nb::arg("possible"));
    m.def(
        "exception_bits",
        [](double share, double covered, double uncovered, double fp, double fn) {
            return exception_bits(share, {covered, uncovered, fp, fn});
        },
        nb::arg("expected_fp_share"), nb::arg("covered"), nb::arg("uncovered"), nb::arg("false_positives"),
        nb::arg("false_negatives"));
}
