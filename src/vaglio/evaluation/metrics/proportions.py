"""Class proportions that differ between training and use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vaglio.errors import InputError

__all__ = ["adjust_priors", "rows_in_proportion"]


def rows_in_proportion(
    y: np.ndarray, proportions: Mapping[Any, float] | str = "balanced", *, n_rows: int | None = None, seed: int = 0
) -> np.ndarray:
    """Choose rows whose classes have the given proportions; rows of rare classes are drawn more than once.

    Parameters
    ----------
    y : array of labels
    proportions : mapping of label to weight, or "balanced"
        Classes that are left out keep none of their rows.
    n_rows : int, optional
        Number of rows drawn; by default as many as there are.
    seed : int, default=0
        Seed of the drawing.

    Notes
    -----
    Change the training rows only, never the test rows; :func:`adjust_priors` converts the probabilities of the
    model back to the real proportions. Weights (``class_weight``) do the same without drawing.

    Examples
    --------
    >>> y = np.array(["no"] * 90 + ["yes"] * 10)
    >>> rows = rows_in_proportion(y, {"no": 1, "yes": 1})
    >>> np.unique(y[rows], return_counts=True)[1].tolist()
    [50, 50]
    """
    labels = np.unique(y)
    shares = dict.fromkeys(labels.tolist(), 1.0) if isinstance(proportions, str) else dict(proportions)
    if isinstance(proportions, str) and proportions != "balanced":
        raise InputError(
            "proportions-give-balanced-weight",
            "proportions is {proportions!r}; give 'balanced' or a weight for each class.",
            proportions=proportions,
        )
    unknown = [label for label in shares if label not in labels]
    if unknown or min(shares.values(), default=-1.0) < 0 or sum(shares.values()) <= 0:
        raise InputError(
            "proportions-must-weights-negative",
            "proportions must be weights that are not negative, for classes among {tolist!r}.",
            tolist=labels.tolist(),
        )
    total = len(y) if n_rows is None else n_rows
    ends = np.round(np.cumsum([0.0, *shares.values()]) / sum(shares.values()) * total).astype(int)
    rng = np.random.default_rng(seed)
    parts = []
    for label, n in zip(shares, np.diff(ends), strict=True):
        members = np.flatnonzero(y == label)
        # Every row as often as possible before any is drawn once more.
        whole = np.tile(members, n // len(members))
        parts += [whole, rng.choice(members, n - len(whole), replace=False)]
    return np.sort(np.concatenate(parts))


def adjust_priors(probability: np.ndarray, trained_on: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Convert the probabilities of a model that was trained on changed class proportions to the real proportions.

    Parameters
    ----------
    probability : ndarray of shape (n_rows, n_classes)
        Predicted by the model.
    trained_on, real : ndarray of shape (n_classes,)
        The class proportions in training, and the real ones.

    Examples
    --------
    >>> adjust_priors(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.9, 0.1])).round(3).tolist()
    [[0.9, 0.1]]
    """
    trained_on, real = np.asarray(trained_on, np.float64), np.asarray(real, np.float64)
    if (trained_on <= 0).any() or (real < 0).any():
        raise InputError(
            "class-proportions-must-positive",
            "Class proportions must be positive in training and not negative in reality.",
        )
    scaled = probability * (real / real.sum()) / (trained_on / trained_on.sum())
    total = scaled.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(scaled, total, out=np.full_like(scaled, 1 / scaled.shape[1]), where=total > 0))
