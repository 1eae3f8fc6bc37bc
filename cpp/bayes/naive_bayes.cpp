// Rows are taken in blocks that stay in the first-level cache while all attributes add their terms.
#include "bayes/naive_bayes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/compiler.hpp"
#include "base/parallel.hpp"
#include "bayes/loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_rows = 128;                   // 1 KB per class
constexpr std::ptrdiff_t line = 8, widest_awaited = 256;  // numbers in a line of the cache; in rows called for ahead

const auto add_gaussian = VAGLIO_LEVELS(add_gaussian).best();

class Block {
 public:
    Block(const StridedRows& numeric, const StridedCodes& codes, const NaiveBayesTerms& terms)
        : numeric_(numeric), codes_(codes), terms_(terms), sums_(terms.classes * block_rows) {}

    void run(std::size_t begin, std::size_t end, std::span<const double> prior, double* out) {
        n_ = end - begin;
        begin_ = begin;
        await_rows(end, std::min(numeric_.rows, end + n_));
        for (std::size_t c = 0; c < terms_.classes; ++c) std::fill_n(&sums_[c * block_rows], n_, prior[c]);
        for (std::size_t t = 0; t < terms_.kind.size(); ++t) add(t);
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t c = 0; c < terms_.classes; ++c) out[i * terms_.classes + c] = sums_[c * block_rows + i];
        }
    }

 private:
    void add(std::size_t term) {
        const double* numbers = terms_.numbers.data() + terms_.start[term];
        const auto size = static_cast<std::size_t>(terms_.size[term]);
        const auto column = static_cast<std::size_t>(terms_.column[term]);
        const auto kind = static_cast<TermKind>(terms_.kind[term]);
        if (kind == TermKind::category) {
            gather_codes(column, size);
            add_table(numbers);
            return;
        }
        gather_numbers(column);
        if (kind == TermKind::gaussian) {
            const std::size_t k = terms_.classes;
            for (std::size_t c = 0; c < k; ++c) {
                add_gaussian(x_.data(), n_, {numbers[c], numbers[k + c], numbers[2 * k + c]}, &sums_[c * block_rows]);
            }
        } else if (kind == TermKind::interval) {
            find_intervals(numbers, size - 1);
            add_table(numbers + size - 1);
        } else {
            find_values(numbers, size);
            add_table(numbers + size);
        }
    }

    // Columns are gathered one by one, which the processor does not foresee where rows follow each other: the next rows
    // are called for while these are worked on.
    void await_rows(std::size_t begin, std::size_t end) const {
        const auto width = static_cast<std::ptrdiff_t>(numeric_.columns);
        if (numeric_.column_stride != 1 || numeric_.row_stride < width || width > widest_awaited) return;
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = numeric_.data + static_cast<std::ptrdiff_t>(i) * numeric_.row_stride;
            for (std::ptrdiff_t j = 0; j < width; j += line) VAGLIO_PREFETCH(row + j);
        }
    }

    void gather_numbers(std::size_t column) {
        const double* from = numeric_.data + static_cast<std::ptrdiff_t>(begin_) * numeric_.row_stride +
                             static_cast<std::ptrdiff_t>(column) * numeric_.column_stride;
        for (std::size_t i = 0; i < n_; ++i, from += numeric_.row_stride) x_[i] = *from;
    }

    void gather_codes(std::size_t column, std::size_t size) {
        const std::int32_t* from = codes_.data + static_cast<std::ptrdiff_t>(column) * codes_.column_stride +
                                   static_cast<std::ptrdiff_t>(begin_) * codes_.row_stride;
        for (std::size_t i = 0; i < n_; ++i) {
            const std::int32_t code = from[static_cast<std::ptrdiff_t>(i) * codes_.row_stride];
            cell_[i] = code >= 0 && static_cast<std::size_t>(code) < size ? code : -1;
        }
    }

    void find_intervals(const double* cuts, std::size_t count) {
        for (std::size_t i = 0; i < n_; ++i) {
            cell_[i] = x_[i] == x_[i] ? std::upper_bound(cuts, cuts + count, x_[i]) - cuts : -1;
        }
    }

    void find_values(const double* values, std::size_t count) {
        for (std::size_t i = 0; i < n_; ++i) {
            const double* at = std::lower_bound(values, values + count, x_[i]);
            cell_[i] = at != values + count && *at == x_[i] ? at - values : -1;
        }
    }

    void add_table(const double* table) {
        for (std::size_t i = 0; i < n_; ++i) {
            if (cell_[i] < 0) continue;
            const double* row = table + static_cast<std::size_t>(cell_[i]) * terms_.classes;
            for (std::size_t c = 0; c < terms_.classes; ++c) sums_[c * block_rows + i] += row[c];
        }
    }

    const StridedRows& numeric_;
    const StridedCodes& codes_;
    const NaiveBayesTerms& terms_;
    std::vector<double> sums_;  // [class][row of the block]
    std::array<double, block_rows> x_{};
    std::array<std::ptrdiff_t, block_rows> cell_{};
    std::size_t n_ = 0, begin_ = 0;
};

