"""Labels to codes, and what a model says about rows, in one form for every kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError

__all__ = ["ModelScores", "as_labels", "as_weight", "encode_labels", "label_universe", "model_scores"]


@dataclass(frozen=True)
class ModelScores:
    """Scores of rows, one column a class; ``probability`` is false for distances to a boundary."""

    values: np.ndarray
    classes: tuple
    probability: bool


def as_labels(y: Any, name: str = "y") -> np.ndarray:
    """A one-dimensional array of labels, none of them missing."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"{name} has shape {labels.shape}; give one label a row.")
    missing = labels != labels if labels.dtype.kind == "f" else np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind == "O":
        missing = np.fromiter((v is None or v != v for v in labels), dtype=bool, count=len(labels))
    if missing.any():
        raise InputError(
            f"{name} has no label in {int(missing.sum())} rows, first in row {int(missing.argmax())}; "
            "leave those rows out."
        )
    return labels


def as_weight(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Weights as float64, or None when every row counts once."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weight.shape}, the labels have {n_rows} rows.")
    if not np.isfinite(weight).all() or (weight < 0).any() or weight.sum() <= 0:
        raise InputError("sample_weight must be finite, not negative, and not all zero.")
    return weight


def _distinct(y: np.ndarray) -> list:
    try:
        return np.unique(y).tolist()
    except TypeError:  # labels of several types do not sort: keep the order they come in
        return list(dict.fromkeys(y.tolist()))


def label_universe(*parts: Sequence | np.ndarray) -> tuple:
    """Every label of every part: the first part in its own order, then the new ones, sorted if they can be.

    >>> label_universe(["yes", "no"], ["no", "maybe"])
    ('yes', 'no', 'maybe')
    """
    seen: dict = dict.fromkeys(np.asarray(parts[0]).tolist() if isinstance(parts[0], np.ndarray) else parts[0])
    for part in parts[1:]:
        seen.update(dict.fromkeys(_distinct(np.asarray(part))))
    return tuple(seen)


def encode_labels(y: np.ndarray, labels: Sequence) -> np.ndarray:
    """The position of each label in ``labels``."""
    position = {label: i for i, label in enumerate(labels)}
    try:
        distinct, inverse = np.unique(y, return_inverse=True)
        values = distinct.tolist()
    except TypeError:
        values, inverse = y.tolist(), np.arange(len(y))
    unknown = [v for v in values if v not in position]
    if unknown:
        raise InputError(f"The label {unknown[0]!r} is not among {list(labels)!r}.")
    codes = np.fromiter((position[v] for v in values), dtype=np.int64, count=len(values))
    return codes[inverse]


def model_scores(model: Any, X: Any) -> ModelScores | None:
    """Probabilities if the model has them, else its decision values, else None."""
    classes = tuple(np.asarray(model.classes_ if hasattr(model, "classes_") else model.classes).tolist())
    if hasattr(model, "predict_proba"):
        return ModelScores(np.asarray(model.predict_proba(X), dtype=np.float64), classes, True)
    if not hasattr(model, "decision_function"):
        return None
    values = np.asarray(model.decision_function(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    # A one-vs-one decision has a column a pair of classes: no score of a class can be read from it.
    return ModelScores(values, classes, False) if values.shape[1] == len(classes) else None
