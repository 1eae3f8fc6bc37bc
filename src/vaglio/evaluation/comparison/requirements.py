"""Requirements on a learner besides accuracy: speed, robustness, scalability, size of the model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.special import stdtrit

from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.evaluation.outside_rows import LabelNoise, MissingValues, OutsideRows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.trials import Rows, fit_rows
from vaglio.table import Table
from vaglio.typing import TableLike

__all__ = [
    "accuracy_with_missing",
    "accuracy_with_noise",
    "growth_and_size",
    "growth_exponent",
    "model_size",
    "scaling",
    "with_label_noise",
    "with_missing_values",
]

AnyRows = Rows | OutsideRows
# Below this many seconds a single fit measures the computer rather than the learner.
_MEASURABLE = 0.05
# Each size is trained and predicted so many times, or until this has taken so many seconds.
_REPEATS, _LONG = 5, 2.0


def with_label_noise(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return labels of which a share is changed to another class."""
    classes = np.unique(y)
    noisy = y.copy()
    if len(classes) < 2:
        return noisy
    codes = np.searchsorted(classes, y)
    changed = rng.random(len(y)) < share
    moved = (codes + rng.integers(1, len(classes), len(y))) % len(classes)
    noisy[changed] = classes[moved[changed]]
    return noisy


def with_missing_values(X: TableLike, share: float, rng: np.random.Generator) -> Any:
    """Return inputs of which a random share of the values is missing; sparse inputs are returned unchanged."""
    if sp.issparse(X):
        return X
    if not isinstance(X, Table) and not (isinstance(X, np.ndarray) and X.dtype.kind in "fiub"):
        X = Table.from_any(X)
    if isinstance(X, Table):
        compressed = set() if X.sparse is None else set(X.sparse.names)
        columns = []
        for name in X.columns:
            if name in compressed:  # an absent entry there is a zero, not a missing value
                continue
            column = X.column(name)
            data = column.data.copy()
            data[rng.random(len(data)) < share] = {"numeric": np.nan, "nominal": -1, "text": None}[column.kind]
            columns.append(column.replace(data=data))
        return X.with_columns(columns)
    values = np.array(X, dtype=np.float64)
    values[rng.random(values.shape) < share] = np.nan
    return values