void need(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

void check_term(const NaiveBayesTerms& terms, std::size_t t, std::size_t numeric_columns, std::size_t code_columns) {
    need(terms.kind[t] >= 0 && terms.kind[t] <= static_cast<std::int32_t>(TermKind::value),
         "a term is of no known kind");
    const auto kind = static_cast<TermKind>(terms.kind[t]);
    const std::size_t columns = kind == TermKind::category ? code_columns : numeric_columns;
    need(terms.column[t] >= 0 && static_cast<std::size_t>(terms.column[t]) < columns, "a column is out of range");
    const auto available = static_cast<std::int64_t>(terms.numbers.size());
    const std::int64_t least = kind == TermKind::interval ? 1 : 0;
    need(terms.size[t] >= least && terms.size[t] <= available + 1, "the size of a term is impossible");
    need(terms.start[t] >= 0 && terms.start[t] <= available, "the start of a term is out of range");
    const std::size_t length = term_length(kind, static_cast<std::size_t>(terms.size[t]), terms.classes);
    need(length <= static_cast<std::size_t>(available - terms.start[t]), "a term runs past the end");
}

}  // namespace

std::size_t term_length(TermKind kind, std::size_t size, std::size_t classes) {
    switch (kind) {
        case TermKind::gaussian:
            return 3 * classes;
        case TermKind::category:
            return size * classes;
        case TermKind::interval:
            return size - 1 + size * classes;
        case TermKind::value:
            return size + size * classes;
    }
    return 0;
}

void check_terms(const NaiveBayesTerms& terms, std::size_t numeric_columns, std::size_t code_columns) {
    const std::size_t count = terms.kind.size();
    need(terms.column.size() == count && terms.size.size() == count && terms.start.size() == count,
         "arrays of one length are needed");
    need(terms.classes > 0, "a class is needed");
    for (std::size_t t = 0; t < count; ++t) check_term(terms, t, numeric_columns, code_columns);
}

std::vector<double> joint_log_likelihood(const StridedRows& numeric, const StridedCodes& codes,
                                         std::span<const double> prior, const NaiveBayesTerms& terms, int threads,
                                         const Control& control) {
    constexpr std::size_t item_rows = 32 * block_rows;
    std::vector<double> out(numeric.rows * terms.classes);
    parallel_for(threads, (numeric.rows + item_rows - 1) / item_rows, [&](std::size_t item, int) {
        control.check();
        Block block(numeric, codes, terms);
        const std::size_t end = std::min(numeric.rows, (item + 1) * item_rows);
        for (std::size_t begin = item * item_rows; begin < end; begin += block_rows) {
            block.run(begin, std::min(end, begin + block_rows), prior, out.data() + begin * terms.classes);
        }
    });
    return out;
}

}  // namespace vaglio
