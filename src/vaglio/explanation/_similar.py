"""Training rows like a row, as an ensemble of trees sees it: those that end in the same leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.model.ensembles.ensemble import Ensemble
from vaglio.model.ensembles.forest import Forest
from vaglio.model.trees.tree import Tree

_SHOWN = 3


def similar_rows(model: Any, matrix: EncodedMatrix, training: EncodedMatrix) -> list[str]:
    """Name for each row the training rows that share its leaf in most trees, by their number from 0."""
    leaves, weights = _leaves(model, matrix)
    others, _ = _leaves(model, training)
    notes = []
    for row in leaves:
        similarity = (others == row) @ weights
        nearest = [i for i in np.argsort(-similarity, kind="stable")[:_SHOWN].tolist() if similarity[i] > 0]
        told = ", ".join(f"{i} ({similarity[i]:.0%})" for i in nearest)
        notes.append(
            f"training rows most like it (counted from 0; share of trees with the same leaf): {told or 'none'}"
        )
    return notes


def _leaves(model: Any, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each row in each tree, (n, trees), and the weight of each tree."""
    if isinstance(model, Forest):
        return model.apply(matrix), np.full(model.n_trees, 1 / model.n_trees)
    if isinstance(model, Ensemble) and all(isinstance(member.model, Tree) for member in model.members):
        weight = np.array([member.weight for member in model.members])
        found = [member.model.apply(member.rows(matrix)) for member in model.members]
        return np.column_stack(found), weight / weight.sum()
    raise NotSupportedError(
        "Similar training rows are those that end in the same leaves of many trees, and this model has none: leave "
        "training out."
    )
