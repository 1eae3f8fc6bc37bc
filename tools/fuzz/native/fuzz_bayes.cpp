// Terms of naive Bayes of arbitrary arrays are refused, or every row has its sums; and what is counted in any small
// table.
#include <algorithm>
#include <stdexcept>

#include "bayes/kernel_density.hpp"
#include "bayes/mdl.hpp"
#include "bayes/naive_bayes.hpp"
#include "input.hpp"

using namespace vaglio;
using vaglio_fuzz::Input;

static void check_sums(Input& input) {
    const std::size_t rows = input.below(6), n_numeric = input.below(4), n_nominal = input.below(3);
    const std::size_t count = input.below(5), classes = input.below(4);
    const auto index = [&] { return input.index<std::int32_t>(); };
    const auto place = [&] { return input.index<std::int64_t>(); };
    const auto number = [&] { return input.number(); };
    const auto kind = input.list(count, index), column = input.list(count, index);
    const auto size = input.list(count, place), start = input.list(count, place);
    const auto prior = input.list(classes, number), numbers = input.list(input.below(60), number);
    const auto cells = input.list(rows * n_numeric, number);
    const auto codes = input.list(rows * n_nominal, index);
    const NaiveBayesTerms terms{classes, kind, column, size, start, numbers};
    try {
        check_terms(terms, n_numeric, n_nominal);
    } catch (const std::invalid_argument&) {
        return;
    }
    Control control;
    const StridedRows x{cells.data(), rows, n_numeric, static_cast<std::ptrdiff_t>(n_numeric), 1};
    const StridedCodes c{codes.data(), rows, n_nominal, static_cast<std::ptrdiff_t>(n_nominal), 1};
    PROMISE(joint_log_likelihood(x, c, prior, terms, 1, control).size() == rows * classes);
}

static void check_counts(Input& input) {
    const vaglio_fuzz::Table table(input);
    const auto rows = static_cast<std::ptrdiff_t>(table.rows);
    const double* weight = input.flag() ? table.weights.data() : nullptr;
    Control control;
    const StridedRows x{table.numbers.data(), table.rows, table.n_numeric, static_cast<std::ptrdiff_t>(table.n_numeric),
                        1};
    const StridedCodes codes{table.codes.data(), table.rows, table.n_nominal, 1, rows};
    const Moments moments = class_moments(x, table.labels.data(), weight, table.classes, 1, control);
    for (const double deviation : moments.deviation) PROMISE(!(deviation < 0));
    const std::vector<std::int64_t> categories(table.arity.begin(), table.arity.end());
    double counted = 0, told = 0;
    for (const double each :
         code_counts(codes, categories.data(), table.labels.data(), weight, table.classes, 1, control))
        counted += each;
    for (std::size_t i = 0; i < table.codes.size(); ++i)
        told += table.codes[i] < 0 ? 0 : weight ? weight[i % table.rows] : 1;
    PROMISE(counted - told <= 1e-6 * (1 + told) && told - counted <= 1e-6 * (1 + told));
    for (const ValueCounts& values : value_counts(x, table.labels.data(), weight, 1, control)) {
        PROMISE(std::is_sorted(values.value.begin(), values.value.end()));
        const auto cuts = mdl_cuts(values, table.classes, control);
        PROMISE(std::is_sorted(cuts.begin(), cuts.end()) && cuts.size() < values.value.size() + 1);
        if (values.value.empty()) continue;
        const auto asked = input.list(4, [&] { return input.number(); });
        const double bandwidth = input.weight() + 1e-300;
        if (!(bandwidth - bandwidth == 0)) continue;
        std::vector<double> distinct = values.value, weights;
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        weights.assign(distinct.size(), 1.0 / static_cast<double>(distinct.size()));
        PROMISE(kernel_log_density(asked, distinct, weights, bandwidth, 1, control).size() == asked.size());
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    if (input.flag())
        check_sums(input);
    else
        check_counts(input);
    return 0;
}
