"""What a model file says about its training: the parameters as data; shape, fingerprint, hashes and shares of the rows.

A model in use sees other rows than those it was trained on. Whether they come from the same distribution can be asked
long after the training rows are gone, if their shares per bin or category were kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.fitted.row_sketch import MOST_ROWS, sketched
from vaglio.learners.parameters import declaring_class, parameters_of
from vaglio.model.costs import CostMatrix

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator

# Rows that the fingerprint and the shares cover: their cost does not grow with the table. For the shares, fewer rows of
# a wide table are counted, and none of a very wide one.
_MOST_ROWS = 1000
_MOST_CELLS = 1 << 17
_MOST_HASHED = 1 << 20
_MOST_COLUMNS = 500
# Bins of a column of numbers: tenths of the training rows.
_BINS = 10
# Categories whose shares are kept; those of a column with more change anyway.
_MOST_CATEGORIES = 1000


def plain_params(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters as data; what is not data is named by its text, and the model itself decides on saving.

    ``n_jobs`` is left out: the same model gives the same file, whoever helped to make it.
    """
    return {name: _plain(value) for name, value in sorted(parameters_of(estimator).items()) if name != "n_jobs"}


def _plain(value: object) -> Any:
    if value is None or type(value) in (bool, int, str):
        return value
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
    if isinstance(value, CostMatrix):
        return value.matrix.tolist()
    if isinstance(value, np.random.RandomState):
        return "RandomState"
    return getattr(value, "__name__", None) or str(value)


def findings_of(estimator: VaglioEstimator) -> dict[str, Any]:
    """Return what an estimator found out while it learned, as data.

    "reliability" is that of nominal columns; "chosen" are the numbers that words such as "cv" and "auto" came to, where
    the estimator keeps them (shrinkage="cv" as ``shrinkage_``); "residuals" are out-of-bag errors of numbers; "found"
    are the attributes that it names itself.
    """
    found: dict[str, Any] = {}
    if reliability := getattr(estimator, "reliability_", None):
        found["reliability"] = dict(reliability)
    names = (name for name, value in parameters_of(estimator).items() if isinstance(value, str))
    chosen = {name: _plain(getattr(estimator, f"{name}_", None)) for name in names}
    # How many models boosting averages is part of the size of its model, and includes those of the folds.
    chosen = {name: value for name, value in chosen.items() if type(value) in (int, float) and name != "n_models"}
    if chosen:
        found["chosen"] = chosen
    if out_of_bag := getattr(estimator, "_out_of_bag_residuals", None):
        found["residuals"] = out_of_bag.to_state()
    own = getattr(estimator, "_findings", ())
    if own:
        found["found"] = {name: _plain(getattr(estimator, f"{name}_")) for name in own}
    return found


def learner_source(estimator: VaglioEstimator) -> str:
    """The source that makes an estimator again; without the number of threads, which changes no model."""
    own = declaring_class(type(estimator))
    default = parameters_of(own())
    given = {
        name: value
        for name, value in parameters_of(estimator).items()
        if name != "n_jobs" and not _same(value, default[name])
    }
    # None is a value that was given, too.
    parts = ", ".join(f"{name}={_source(value)}" for name, value in given.items())
    return f"vaglio.{own.__name__}({parts})"


