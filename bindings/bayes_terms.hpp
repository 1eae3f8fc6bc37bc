#pragma once
// Terms of naive Bayes that come from Python: every index is checked before a kernel reads by it.
#include "bayes/naive_bayes.hpp"
#include "support.hpp"

inline void check_term(const vaglio::NaiveBayesTerms& terms, std::size_t t, std::size_t numbers, std::size_t codes) {
    require(terms.kind[t] >= 0 && terms.kind[t] <= static_cast<std::int32_t>(vaglio::TermKind::value),
            "a term is of no known kind");
    const auto kind = static_cast<vaglio::TermKind>(terms.kind[t]);
    const std::size_t columns = kind == vaglio::TermKind::category ? codes : numbers;
    require(terms.column[t] >= 0 && static_cast<std::size_t>(terms.column[t]) < columns, "a column is out of range");
    const auto available = static_cast<std::int64_t>(terms.numbers.size());
    const bool interval = kind == vaglio::TermKind::interval;
    require(terms.size[t] >= (interval ? 1 : 0) && terms.size[t] <= available + 1, "the size of a term is impossible");
    require(terms.start[t] >= 0 && terms.start[t] <= available, "the start of a term is out of range");
    const std::size_t length = vaglio::term_length(kind, static_cast<std::size_t>(terms.size[t]), terms.classes);
    require(length <= static_cast<std::size_t>(available - terms.start[t]), "a term runs past the end");
}

inline void check_terms(const vaglio::NaiveBayesTerms& terms, std::size_t numbers, std::size_t codes) {
    for (std::size_t t = 0; t < terms.kind.size(); ++t) check_term(terms, t, numbers, codes);
}
