"""Additive models, as boosted trees of one or two columns each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from vaglio.encode import Feature
from vaglio.export.export_node import Exporter, ExportNode
from vaglio.fitted import Fitted
from vaglio.fitted.formats import as_csv
from vaglio.learners.additive.model.trees import boosted_of
from vaglio.learners.boosting.export import boosted_python, compile_boosted, node_of_boosted


def node_of_additive(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    return node_of_boosted(boosted_of(model), features, n_classes)


def node_of_flat_terms(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    """The terms as trees without missing branches, each a sum that a database adds up."""
    return node_of_boosted(boosted_of(model, flat=True), features, n_classes)


# Categories of a column up to which an additive model is compiled.
_MOST_CATEGORIES = 4096


def compile_additive(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the terms compiled for single rows, as trees; None of columns of very many categories."""
    if any(len(feature.categories) > _MOST_CATEGORIES for feature in features):
        return None  # a test of categories has one bit for each of them
    return compile_boosted(boosted_of(model), features)


def additive_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:
    from vaglio.learners.additive.model.forms import term_rows, terms_text
    from vaglio.learners.additive.model.trees import boosted_of

    model: Any = fitted.model
    told = (boosted_of(model), fitted.codebook.features, fitted.classes, fitted.decision_cost, fitted.calibration)
    return {
        "text": lambda: terms_text(model, fitted.classes),
        "json": lambda: json.dumps(term_rows(model, fitted.classes), indent=2, ensure_ascii=False, default=str),
        "csv": lambda: as_csv(term_rows(model, fitted.classes)),
        **({} if fitted.calibration is not None and fitted.decision_cost is not None else {"sql": fitted.to_sql}),
        "python": lambda: boosted_python(*told),
    }


EXPORTERS = {"additive": Exporter("boosted", node_of_additive, build_sums=node_of_flat_terms)}
