"""What ``score`` returns, accuracy and R²: for plain arrays at once, with the bits of scikit-learn's functions.

Cross-validation asks for a score as often as it fits. On a small table scikit-learn's functions look at the arrays for
longer than the model is learned and asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.learners.plain_arrays import distinct_labels


def accuracy(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    """Return the share of rows whose label is predicted.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The true labels.
    predicted : array-like of shape (n_samples,)
        Those predicted.
    sample_weight : array-like of shape (n_samples,), optional
    """
    found = _plain_accuracy(y, predicted) if sample_weight is None else None
    if found is None:
        from sklearn.metrics import accuracy_score

        found = float(accuracy_score(y, predicted, sample_weight=sample_weight))
    return found


def determination(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    """Return the coefficient of determination R².

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true numbers.
    predicted : array-like of the same shape
        Those predicted.
    sample_weight : array-like of shape (n_samples,), optional
    """
    found = _plain_determination(y, predicted) if sample_weight is None else None
    if found is None:
        from sklearn.metrics import r2_score

        found = float(r2_score(y, predicted, sample_weight=sample_weight))
    return found


def _plain_accuracy(y: Any, predicted: Any) -> float | None:
    """Return the accuracy; None where scikit-learn has to look at the labels."""
    if not _alike(y, predicted) or y.dtype.kind not in "biuU" or y.dtype.kind != predicted.dtype.kind:
        return None
    for labels in (y, predicted):
        found = distinct_labels(labels)
        if found is None or len(found[0]) > len(y) // 2:  # where nearly every row is a class of its own, it warns
            return None
    return float((y == predicted).mean())


def _plain_determination(y: Any, predicted: Any) -> float | None:
    """Return the coefficient of determination; None where scikit-learn has to look at the numbers."""
    if not _alike(y, predicted) or len(y) < 2 or y.dtype.kind not in "iuf" or predicted.dtype != np.float64:
        return None
    # Sums over the rows of one column: in another shape they would add in another order.
    column = y.astype(np.float64).reshape(-1, 1)
    with np.errstate(over="ignore", invalid="ignore"):
        left = ((column - predicted.reshape(-1, 1)) ** 2).sum(axis=0)
        whole = ((column - np.average(column, axis=0)) ** 2).sum(axis=0)
    if not (np.isfinite(left[0]) and np.isfinite(whole[0]) and whole[0] > 0):
        return None
    return float((1 - left / whole)[0])


def _alike(y: Any, predicted: Any) -> bool:
    """Whether both are arrays of one value per row."""
    return type(y) is type(predicted) is np.ndarray and y.ndim == 1 and y.shape == predicted.shape and len(y) > 0
