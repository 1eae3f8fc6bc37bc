"""Four of the five requirements on a learner: speed, robustness, scalability, interpretability (V10)."""

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

# Below this many seconds a single fit measures the machine rather than the learner.
_MEASURABLE = 0.05


def with_label_noise(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Labels of which a share was changed to another class."""
    classes = np.unique(y)
    noisy = y.copy()
    if len(classes) < 2:
        return noisy
    codes = np.searchsorted(classes, y)
    struck = rng.random(len(y)) < share
    moved = (codes + rng.integers(1, len(classes), len(y))) % len(classes)
    noisy[struck] = classes[moved[struck]]
    return noisy


def with_missing_values(X: Any, share: float, rng: np.random.Generator) -> Any:
    """Inputs of which a share of the values is gone, at random; sparse inputs are returned as they are."""
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
    """Accuracy on the test rows, or None where the learner does not take such data."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit_rows(candidate.make({}), train)
            return float(np.average(np.asarray(model.predict(test.X)) == test.y, weights=test.weight))
    except Exception:  # noqa: BLE001 - that it fails here is the finding
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
    """Accuracy with changed training labels, and with values missing in training and test.

    Labels are changed in the training rows only: the truth that judges stays the truth.
    """
    labels: dict[float, list] = {share: [] for share in noise}
    values: dict[float, list] = {share: [] for share in missing}
    for i, (train, test) in enumerate(folds):
        learnt, judged = rows.part(train), rows.part(test)
        for share in noise:
            noisy = with_label_noise(learnt.y, share, np.random.default_rng([seed, i, 1]))
            labels[share].append(_accuracy(candidate, Rows(learnt.X, noisy, learnt.weight), judged))
        for share in missing:
            gone = with_missing_values(rows.X, share, np.random.default_rng([seed, i, 2]))
            holed = Rows(gone, rows.y, rows.weight)
            values[share].append(_accuracy(candidate, holed.part(train), holed.part(test)))
    return _means(labels), _means(values)


def _means(by_share: Mapping[float, list]) -> dict[float, float | None]:
    return {share: None if None in found else float(np.mean(found)) for share, found in by_share.items()}


def scaling(candidate: Candidate, rows: Rows, shares: Sequence[float], *, seed: int) -> Iterator[dict[str, float]]:
    """Seconds to train and to classify, against the number of rows."""
    order = np.random.default_rng(seed).permutation(len(rows))
    for share in sorted(shares):
        part = rows.part(np.sort(order[: max(2, round(share * len(rows)))]))
        if len(np.unique(part.y)) < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said once already, by the trials
            start = time.perf_counter()
            model = fit_rows(candidate.make({}), part)
            fitted = time.perf_counter()
            model.predict(part.X)
        yield {"rows": len(part), "fit": fitted - start, "predict": time.perf_counter() - fitted}


def growth_exponent(points: Sequence[Mapping[str, float]]) -> float:
    """The power of the rows that the training time grows with: 1 is linear, 2 quadratic; NaN if all is too quick.

    >>> round(growth_exponent([{"rows": 100, "fit": 1.0}, {"rows": 200, "fit": 4.0}, {"rows": 400, "fit": 16.0}]), 2)
    2.0
    """
    if len(points) < 2 or max(p["fit"] for p in points) < _MEASURABLE:
        return float("nan")
    rows, seconds = np.log([p["rows"] for p in points]), np.log([max(p["fit"], 1e-9) for p in points])
    return float(np.polyfit(rows, seconds, 1)[0])


def model_size(model: Any) -> dict[str, int]:
    """How large a model is to read: nodes, rules, weights."""
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
