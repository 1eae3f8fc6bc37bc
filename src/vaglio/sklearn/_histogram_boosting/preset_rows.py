"""The rows of gradient boosting as scikit-learn prepares them: which are learned from, which are watched, how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import column_or_1d, compute_sample_weight

from vaglio.typing import ColumnLike, TableLike

# Rows that weigh whole numbers are repeated up to so many rows for one.
_MOST_COPIES = 10


@dataclass(frozen=True)
class BoostingRows:
    """Rows as scikit-learn prepares them, and which of them are to learn from and to watch."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    training: np.ndarray
    validation: np.ndarray


def rows_of(
    estimator: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, watched: dict[str, Any]
) -> BoostingRows:
    """Return the prepared rows; those to watch are given, or drawn as scikit-learn draws them."""
    rows, target = estimator._preprocess_X(X, reset=False), column_or_1d(y)
    n, weight = len(rows), _weights(estimator, target, sample_weight)
    stop = estimator.do_early_stopping_ = estimator._stops_early(n)
    training, validation = np.arange(n), np.empty(0, dtype=np.int64)
    if watched["X_val"] is not None:
        more = estimator._preprocess_X(watched["X_val"], reset=False)
        rows, target = np.concatenate([rows, more]), np.concatenate([target, column_or_1d(watched["y_val"])])
        weight = _with_weights_of(weight, n, watched["sample_weight_val"], len(more))
        validation = np.arange(n, len(rows))
    elif stop and estimator.validation_fraction is not None:
        training, validation = train_test_split(
            training,
            test_size=estimator.validation_fraction,
            stratify=target if is_classifier(estimator) else None,
            random_state=estimator._random_seed,
        )
    return BoostingRows(rows, target, weight, training, validation)


def by_weight(estimator: Any, rows: BoostingRows, weight: np.ndarray) -> BoostingRows | None:
    """Return the rows that count, those of whole weights so many times; None where scikit-learn counts others too.

    It counts a row once where ``min_samples_leaf`` asks for rows, whatever it weighs: only a leaf of one row is the
    same either way. Repeated rows leave no doubt which of two splits gains more: their sums are exact.
    """
    single = estimator.min_samples_leaf <= 1
    whole = bool((weight == np.rint(weight)).all()) and weight.sum() <= _MOST_COPIES * len(weight)
    if weight.all() and not (single and whole):
        return rows
    copies = weight.astype(np.int64) if whole else (weight > 0).astype(np.int64)
    if not single or (is_classifier(estimator) and len(np.unique(rows.y[copies > 0])) < len(estimator.classes_)):
        return None
    taken = np.repeat(np.arange(len(weight)), copies)
    watches = np.isin(taken, rows.validation)
    return BoostingRows(
        rows.X[taken], rows.y[taken], None if whole else weight[taken], *map(np.flatnonzero, (~watches, watches))
    )


def _weights(estimator: Any, y: np.ndarray, sample_weight: ColumnLike | None) -> np.ndarray | None:
    weight = None if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    if estimator.class_weight is None:
        return weight
    factors: np.ndarray = compute_sample_weight(estimator.class_weight, y)
    return factors if weight is None else factors * weight


def _with_weights_of(weight: np.ndarray | None, n: int, given: Any, more: int) -> np.ndarray | None:
    """Return the weights of the training rows and of the rows to watch; None where all weigh one."""
    if weight is None and given is None:
        return None
    both = (weight, n), (None if given is None else np.asarray(given, dtype=np.float64), more)
    return np.concatenate([np.ones(count) if part is None else part for part, count in both])
