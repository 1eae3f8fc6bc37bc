"""A forest by its importances and one of its trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.trees.chapter import tree_drawing
from vaglio.messages.sentences import clip, plural

__all__ = ["forest_parts", "importances"]


def forest_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    forest: Any = fitted.model
    shares = importances(
        fitted,
        limits,
        "Impurity importance of the columns",
        "Share of each column in the decrease of impurity over the splits of all trees. This measure is too high for "
        "columns with many values.",
    )
    # Half of a page: the tree is one example of many.
    smaller = ChapterLimits(tree_nodes=min(limits.tree_nodes, 31))
    part, _ = tree_drawing(forest.tree(0, fitted.codebook.features), fitted, smaller)
    part["title"] = "One of its trees"
    part["note"] = (
        f"The first of {plural(forest.n_trees, 'tree')}, as an example. Each tree was trained on other rows; "
        f"the forest averages their predictions. {part['note']}"
    ).strip()
    part["folded"] = True
    return ["There are too many trees to read one by one; the importance of the columns summarises them."], [
        shares,
        *about.maps(fitted),
        part,
    ]


def importances(fitted: Fitted, limits: ChapterLimits, title: str, note: str) -> dict[str, Any]:
    """The importances of the columns as bars, the largest first."""
    found: np.ndarray = fitted.model.importances  # type: ignore[attr-defined]
    names = [clip(feature.name, 48) for feature in fitted.codebook.features]
    order = np.argsort(-found, kind="stable")
    order = order[found[order] > 0]
    shown = order[: limits.weights]
    more = f" {plural(len(order) - len(shown), 'further column')} not shown." if len(order) > len(shown) else ""
    return {
        "type": "bars",
        "title": title,
        "note": note + more,
        "rows": [{"label": names[i], "value": float(found[i])} for i in shown],
        "form": "percent",
    }