def _source(value: Any) -> str:
    """The source of a parameter: ``repr`` writes an infinite number as a name that Python does not know."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, (list, tuple)):
        items = ", ".join(map(_source, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_source(key)}: {_source(each)}' for key, each in value.items())}}}"
    return learner_source(value) if hasattr(value, "_learner_id") else repr(value)


def _same(a: object, b: object) -> bool:
    # 1 == True == 1.0 in Python, but not in a line a person reads.
    return type(a) is type(b) and bool(a == b)


def describe_training(matrix: EncodedMatrix, y: np.ndarray) -> dict[str, Any]:
    """Return shape, fingerprint, hashes and shares of the training rows.

    The fingerprint covers at most a thousand evenly spaced rows; so do the shares, with which a model in use compares
    the rows it sees. The hashes are of as many random rows: an evaluation looks for these among its test rows.
    """
    return training_description(matrix, y)()


def training_description(matrix: EncodedMatrix, y: np.ndarray) -> Callable[[], dict[str, Any]]:
    """Take the rows that :func:`describe_training` looks at, and return what describes them when it is asked.

    Rows of text and of very many columns are described at once, not kept.
    """
    n = matrix.n_rows
    printed, shared, hashed = rows_to_describe(n, matrix.n_features if matrix.sparse is None else 1)
    sample, numbers = matrix.take_apart(printed), y[printed]
    of_hashes = sample if len(hashed) == len(printed) == n else matrix.take_apart(hashed)
    of_shares, low, high = None, np.empty(0), np.empty(0)
    if matrix.sparse is None and matrix.n_features <= _MOST_COLUMNS and n:
        of_shares = sample if len(shared) == len(printed) else matrix.take_apart(shared)
        low, high = matrix.ranges.low, matrix.ranges.high

    def describe() -> dict[str, Any]:
        return _described(n, sample, numbers, of_hashes, [] if of_shares is None else shares_of(of_shares, low, high))

    if matrix.text or matrix.n_features * len(printed) > _MOST_HASHED:
        described = describe()
        return lambda: described
    return describe


def rows_to_describe(n: int, features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of a table of which the fingerprint is made, those of the shares, and those of the hashes."""
    most = max(16, min(MOST_ROWS, _MOST_HASHED // max(features, 1)))
    hashed = np.arange(n) if n <= most else np.sort(np.random.default_rng(n).choice(n, most, replace=False))
    return _evenly(n, _MOST_ROWS), _evenly(n, _most_shared(features)), hashed


def describe_rows(
    n: int,
    printed: tuple[EncodedMatrix, np.ndarray],
    shared: EncodedMatrix,
    hashed: EncodedMatrix,
    low: np.ndarray,
    high: np.ndarray,
) -> dict[str, Any]:
    """Return what :func:`describe_training` does, from the rows of :func:`rows_to_describe` and the ranges of all."""
    kept = printed[0].n_features <= _MOST_COLUMNS
    return _described(n, *printed, hashed, shares_of(shared, low, high) if kept else [])


def _evenly(n: int, most: int) -> np.ndarray:
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def _described(n: int, sample: EncodedMatrix, y: np.ndarray, hashed: EncodedMatrix, known: list[Any]) -> dict[str, Any]:
    digest = hashlib.sha256(repr((n, sample.n_features)).encode())
    blocks = [sample.numeric, sample.codes, y]
    if sample.sparse is not None:
        blocks += [sample.sparse.data, sample.sparse.indices, sample.sparse.indptr]
    for block in blocks:
        digest.update(np.ascontiguousarray(block).data)
    columns = len({feature.column for feature in sample.features})
    fingerprint = digest.hexdigest()[:16]
    facts = {"rows": n, "columns": columns, "fingerprint": fingerprint, **sketched(hashed, fingerprint)}
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

    @classmethod
    def from_state(cls, state: object, feature: Feature) -> Shares | None:
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


def _most_shared(features: int) -> int:
    return max(16, min(_MOST_ROWS, _MOST_CELLS // max(features, 1)))


def shares_of(sample: EncodedMatrix, low: Any, high: Any) -> list[Any]:
    """Return the shares of these rows, and the range of all, as :meth:`Shares.from_state` reads them."""
    found: list[Any] = [None] * sample.n_features
    numeric = sample.numeric_features.tolist()
    for at, (counts, edges) in enumerate(_core.bin_columns(sample.ordered_sample, _BINS)):
        if sum(counts):
            numbers = [list(edges), float(low[at]), float(high[at])]
            found[numeric[at]] = [list(counts), *(numbers if math.isfinite(low[at]) else [])]
    for at, j in enumerate(sample.nominal_features.tolist()):
        size = len(sample.features[j].categories)
        if 0 < size <= _MOST_CATEGORIES:
            found[j] = [np.bincount(sample.codes[:, at] + 1, minlength=size + 1)[1:].tolist()]
    return found


def shares_from(state: object, features: tuple[Feature, ...]) -> list[Shares | None]:
    """Return the shares of each feature that a model file keeps; None where it keeps none, or none that can be used.

    Parameters
    ----------
    state : object
        What :func:`shares_of` returned.
    features : tuple of Feature
    """
    if not isinstance(state, list) or len(state) != len(features):
        return [None] * len(features)
    return [Shares.from_state(each, feature) for each, feature in zip(state, features)]
