"""What a model file says about its training: the parameters as data; shape, fingerprint and shares of the rows.

A model in use sees other rows than those it was trained on. Whether they come from the same distribution can be asked
long after the training rows are gone, if their shares per bin or category were kept.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from vaglio.encode import EncodedMatrix, Feature

# Rows that the fingerprint and the shares cover: their cost does not grow with the table. For the shares, fewer rows of
# a wide table are counted, and none of a very wide one.
_MOST_ROWS = 1000
_MOST_CELLS = 1 << 17
_MOST_COLUMNS = 500
# Bins of a column of numbers: tenths of the training rows.
_BINS = 10
# Categories whose shares are kept; those of a column with more change anyway.
_MOST_CATEGORIES = 1000


def plain_params(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters as data; what is not data is named by its text, and the model itself decides on saving.

    ``n_jobs`` is left out: the same model gives the same file, whoever helped to make it.
    """
    params = estimator.get_params(deep=False)
    return {name: _plain(value) for name, value in sorted(params.items()) if name != "n_jobs"}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.random.RandomState):
        return "RandomState"
    return getattr(value, "__name__", None) or str(value)


def learner_source(estimator: Any) -> str:
    """The source that makes an estimator again; without the number of threads, which changes no model."""
    default = type(estimator)().get_params(deep=False)
    given = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "n_jobs" and not _same(value, default[name])
    }
    # None is a value that was given, too.
    parts = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"vaglio.{type(estimator).__name__}({parts})"


def _same(a: Any, b: Any) -> bool:
    # 1 == True == 1.0 in Python, but not in a line a person reads.
    return type(a) is type(b) and bool(a == b)


def describe_training(matrix: EncodedMatrix, y: np.ndarray) -> dict[str, Any]:
    """Return shape, fingerprint and shares of the training rows.

    The fingerprint covers at most a thousand evenly spaced rows; so do the shares, with which a model in use compares
    the rows it sees.
    """
    n = matrix.n_rows
    sample = matrix
    if n > _MOST_ROWS:
        rows = np.linspace(0, n - 1, _MOST_ROWS).astype(np.int64)
        sample, y = matrix.take(rows), y[rows]
    digest = hashlib.sha256(repr((n, matrix.n_features)).encode())
    blocks = [sample.numeric, sample.codes, y]
    if sample.sparse is not None:
        blocks += [sample.sparse.data, sample.sparse.indices, sample.sparse.indptr]
    for block in blocks:
        digest.update(np.ascontiguousarray(block).data)
    columns = len({feature.column for feature in matrix.features})
    known = learn_shares(matrix)
    facts = {"rows": n, "columns": columns, "fingerprint": digest.hexdigest()[:16]}
    return {**facts, "shares": known} if any(known) else facts


# -- shares -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Shares:
    """The training rows in one column.

    Attributes
    ----------
    counts : tuple of int
        Rows per bin of numbers, or per category.
    edges : tuple of float
        Of numbers: the largest value of each bin but the last. Empty for categories.
    low, high : float
        The range of the numbers in all training rows; infinite for categories.
    """

    counts: tuple[int, ...]
    edges: tuple[float, ...] = ()
    low: float = -np.inf
    high: float = np.inf

    def to_state(self) -> list[Any]:
        """Return JSON for the model file."""
        numbers = [list(self.edges), self.low, self.high] if np.isfinite(self.low) else []
        return [list(self.counts), *numbers]

    @classmethod
    def from_state(cls, state: Any, feature: Feature) -> Shares | None:
        """Rebuild from a model file, trusting nothing in it; None if it is not what the feature needs."""
        if not isinstance(state, list) or len(state) not in (1, 4) or not isinstance(state[0], list):
            return None
        counts = tuple(state[0])
        if not all(type(count) is int and 0 <= count < 1 << 53 for count in counts):
            return None
        if len(state) == 1:
            return cls(counts) if feature.is_nominal and len(counts) == len(feature.categories) else None
        edges, low, high = state[1:]
        sound = isinstance(edges, list) and all(type(number) is float for number in [*edges, low, high])
        if not sound or not np.isfinite([*edges, low, high]).all() or low > high or edges != sorted(set(edges)):
            return None
        fits = feature.in_numeric_block and len(counts) == len(edges) + 1
        return cls(counts, tuple(edges), low, high) if fits else None


def learn_shares(matrix: EncodedMatrix) -> list[Any]:
    """Return JSON for the model file: per feature its shares, or None where they are not kept."""
    if matrix.sparse is not None or matrix.n_features > _MOST_COLUMNS or not matrix.n_rows:
        return []
    most = max(16, min(_MOST_ROWS, _MOST_CELLS // matrix.n_features))
    rows: Any = slice(None)
    if matrix.n_rows > most:
        rows = np.linspace(0, matrix.n_rows - 1, most).astype(np.int64)
    found: list[Any] = [None] * matrix.n_features
    numeric = np.sort(matrix.numeric[rows], axis=0) + 0.0
    present = (len(numeric) - np.isnan(numeric).sum(axis=0)).tolist()
    low, high = np.fmin.reduce(matrix.numeric, axis=0) + 0.0, np.fmax.reduce(matrix.numeric, axis=0) + 0.0
    for at, j in enumerate(matrix.numeric_features.tolist()):
        if present[at]:
            counts, edges = _binned(numeric[: present[at], at])
            found[j] = Shares(counts, edges, float(low[at]), float(high[at])).to_state()
    codes = matrix.codes[rows]
    for at, j in enumerate(matrix.nominal_features.tolist()):
        size = len(matrix.features[j].categories)
        if 0 < size <= _MOST_CATEGORIES:
            found[j] = Shares(tuple(np.bincount(codes[:, at] + 1, minlength=size + 1)[1:].tolist())).to_state()
    return found


def _binned(values: np.ndarray) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the rows per bin, and the upper edges of all bins but the last; the values are in order."""
    last, edges = values[-1], list[float]()
    for edge in values[np.arange(1, _BINS) * len(values) // _BINS].tolist():  # so few that a loop is faster
        if edge < last and (not edges or edge > edges[-1]):
            edges.append(edge)
    ends = [0, *values.searchsorted(edges, "right").tolist(), len(values)]
    return tuple(b - a for a, b in pairwise(ends)), tuple(edges)


def shares_from(state: Any, features: tuple[Feature, ...]) -> list[Shares | None]:
    """Return the shares of each feature that a model file keeps; None where it keeps none, or none that can be used.

    Parameters
    ----------
    state : object
        What :func:`learn_shares` returned.
    features : tuple of Feature
    """
    if not isinstance(state, list) or len(state) != len(features):
        return [None] * len(features)
    return [Shares.from_state(each, feature) for each, feature in zip(state, features)]
