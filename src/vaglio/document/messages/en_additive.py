"""The sentences about additive models in English."""

from __future__ import annotations

MESSAGES = {
    "name_additive": "additive model (explainable boosting)",
    "additive_rule": "The score F of a row is a sum of one number per column, read from a table. In each round every column in turn takes a step: a cut into {leaves} parts at most, chosen by the gradients g and Hessians h of the rows. The step of a part, times the learning rate {rate}, is added to the table of the column. Up to {columns} columns see the same gradients; then they are computed anew.",
    "additive_here": "The first rounds, on all rows. The model is the mean of {bags} bags, each without some of the rows; its number of rounds, {rounds}, has the least loss on the rows that were kept out.",
    "additive_column": "{column}: a step of {parts} parts.",
    "additive_no_step": "{column}: no cut gains anything.",
    "additive_of_class": "The score of the class {label}:",
    "additive_terms": "The terms of the model",
    "additive_centred": "In the end the mean of every term moves to the start, which is {start}. The model has {terms} terms, {pairs} of them pairs of columns, after {pair_rounds} rounds of pairs.",
    "additive_importance": "mean size",
    "additive_total": "sum",
    "additive_part": "part",
    "additive_term": "term",
}
