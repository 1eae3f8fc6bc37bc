"""A term of an additive model to be drawn: steps over numbers, categories side by side, a map of two columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.additive_text import group_labels, segments, slot_labels

# Steps that differ by less than this share of the range of a term are drawn as one.
_ALIKE = 0.01


@dataclass(frozen=True, eq=False)
class TermShape:
    """What a drawing of a term needs.

    Attributes
    ----------
    name : str
    form : {"steps", "values", "cells"}
        Of a column of numbers, of a column of categories, of two columns.
    labels : list of str
        Of "values" and "cells": the values, or those of the first column.
    across : list of str
        Of "cells": the values of the second column.
    edges : float64 (n + 1,)
        Of "steps": where they begin and end; the outer ones are open, and end where a drawing ends.
    scores, deviations : float64 (n, K) or (a, b, K)
    weights : float64 (n,) or (a, b)
    missing : (float64 (K,), float64 (K,)) or None
        Score and deviation of missing values, if training rows had any.
    columns : tuple of str
        Names of the columns.
    is_date : bool
        Whether the edges are days since 1970.
    """

    name: str
    form: str
    labels: list[str]
    across: list[str]
    edges: np.ndarray
    scores: np.ndarray
    deviations: np.ndarray
    weights: np.ndarray
    missing: tuple[np.ndarray, np.ndarray] | None
    columns: tuple[str, ...]
    is_date: bool = False


def term_shape(model: Additive, term: int, most: int = 64) -> TermShape:
    """Return a term to draw.

    Parameters
    ----------
    model : Additive
    term : int
    most : int
        Most steps or values.
    """
    first, second = model.terms[term].tolist()
    scores, deviations, weights = (model.table(term, of) for of in ("scores", "deviations", "weights"))
    columns = tuple(model.features[j].name for j in (first, second) if j >= 0)
    name, none = model.name_of(term), np.zeros(0)
    if second >= 0:
        down, across = (np.flatnonzero(weights.sum(axis=axis) > 0) for axis in (1, 0))
        left, top = ([group_labels(model, j)[i] for i in own] for j, own in ((first, down), (second, across)))
        cells = np.ix_(down, across)
        return TermShape(
            name, "cells", left, top, none, scores[cells], deviations[cells], weights[cells], None, columns
        )
    missing = (scores[-1], deviations[-1]) if weights[-1] > 0 else None
    column = model.features[first]
    if column.is_nominal or column.categories:
        order = np.flatnonzero(weights[:-1] > 0)
        order = np.sort(order[np.argsort(-weights[order], kind="stable")][:most])
        if column.is_nominal:
            order = order[np.argsort(-scores[order, 0], kind="stable")]
        labels_of = slot_labels(model, first)
        shown = [labels_of[i] for i in order]
        tables = scores[order], deviations[order], weights[order]
        return TermShape(name, "values", shown, [], none, *tables, missing, columns)
    cuts = model.cuts_of(first)
    runs = segments(scores[:-1], weights[:-1], most, _ALIKE)
    reach = float(cuts[-1] - cuts[0]) if len(cuts) > 1 else 0.0
    # The outer steps are open: of a few cuts they are drawn as wide as the others.
    margin = reach * max(0.05, 1 / max(len(cuts) - 1, 1)) if len(cuts) < 20 else 0.05 * reach
    margin = margin or max(1.0, 0.05 * abs(float(cuts[0]))) if len(cuts) else 1.0
    ends = [cuts[end - 1] for _, end in runs[:-1]]
    low, high = (cuts[0] - margin, cuts[-1] + margin) if len(cuts) else (-margin, margin)
    middle, spread = (_joined(table[:-1], weights[:-1], runs) for table in (scores, deviations))
    heavy = np.array([weights[a:b].sum() for a, b in runs])
    edges = np.array([low, *ends, high], dtype=np.float64)
    return TermShape(name, "steps", [], [], edges, middle, spread, heavy, missing, columns, column.is_date)


def _joined(table: np.ndarray, weights: np.ndarray, runs: list[tuple[int, int]]) -> np.ndarray:
    safe = np.maximum(weights, 1e-300)
    return np.array([np.average(table[a:b], axis=0, weights=safe[a:b]) for a, b in runs])
