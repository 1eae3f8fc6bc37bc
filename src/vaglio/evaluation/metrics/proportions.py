"""Class proportions that differ between training and use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.labels import as_labels, as_numbers
from vaglio.runtime.arguments import checked

__all__ = ["adjust_priors", "rows_in_proportion"]


@checked
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
    with as_own_errors():  # classes of several types
        y = as_labels(y)
        labels = np.unique(y)
    shares = dict.fromkeys(labels.tolist(), 1.0) if isinstance(proportions, str) else dict(proportions)
    if isinstance(proportions, str) and proportions != "balanced":
        raise InputError(
            "wrong-proportions",
            "proportions is {proportions!r}; pass 'balanced' or a weight for each class.",
            proportions=proportions,
        )
    unknown = [label for label in shares if label not in labels]
    if unknown or min(shares.values(), default=-1.0) < 0 or sum(shares.values()) <= 0:
        raise InputError(
            "proportions-negative",
            "proportions must be non-negative weights of classes among {tolist!r}.",
            tolist=labels.tolist(),
        )
    total = len(y) if n_rows is None else n_rows
    if total < 0:
        raise InputError("negative-rows", "n_rows must be an integer of at least 0, not {n_rows}.", n_rows=total)
    ends = np.round(np.cumsum([0.0, *shares.values()]) / sum(shares.values()) * total).astype(int)
    rng = np.random.default_rng(seed)
    parts = []
    for label, n in zip(shares, np.diff(ends), strict=True):
        members = np.flatnonzero(y == label)
        # Every row as often as possible before any is drawn once more.
        whole = np.tile(members, n // len(members))
        parts += [whole, rng.choice(members, n - len(whole), replace=False)]
    return np.sort(np.concatenate(parts))


@checked
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
    trained_on, real = as_numbers(trained_on, "trained_on"), as_numbers(real, "real")
    with as_own_errors():
        probability = np.asarray(probability, dtype=np.float64)
    if probability.ndim != 2 or not probability.shape[1] == len(trained_on) == len(real):
        raise InputError(
            "proportions-shape",
            "Pass a probability of each row and class, and two proportions of each class, not the shapes {shape}, "
            "{trained_on} and {real}.",
            shape=probability.shape,
            trained_on=trained_on.shape,
            real=real.shape,
        )
    if (trained_on <= 0).any() or (real < 0).any():
        raise InputError(
            "class-proportions-not-positive",
            "Class proportions must be positive in training and non-negative in reality.",
        )
    scaled = probability * (real / real.sum()) / (trained_on / trained_on.sum())
    total = scaled.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(scaled, total, out=np.full_like(scaled, 1 / scaled.shape[1]), where=total > 0))
