"""A forest by its importances and one of its trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits, further_columns
from vaglio.fitted import Fitted
from vaglio.learners.trees.chapter import tree_drawing
from vaglio.messages.message import join, text
from vaglio.messages.sentences import clip

__all__ = ["forest_parts", "importances"]


def forest_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    forest: Any = fitted.model
    shares = importances(
        fitted,
        limits,
        text("Impurity importance of the columns"),
        text(
            "Share of each column in the decrease of impurity over the splits of all trees. This measure is too high "
            "for columns with many values."
        ),
    )
    # Half of a page: the tree is one example of many.
    smaller = ChapterLimits(tree_nodes=min(limits.tree_nodes, 31))
    part, _ = tree_drawing(forest.tree(0, fitted.codebook.features), fitted, smaller)
    part["title"] = text("One of its trees")
    about_tree = text(
        "The first of {n:,} {n:tree|trees}, as an example. Each tree was trained on other rows; the forest averages "
        "their predictions.",
        n=forest.n_trees,
    )
    part["note"] = join(" ", [about_tree, part["note"]] if part["note"] else [about_tree])
    part["folded"] = True
    said = text("There are too many trees to read one by one; the importance of the columns summarises them.")
    return [said], [shares, *about.maps(fitted), part]


def importances(fitted: Fitted, limits: ChapterLimits, title: str, note: str) -> dict[str, Any]:
    """The importances of the columns as bars, the largest first."""
    found: np.ndarray = fitted.model.importances  # type: ignore[attr-defined]
    names = [clip(feature.name, 48) for feature in fitted.codebook.features]
    order = np.argsort(-found, kind="stable")
    order = order[found[order] > 0]
    shown = order[: limits.weights]
    left = len(order) - len(shown)
    return {
        "type": "bars",
        "title": title,
        "note": join(" ", [note, further_columns(left)]) if left else note,
        "rows": [{"label": names[i], "value": float(found[i])} for i in shown],
        "form": "percent",
    }
