"""Additive models, as boosted trees of one or two columns each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from vaglio.encode import Feature
from vaglio.export.part import Part
from vaglio.fitted import Fitted
from vaglio.fitted.formats import as_csv, sql_statement
from vaglio.learners.additive.model.additive_trees import boosted_of
from vaglio.learners.boosting.export import compile_boosted, part_of_boosted


def part_of_additive(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    return part_of_boosted(boosted_of(model), features, n_classes)


# Categories of a column up to which an additive model is compiled.
_MOST_CATEGORIES = 4096


def compile_additive(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the terms compiled for single rows, as trees; None of columns of very many categories."""
    if any(len(feature.categories) > _MOST_CATEGORIES for feature in features):
        return None  # a test of categories has one bit for each of them
    return compile_boosted(boosted_of(model), features)


def additive_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:
    from vaglio.learners.additive.model.additive_text import term_rows, terms_text
    from vaglio.learners.additive.model.additive_trees import boosted_of
    from vaglio.learners.boosting.model.boosted_export import boosted_python

    model: Any = fitted.model
    told = (boosted_of(model), fitted.codebook.features, fitted.classes, fitted.deciding_cost)
    return {
        "text": lambda: terms_text(model, fitted.classes),
        "json": lambda: json.dumps(term_rows(model, fitted.classes), indent=2, ensure_ascii=False, default=str),
        "csv": lambda: as_csv(term_rows(model, fitted.classes)),
        "sql": lambda: sql_statement(fitted),
        "python": lambda: boosted_python(*told),
    }
