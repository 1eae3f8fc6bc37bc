"""Growing trees on rows that many trees share: a forest encodes and sorts its rows once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.fitted import Fitted
from vaglio.sklearn._tree_object import tree_object


@dataclass(frozen=True)
class Rows:
    """Training rows as vaglio's grower reads them."""

    source: Any
    single: np.ndarray
    codebook: Codebook
    matrix: EncodedMatrix


_shared: dict[int, Rows] = {}
_users = 0
_lock = threading.Lock()


@contextmanager
def sharing() -> Iterator[None]:
    """Let all trees that are grown on the same array within this block share what is made of it."""
    global _users
    with _lock:
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _shared.clear()


def rows_of(source: Any, checked: Any) -> Rows:
    """Return the encoded rows; ``source`` is the object that the user or a forest gave.

    scikit-learn's trees see single precision; the same numbers in double precision are what vaglio reads.
    """
    with _lock:
        known = _shared.get(id(source))
        if known is not None and known.source is source:
            return known
        single = checked.toarray() if issparse(checked) else checked
        double = single.astype(np.float64)
        codebook = Codebook.learn(double)
        rows = Rows(source, single, codebook, codebook.encode(double))
        rows.matrix.ranks()
        if _users:
            _shared[id(source)] = rows
        return rows


def grow(estimator: Any, rows: Rows, target: np.ndarray, weight: np.ndarray | None) -> None:
    """Grow a tree by an estimator's parameters and write scikit-learn's attributes.

    Parameters
    ----------
    estimator : TreePreset
    rows : Rows
    target : ndarray of shape (n_samples,)
        Class codes or numbers.
    weight : ndarray of shape (n_samples,), optional
    """
    learner, matrix = estimator._make(), rows.matrix
    classes = estimator.__dict__.get("classes_")
    if classes is not None:
        learner.classes_ = classes
    target = target.astype(np.float64 if classes is None else np.int64)
    model = learner._learn(matrix, np.ascontiguousarray(target), weight)
    learner.n_features_in_ = matrix.n_features
    provenance = {"version": __version__}
    learner.fitted_ = Fitted(rows.codebook, model, classes, learner._learner_id, {}, provenance)
    estimator.max_features_ = columns_drawn(estimator.max_features, matrix.n_features)
    estimator.tree_ = tree_object(model, rows.single, weight)
    estimator.learner_ = learner


def columns_drawn(max_features: Any, width: int) -> int:
    """Return how many columns are drawn for a split, as scikit-learn counts them."""
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(width) if max_features == "sqrt" else np.log2(width)))
    if max_features is None:
        return width
    if isinstance(max_features, (int, np.integer)):
        return int(max_features)
    return max(1, int(max_features * width))
