// Every column is sorted once. A fold then counts the rows outside it by one pass over the sorted rows, fits the
// densities to the counts, and adds what they say about its own rows to the sums of those rows.
#include "bayes/density_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "bayes/column_density.hpp"
#include "bayes/mdl.hpp"

namespace vaglio {
namespace {

constexpr double least_probability = 1e-12;  // of a class that was held to be impossible, for the log-loss

struct SortedRow {
    double value;
    std::uint32_t row;
};

// The rows by class, then number.
std::vector<std::uint32_t> rows_by_class(const KeptOutRows& rows) {
    std::vector<std::uint32_t> order(rows.x.rows);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rows.label[a] < rows.label[b]; });
    return order;
}

// The present values of a column by value, then class, then row, which is the order they come in.
std::vector<SortedRow> sorted_column(const KeptOutRows& rows, std::span<const std::uint32_t> order,
                                     std::size_t column) {
    std::vector<KeyedRow> items;
    items.reserve(rows.x.rows);
    for (const std::uint32_t i : order) {
        const double value = rows.x.at(i, column);
        if (value == value) items.push_back({ordered_bits(value), i});
    }
    std::vector<KeyedRow> spare(items.size());
    const KeyedRow* found =
        radix_sort(items.data(), spare.data(), items.size(), 0, 64, [](const KeyedRow& item) { return item.key; });
    std::vector<SortedRow> sorted(items.size());
    for (std::size_t at = 0; at < sorted.size(); ++at) {
        const std::uint32_t row = found[at].row;
        sorted[at] = {rows.x.at(row, column) + 0.0, row};  // no negative zero
    }
    return sorted;
}

class Fold {
 public:
    Fold(const KeptOutRows& rows, const std::vector<std::vector<SortedRow>>& columns,
         const LikelihoodStrengths& strengths, std::size_t number, const Control& control)
        : rows_(rows), columns_(columns), strengths_(strengths), number_(number), control_(control) {
        place_.assign(rows.x.rows, 0);
        double total = 0;
        for (std::size_t i = 0; i < rows.x.rows; ++i) {
            if (!is_kept_out(i)) {
                total += weight_of(i);
                continue;
            }
            place_[i] = kept_out_.size();
            kept_out_.push_back(i);
        }
        if (rows.weight != nullptr) rows_per_weight_ = static_cast<double>(rows.x.rows - kept_out_.size()) / total;
        for (auto& sums : sums_) {
            sums.reserve(kept_out_.size() * rows.classes);
            for (const std::size_t i : kept_out_) {
                const double* from = rows.others.data() + i * rows.classes;
                sums.insert(sums.end(), from, from + rows.classes);
            }
        }
    }

