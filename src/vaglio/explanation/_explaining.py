"""From a model and rows to explanations: the reasons by the kind of model, then what all kinds have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.explanation._context import Context, shown
from vaglio.explanation._explanation import Explanation
from vaglio.explanation.by_kind import explainers, leaves
from vaglio.model.kinds import KINDS

# Similar training rows that are named: a person compares a few rows, not many.
_MOST_SIMILAR = 3


def explain_rows(
    model: Any,
    matrix: EncodedMatrix,
    context: Context,
    counterfactual: bool = True,
    training: EncodedMatrix | None = None,
) -> list[Explanation]:
    """Explain the decision of a model for every row.

    Parameters
    ----------
    model : Model
    matrix : EncodedMatrix
        The rows.
    context : Context
        The names, categories and units of the user's table.
    counterfactual : bool
        Whether to look for what would change the decision.
    training : EncodedMatrix, optional
        The training rows, for an ensemble of trees to name those most like each row.
    """
    explain = explainers.find(model.kind)
    if explain is None:
        raise NotSupportedError(f"A model of the kind {model.kind!r} has no explanation.")
    explanations = explain(model, matrix, context)
    explanations = [
        replace(explanation, notes=(*unknown, *explanation.notes)) if unknown else explanation
        for explanation, unknown in zip(explanations, _unknown(model, matrix, context))
    ]
    if training is not None:
        alike = _similar_rows(model, matrix, training)
        explanations = [replace(e, notes=(*e.notes, note)) for e, note in zip(explanations, alike)]
    if not counterfactual or context.classes is None:
        return explanations
    # Imported late: many callers ask for explanations without counterfactuals.
    from vaglio.explanation.counterfactual.strategy import find_counterfactuals

    found = find_counterfactuals(model, matrix, context, explanations)
    return [replace(explanation, counterfactual=other) for explanation, other in zip(explanations, found)]


def _unknown(model: Any, matrix: EncodedMatrix, context: Context) -> list[list[str]]:
    """Say of every row which values are missing or were never seen, and what becomes of them."""
    notes: list[list[str]] = [[] for _ in range(matrix.n_rows)]
    for (row, j), value in context.unseen.items():
        name = context.features[j].name
        notes[row].append(f"{name} = {shown(value)} was never seen in training, and counts as missing")
    fate = KINDS[model.kind].missing if model.kind in KINDS else None
    if matrix.sparse is None and fate is not None:
        missing = matrix.missing
        for row in np.flatnonzero(missing.any(axis=1)).tolist():
            names = ", ".join(context.features[j].name for j in np.flatnonzero(missing[row]))
            notes[row].append(f"missing, and so {fate}: {names}")
    return notes


def _similar_rows(model: Any, matrix: EncodedMatrix, training: EncodedMatrix) -> list[str]:
    """Name for each row the training rows that share its leaf in most trees, by their number from 0."""
    find_leaves = leaves.find(model.kind)
    here = None if find_leaves is None else find_leaves(model, matrix)
    there = None if find_leaves is None else find_leaves(model, training)
    if here is None or there is None:
        raise NotSupportedError(
            "Similar training rows are those that end in the same leaves of many trees, and this model has none: leave "
            "training out."
        )
    notes = []
    for row in here[0]:
        similarity = (there[0] == row) @ here[1]
        nearest = [i for i in np.argsort(-similarity, kind="stable")[:_MOST_SIMILAR].tolist() if similarity[i] > 0]
        told = ", ".join(f"{i} ({similarity[i]:.0%})" for i in nearest)
        notes.append(
            f"training rows most like it (counted from 0; share of trees with the same leaf): {told or 'none'}"
        )
    return notes
