"""Requirements on a learner besides accuracy: speed, robustness, scalability, size of the model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.trials import Rows, fit_rows
from vaglio.table import Table

__all__ = ["growth_exponent", "model_size", "robustness", "scaling", "with_label_noise", "with_missing_values"]

# Below this many seconds a single fit measures the computer rather than the learner.
_MEASURABLE = 0.05


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


def with_missing_values(X: Any, share: float, rng: np.random.Generator) -> Any:
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


def _accuracy(candidate: Candidate, train: Rows, test: Rows) -> float | None:
    """Accuracy on the test rows, or None if the learner does not accept such data."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit_rows(candidate.make({}), train)
            return float(np.average(np.asarray(model.predict(test.X)) == test.y, weights=test.weight))
    except Exception:  # noqa: BLE001 - a failure is a result here: None
        return None


def robustness(
    candidate: Candidate,
    rows: Rows,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    noise: Sequence[float],
    missing: Sequence[float],
    seed: int,
) -> tuple[dict[float, float | None], dict[float, float | None]]:
    """Measure the accuracy with changed training labels, and with missing values in training and test.

    Labels are changed in the training rows only; the labels of the test rows stay correct.
    """
    labels: dict[float, list[float | None]] = {share: [] for share in noise}
    values: dict[float, list[float | None]] = {share: [] for share in missing}
    for i, (train, test) in enumerate(folds):
        training, unseen = rows.part(train), rows.part(test)
        for share in noise:
            noisy = with_label_noise(training.y, share, np.random.default_rng([seed, i, 1]))
            labels[share].append(_accuracy(candidate, Rows(training.X, noisy, training.weight), unseen))
        for share in missing:
            X = with_missing_values(rows.X, share, np.random.default_rng([seed, i, 2]))
            incomplete = Rows(X, rows.y, rows.weight)
            values[share].append(_accuracy(candidate, incomplete.part(train), incomplete.part(test)))
    return _means(labels), _means(values)


def _means(by_share: Mapping[float, Sequence[float | None]]) -> dict[float, float | None]:
    means: dict[float, float | None] = {}
    for share, found in by_share.items():
        known = [value for value in found if value is not None]
        means[share] = float(np.mean(known)) if len(known) == len(found) else None
    return means


def scaling(candidate: Candidate, rows: Rows, shares: Sequence[float], *, seed: int) -> Iterator[dict[str, float]]:
    """Seconds to train and to predict, against the number of rows."""
    order = np.random.default_rng(seed).permutation(len(rows))
    for share in sorted(shares):
        part = rows.part(np.sort(order[: max(2, round(share * len(rows)))]))
        if len(np.unique(part.y)) < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trials have reported them already
            start = time.perf_counter()
            model = fit_rows(candidate.make({}), part)
            fitted = time.perf_counter()
            model.predict(part.X)
        yield {"rows": len(part), "fit": fitted - start, "predict": time.perf_counter() - fitted}


def growth_exponent(points: Sequence[Mapping[str, float]]) -> float:
    """The exponent of the growth of the training time with the rows: 1 is linear, 2 quadratic; NaN if too short.

    >>> round(growth_exponent([{"rows": 100, "fit": 1.0}, {"rows": 200, "fit": 4.0}, {"rows": 400, "fit": 16.0}]), 2)
    2.0
    """
    if len(points) < 2 or max(p["fit"] for p in points) < _MEASURABLE:
        return float("nan")
    rows, seconds = np.log([p["rows"] for p in points]), np.log([max(p["fit"], 1e-9) for p in points])
    return float(np.polyfit(rows, seconds, 1)[0])


def model_size(model: Any) -> dict[str, int]:
    """The size of a model: nodes, rules, weights."""
    inner = getattr(model, "estimator_", model)
    if hasattr(inner, "steps"):
        inner = inner.steps[-1][1]
    if hasattr(inner, "fitted_"):
        return dict(inner.fitted_.model.size())
    if hasattr(inner, "tree_"):
        return {"nodes": int(inner.tree_.node_count)}
    if hasattr(inner, "estimators_"):
        parts = [model_size(part) for part in np.ravel(np.asarray(inner.estimators_, dtype=object))]
        return {key: sum(part.get(key, 0) for part in parts) for key in dict.fromkeys(k for p in parts for k in p)}
    for attribute, name in (("coef_", "weights"), ("coefs_", "weights"), ("_fit_X", "stored rows")):
        if hasattr(inner, attribute):
            value = getattr(inner, attribute)
            if name == "stored rows":
                return {name: int(value.shape[0])}
            return {name: sum(int(np.size(w)) for w in (value if isinstance(value, list) else [value]))}
    return {}