def _accuracy(candidate: Candidate, train: AnyRows, test: AnyRows) -> float | None:
    """Accuracy on the test rows, or None if the learner does not accept such data."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit_rows(candidate.make({}), train)
            if isinstance(test, OutsideRows):
                return float(model.score(test.X, test.y))
            return float(np.average(np.asarray(model.predict(test.X)) == test.y, weights=test.weight))
    except Exception:  # noqa: BLE001 - a failure is a result here: None
        return None


def accuracy_with_noise(
    candidate: Candidate, rows: AnyRows, fold: Any, share: float, key: Sequence[int]
) -> float | None:
    """Accuracy after training on labels of which a share is changed; the labels of the test rows stay correct.

    None where the learner does not accept such data.
    """
    train, test = fold
    return _accuracy(candidate, _noisy(rows.part(train), share, key), rows.part(test))


def accuracy_with_missing(
    candidate: Candidate, rows: AnyRows, fold: Any, share: float, key: Sequence[int]
) -> float | None:
    """Accuracy where a share of the values is missing, in training and test; None if the learner takes none."""
    train, test = fold
    return _accuracy(candidate, *_incomplete(rows, train, test, share, key))


def _noisy(training: AnyRows, share: float, key: Sequence[int]) -> AnyRows:
    if isinstance(training, OutsideRows):
        noise = LabelNoise(training.target, tuple(training.classes().tolist()), share, _one_seed(key))
        return training.changed(noise)
    noisy = with_label_noise(training.y, share, np.random.default_rng(key))
    return Rows(training.X, noisy, training.weight)


def _incomplete(rows: AnyRows, train: Any, test: Any, share: float, key: Sequence[int]) -> tuple[AnyRows, AnyRows]:
    if isinstance(rows, OutsideRows):
        change = MissingValues(rows.target, share, _one_seed(key))
        return train.changed(change), test.changed(change)
    X = with_missing_values(rows.X, share, np.random.default_rng(key))
    incomplete = Rows(X, rows.y, rows.weight)
    return incomplete.part(train), incomplete.part(test)


def _one_seed(key: Sequence[int]) -> int:
    return int(np.random.default_rng(key).integers(1 << 62))


def growth_and_size(
    candidate: Candidate, rows: AnyRows, shares: Sequence[float], seed: int
) -> tuple[tuple[dict[str, Any], ...], dict[str, int]]:
    """How the times grow with the rows, and the size of a model of all rows."""
    points, size = [], None
    for point, part, model in scaling(candidate, rows, shares, seed=seed):
        points.append(point)
        # In memory a part is in the order of the table: one of all rows is the table.
        if len(part) == len(rows) and not rows.outside:
            size = model_size(model)
    if size is None:
        size = model_size(fit_rows(candidate.make({}), rows))
    return tuple(points), size


def scaling(
    candidate: Candidate, rows: AnyRows, shares: Sequence[float], *, seed: int
) -> Iterator[tuple[dict[str, Any], AnyRows, Any]]:
    """Median seconds to train and to predict against the number of rows, with all times of training.

    Each comes with the rows and their last model. The first fit and prediction are not counted: they load code and fill
    caches.
    """
    parts = _growing(rows, sorted(shares), seed)
    for part in parts[:1]:
        _seconds(candidate, part, quiet=True)
    for part in parts:
        # What is to be said of the rows is said once, by the first training on the most of them.
        *seconds, model = _seconds(candidate, part, quiet=part is not parts[-1])
        times = [seconds]
        while len(times) < _REPEATS and np.sum(times) < _LONG:
            *seconds, model = _seconds(candidate, part, quiet=True)
            times.append(seconds)
        fit, predict = np.median(times, axis=0).tolist()
        fits = tuple(fit for fit, _ in times)
        yield {"rows": len(part), "fit": fit, "predict": predict, "fits": fits}, part, model


def _growing(rows: AnyRows, shares: Sequence[float], seed: int) -> Sequence[AnyRows]:
    """Return parts of these shares of the rows: random ones; from the beginning where the others would be read, too."""
    if isinstance(rows, OutsideRows):
        by_size = {len(part): part for part in (rows.leading(share) for share in shares)}
        return [part for part in by_size.values() if len(part.classes()) > 1]
    order = np.random.default_rng(seed).permutation(len(rows))
    parts = [rows.part(np.sort(order[: max(2, round(share * len(rows)))])) for share in shares]
    return [part for part in parts if len(np.unique(part.y)) > 1]


def _seconds(candidate: Candidate, part: AnyRows, quiet: bool) -> tuple[float, float, Any]:
    """Seconds to train on a part of the rows and to predict it, and the model."""
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = fit_rows(candidate.make({}), part)
        fitted = time.perf_counter()
        part.predict_all(model)
        return fitted - start, time.perf_counter() - fitted, model


def growth_exponent(points: Sequence[Mapping[str, Any]], confidence: float = 0.95) -> Estimate:
    """The exponent of the growth of the training time with the rows: 1 is linear, 2 quadratic; NaN if too short.

    The interval comes from the line through the logarithms of all repeated times; it is NaN if there are fewer than
    three.

    >>> points = [{"rows": n, "fit": n**2 / 1e4, "fits": (n**2 / 1e4, n**2 / 0.9e4)} for n in (100, 200, 400)]
    >>> found = growth_exponent(points)
    >>> round(found.value, 2), found.low < 2 < found.high
    (2.0, True)
    """
    nothing = float("nan")
    if len(points) < 2 or max(p["fit"] for p in points) < _MEASURABLE:
        return Estimate(nothing, nothing, nothing)
    pairs = np.array([(p["rows"], max(t, 1e-9)) for p in points for t in p.get("fits", (p["fit"],))])
    from scipy.stats import linregress  # imports more than a comparison does

    line = linregress(*np.log(pairs).T)
    if len(pairs) < 3:
        return Estimate(float(line.slope), nothing, nothing)
    reach = float(stdtrit(len(pairs) - 2, 0.5 + confidence / 2) * line.stderr)
    return Estimate(float(line.slope), float(line.slope) - reach, float(line.slope) + reach)


def model_size(model: Any) -> dict[str, int]:
    """The size of a model: nodes, rules, weights."""
    # Of an ensemble, estimator_ is the prototype of its members, which is not fitted.
    inner = model if hasattr(model, "estimators_") else getattr(model, "estimator_", model)
    if hasattr(inner, "steps"):
        inner = inner.steps[-1][1]
    if hasattr(inner, "fitted_"):
        return dict(inner.fitted_.model.size())
    if hasattr(inner, "tree_"):
        return {"nodes": int(inner.tree_.node_count)}
    if hasattr(inner, "estimators_"):
        # Not an array of a list: a forest in it would be taken for a sequence of its trees.
        held = inner.estimators_
        parts = [model_size(part) for part in (held.ravel() if isinstance(held, np.ndarray) else held)]
        return {key: sum(part.get(key, 0) for part in parts) for key in dict.fromkeys(k for p in parts for k in p)}
    for attribute, name in (("coef_", "weights"), ("coefs_", "weights"), ("_fit_X", "stored rows")):
        if hasattr(inner, attribute):
            value = getattr(inner, attribute)
            if name == "stored rows":
                return {name: int(value.shape[0])}
            return {name: sum(int(np.size(w)) for w in (value if isinstance(value, list) else [value]))}
    return {}
