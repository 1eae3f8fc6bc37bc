"""Hierarchical shrinkage of a learned tree or forest, and the choice of its strength by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.learners.trees.estimators.cost_complexity import folds_of


class Shrinkable(Protocol):
    """A tree or a forest, whose nodes can be drawn towards the nodes above them."""

    def with_shrinkage(self, strength: float) -> Self: ...

    def predict(self, matrix: EncodedMatrix) -> np.ndarray: ...

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray: ...


Grown = TypeVar("Grown", bound=Shrinkable)
# From rows, what is to be predicted and the weights of the rows.
Learned = Callable[[EncodedMatrix, np.ndarray, np.ndarray | None], Grown]

# What "cv" tries: those of Agarwal and others (2022), and none.
STRENGTHS = (0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0)
# The error changes little from one strength to the next: five folds find the region, and a forest grows but five times.
_FOLDS = 5


def shrunken(
    estimator: Any,
    model: Grown,
    learned: Learned[Grown],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
) -> Grown:
    """Return the model shrunken as the estimator says; ``learned`` learns another one, from part of the rows."""
    strength = estimator.shrinkage
    if strength == "cv":
        strength = estimator.shrinkage_ = _chosen(estimator, learned, matrix, y, weight)
    return model.with_shrinkage(strength) if strength else model


def refuse_chosen_shrinkage(estimator: Any) -> None:
    """Refuse a strength by folds for rows that are not in memory."""
    if estimator.shrinkage == "cv":
        raise NotSupportedError(
            'shrinkage="cv" grows trees per fold, for which rows must be in memory: give a number, or learn from a '
            "stated sample."
        )


def _chosen(
    estimator: Any, learned: Learned[Grown], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> float:
    """Return the strength of least squared error on rows left out, of equal ones the least.

    For classes it is the error of the probabilities (the Brier score): a leaf that is sure and wrong does not make it
    infinite.
    """
    n_classes = len(getattr(estimator, "classes_", ()))
    errors = np.zeros(len(STRENGTHS))
    target = np.eye(n_classes)[y] if n_classes else y[:, None]
    for train, test in folds_of(estimator, y, n_classes, _FOLDS):
        part = None if weight is None else weight[train]
        model, held = learned(matrix.take(train), y[train], part), matrix.take(test)
        for i, strength in enumerate(STRENGTHS):
            drawn = model.with_shrinkage(strength)
            given = drawn.predict_proba(held) if n_classes else drawn.predict(held)[:, None]
            loss = ((given - target[test]) ** 2).sum(axis=1)
            errors[i] += float(loss.sum() if weight is None else loss @ weight[test])
    return STRENGTHS[int(np.argmin(errors))]