    std::array<KeptOutLoss, 3> run(bool kernels) {
        bool any_cut = rows_.cut_elsewhere[number_] != 0;
        std::vector<ValueCounts> uncut;
        std::vector<std::size_t> uncut_columns;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            control_.check();
            ValueCounts counts = count_others(j);
            add(Density::normal, j, NormalDensities(counts, strengths_.var_smoothing, rows_.classes));
            const ValueCounts in_rows = counts_in_rows(counts);
            if (kernels) add_kernels(j, in_rows);
            if (has_few_values(in_rows)) {
                add(Density::intervals, j, CellFrequencies(counts, strengths_.alpha, rows_.classes));
                continue;
            }
            std::vector<double> cuts = mdl_cuts(in_rows, rows_.classes, control_);
            if (cuts.empty()) {  // one interval says nothing
                if (!any_cut) {
                    uncut.push_back(std::move(counts));
                    uncut_columns.push_back(j);
                }
                continue;
            }
            any_cut = true;
            add(Density::intervals, j, CellFrequencies(counts, std::move(cuts), strengths_.alpha, rows_.classes));
        }
        for (std::size_t at = 0; at < uncut.size() && !any_cut; ++at) {
            add(Density::intervals, uncut_columns[at],
                NormalDensities(uncut[at], strengths_.var_smoothing, rows_.classes));
        }
        std::array<KeptOutLoss, 3> losses;
        for (std::size_t d = 0; d < (kernels ? 3U : 2U); ++d) losses[d] = loss_of(sums_[d]);
        return losses;
    }

 private:
    bool is_kept_out(std::size_t row) const { return static_cast<std::size_t>(rows_.fold[row]) == number_; }

    double weight_of(std::size_t row) const { return rows_.weight != nullptr ? rows_.weight[row] : 1.0; }

    std::span<double> sums_at(Density density, std::size_t row) {
        return {sums_[static_cast<std::size_t>(density)].data() + place_[row] * rows_.classes, rows_.classes};
    }

    ValueCounts count_others(std::size_t column) const {
        ValueCounts counts;
        for (const SortedRow& item : columns_[column]) {
            if (is_kept_out(item.row)) continue;
            const auto label = static_cast<std::int32_t>(rows_.label[item.row]);
            const double weight = weight_of(item.row);
            if (!counts.value.empty() && counts.value.back() == item.value && counts.label.back() == label) {
                counts.weight.back() += weight;
                continue;
            }
            counts.value.push_back(item.value);
            counts.label.push_back(label);
            counts.weight.push_back(weight);
        }
        return counts;
    }

    // Minimums, description lengths and bandwidths count rows; smoothing is weighed against the weights as given.
    ValueCounts counts_in_rows(ValueCounts counts) const {
        for (double& weight : counts.weight) weight *= rows_per_weight_;
        return counts;
    }

    template <class Likelihood>
    void add(Density density, std::size_t column, const Likelihood& likelihood) {
        for (const SortedRow& item : columns_[column]) {
            if (is_kept_out(item.row)) likelihood.add_log_density(item.value, sums_at(density, item.row));
        }
    }

    // Equal values have equal densities, and a kernel density takes time: each value once.
    void add_kernels(std::size_t column, const ValueCounts& counts) {
        queries_.clear();
        for (const SortedRow& item : columns_[column]) {
            if (is_kept_out(item.row) && (queries_.empty() || queries_.back() != item.value)) {
                queries_.push_back(item.value);
            }
        }
        evidence_.assign(queries_.size() * rows_.classes, 0.0);
        add_kernel_densities(counts, rows_.classes, queries_, evidence_, control_);
        std::size_t query = 0;
        for (const SortedRow& item : columns_[column]) {
            if (!is_kept_out(item.row)) continue;
            while (queries_[query] != item.value) ++query;
            const std::span<double> sums = sums_at(Density::kernel, item.row);
            for (std::size_t c = 0; c < rows_.classes; ++c) sums[c] += evidence_[query * rows_.classes + c];
        }
    }

    KeptOutLoss loss_of(std::vector<double>& sums) const {
        KeptOutLoss loss;
        for (const std::size_t row : kept_out_) {
            const std::span<double> joint(sums.data() + place_[row] * rows_.classes, rows_.classes);
            to_probabilities(joint);
            const auto best = std::max_element(joint.begin(), joint.end()) - joint.begin();
            const std::int64_t label = rows_.label[row];
            if (best != label) loss.errors += weight_of(row);
            loss.log_loss -=
                weight_of(row) * std::log(std::max(joint[static_cast<std::size_t>(label)], least_probability));
        }
        return loss;
    }

    // A row that every class rules out falls back on the priors; a density beyond all numbers is the largest number.
    void to_probabilities(std::span<double> joint) const {
        constexpr double lowest = -std::numeric_limits<double>::infinity();
        for (double& sum : joint) {
            if (std::isnan(sum)) sum = lowest;
            sum = std::min(sum, std::numeric_limits<double>::max());
        }
        if (*std::max_element(joint.begin(), joint.end()) == lowest) {
            std::copy_n(rows_.log_prior.data() + number_ * rows_.classes, rows_.classes, joint.begin());
        }
        const double top = *std::max_element(joint.begin(), joint.end());
        double total = 0;
        for (double& sum : joint) total += sum = std::exp(sum - top);
        for (double& share : joint) share /= total;
    }

    const KeptOutRows& rows_;
    const std::vector<std::vector<SortedRow>>& columns_;
    const LikelihoodStrengths& strengths_;
    std::size_t number_;
    const Control& control_;
    double rows_per_weight_ = 1.0;
    std::vector<std::size_t> kept_out_, place_;  // rows of the fold, and where each has its sums
    std::array<std::vector<double>, 3> sums_;    // by density: [row of the fold][class]
    std::vector<double> queries_, evidence_;
};

}  // namespace

std::array<KeptOutLoss, 3> kept_out_losses(const KeptOutRows& rows, const LikelihoodStrengths& strengths, bool kernels,
                                           int threads, const Control& control) {
    const std::vector<std::uint32_t> order = rows_by_class(rows);
    std::vector<std::vector<SortedRow>> columns(rows.x.columns);
    parallel_for(threads, columns.size(), [&](std::size_t j, int) {
        control.check();
        columns[j] = sorted_column(rows, order, j);
    });
    std::vector<std::array<KeptOutLoss, 3>> of_fold(rows.folds);
    parallel_for(threads, rows.folds, [&](std::size_t number, int) {
        of_fold[number] = Fold(rows, columns, strengths, number, control).run(kernels);
    });
    std::array<KeptOutLoss, 3> losses;
    for (const auto& fold : of_fold) {
        for (std::size_t d = 0; d < losses.size(); ++d) {
            losses[d].errors += fold[d].errors;
            losses[d].log_loss += fold[d].log_loss;
        }
    }
    return losses;
}

}  // namespace vaglio
