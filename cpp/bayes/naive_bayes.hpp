#pragma once
// Sum over the attributes of a row of each class's log-likelihood, for tables of numbers and categories together.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "bayes/class_counts.hpp"
#include "bayes/moments.hpp"

namespace vaglio {

// How one attribute speaks. Its numbers start at `start` in NaiveBayesTerms::numbers:
//   gaussian  mean[K], 1 / (2 variance)[K], log normaliser[K]   of a numeric column
//   category  log probability [size][K]                         of a code column
//   interval  cut points [size - 1], log probability [size][K]  of a numeric column; x < cut lies to its left
//   value     values [size], log probability [size][K]          of a numeric column; another value says nothing
enum class TermKind : std::int32_t { gaussian, category, interval, value };

struct NaiveBayesTerms {
    std::size_t classes;
    std::span<const std::int32_t> kind, column;
    std::span<const std::int64_t> size, start;
    std::span<const double> numbers;
};

// Numbers a term of this kind and size takes.
std::size_t term_length(TermKind kind, std::size_t size, std::size_t classes);

// Throws std::invalid_argument where a term would be read beyond its numbers, or speaks of a column that is not there.
void check_terms(const NaiveBayesTerms& terms, std::size_t numeric_columns, std::size_t code_columns);

// The row-major (rows, classes) sums, on top of `prior` (one number per class). A missing value adds nothing.
std::vector<double> joint_log_likelihood(const StridedRows& numeric, const StridedCodes& codes,
                                         std::span<const double> prior, const NaiveBayesTerms& terms, int threads,
                                         const Control& control);

}  // namespace vaglio
