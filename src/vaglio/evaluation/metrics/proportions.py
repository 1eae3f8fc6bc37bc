"""Class proportions that differ between training and use (V5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vaglio.errors import InputError

__all__ = ["adjust_priors", "rows_in_proportion"]


def rows_in_proportion(
    y: np.ndarray, proportions: Mapping[Any, float] | str = "balanced", *, n_rows: int | None = None, seed: int = 0
) -> np.ndarray:
    """Rows whose classes have the given proportions; rare classes are drawn more than once.

    Parameters
    ----------
    y : array of labels
    proportions : mapping of label to weight, or "balanced"
        Labels left out keep none of their rows.
    n_rows : int, optional
        By default as many as there are.
    seed : int, default=0

    Notes
    -----
    Alter the training rows only, never those that judge; :func:`adjust_priors` turns the probabilities of the
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
        raise InputError(f"proportions is {proportions!r}; give 'balanced' or a weight for each class.")
    unknown = [label for label in shares if label not in labels]
    if unknown or min(shares.values(), default=-1.0) < 0 or sum(shares.values()) <= 0:
        raise InputError(f"proportions need weights that are not negative, for classes among {labels.tolist()!r}.")
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
    """Probabilities of a model trained on altered class proportions, as the real proportions have them.

    Parameters
    ----------
    probability : ndarray of shape (n_rows, n_classes)
    trained_on, real : ndarray of shape (n_classes,)
        The proportions in training, and those of the world.

    Examples
    --------
    >>> adjust_priors(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.9, 0.1])).round(3).tolist()
    [[0.9, 0.1]]
    """
    trained_on, real = np.asarray(trained_on, np.float64), np.asarray(real, np.float64)
    if (trained_on <= 0).any() or (real < 0).any():
        raise InputError("Class proportions must be positive in training and not negative after.")
    scaled = probability * (real / real.sum()) / (trained_on / trained_on.sum())
    total = scaled.sum(axis=1, keepdims=True)
    return np.divide(scaled, total, out=np.full_like(scaled, 1 / scaled.shape[1]), where=total > 0)
