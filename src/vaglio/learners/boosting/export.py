"""Boosted trees: scores that add up, each the trees of one output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.part import EXPONENTIAL_OF_SCORE, IDENTITY, LOGIT, SOFTMAX_OF_SCORES, Part
from vaglio.fitted import Fitted
from vaglio.fitted.formats import sql_statement
from vaglio.fitted.one_row import EXPONENTIAL_LINK, LOGISTIC_LINK, NO_LINK, SOFTMAX_LINK
from vaglio.learners.forest.export import part_of_some_trees


def part_of_boosted(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """One member per score; a score is where it starts and so many times the mean of its trees."""
    k = model.outputs
    members = tuple(part_of_some_trees(model.forest, range(c, k * model.rounds, k), features, 0) for c in range(k))
    link = {"logit": LOGIT, "softmax": SOFTMAX_OF_SCORES, "identity": IDENTITY, "log": EXPONENTIAL_OF_SCORE}
    fields = {"baseline": model.baseline, "rounds": model.rounds, "link": link[model.link]}
    return Part("boosted", max(n_classes, 1), fields, members)


def compile_boosted(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return boosted trees compiled for single rows."""
    link = {"logit": LOGISTIC_LINK, "softmax": SOFTMAX_LINK, "identity": NO_LINK, "log": EXPONENTIAL_LINK}[model.link]
    values = np.ascontiguousarray(model.forest.leaf_values[:, 0])
    return _core.boosted_scorer(model.forest.packed(features), values, model.baseline, link)


def boosted_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:
    from vaglio.learners.boosting.model.boosted_export import boosted_python
    from vaglio.learners.boosting.model.boosted_text import first_trees_text

    model: Any = fitted.model
    told = (model, fitted.codebook.features, fitted.classes, fitted.deciding_cost)
    return {
        "text": lambda: first_trees_text(model, fitted.codebook.features, fitted.classes),
        "sql": lambda: sql_statement(fitted),
        "python": lambda: boosted_python(*told),
    }
