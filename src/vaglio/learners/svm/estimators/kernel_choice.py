"""Kernels tried side by side by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.errors import InputError
from vaglio.learners.svm.estimators.calibration import folds_of
from vaglio.table import as_frame

# Rows with larger numbers have kernel values near the end of all numbers, and no step of the solver makes progress.
LARGEST = 1e30

# What kernel="auto" tries, from the simplest on: of equals the first is taken.
CANDIDATES: tuple[dict[str, Any], ...] = (
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3, "coef0": 1.0},
    {"kernel": "rbf"},
    {"kernel": "sigmoid"},
)


def choose_kernel(
    codes_of: Callable[[dict[str, Any], np.ndarray, np.ndarray], np.ndarray],
    y: np.ndarray,
    weight: np.ndarray | None,
    cv: Any,
    seed: int,
) -> tuple[dict[str, Any], Any]:
    """Return the kernel with the best cross-validated accuracy, and the table of all.

    Parameters
    ----------
    codes_of : callable (candidate, train, test) -> class codes of the test rows
    """
    weight = np.ones(len(y)) if weight is None else weight
    folds = folds_of(y, cv, seed, "Choosing a kernel")
    lines = []
    for candidate in CANDIDATES:
        try:
            right = [codes_of(candidate, train, test) == y[test] for train, test in folds]
        except InputError:  # a hard margin that this kernel cannot give
            lines.append({**candidate, "mean_accuracy": np.nan, "std_accuracy": np.nan})
            continue
        scores = [np.average(hits, weights=weight[test]) for hits, (_, test) in zip(right, folds)]
        lines.append({**candidate, "mean_accuracy": np.mean(scores), "std_accuracy": np.std(scores)})
    table = as_frame(lines)
    best = int(table["mean_accuracy"].fillna(-1.0).argmax())
    table["chosen"] = np.arange(len(table)) == best
    return CANDIDATES[best], table


def gamma_of(gamma: str | float, sigma: float | None, rows: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the number that gamma or sigma means for these rows."""
    if sigma is not None:
        return 1 / (2 * sigma**2)
    if gamma == "auto":
        return 1 / int(rows.shape[1])
    if gamma != "scale":
        return float(gamma)
    share = np.full(len(rows), 1 / len(rows)) if weight is None else weight / weight.sum()
    mean = share @ rows.mean(axis=1)
    variance = share @ ((rows - mean) ** 2).mean(axis=1)
    return float(1 / (rows.shape[1] * variance)) if variance > 0 else 1.0


def refuse_large(rows: Any) -> None:
    """Refuse numbers that no kernel can be computed for: their products, and the powers of these, are not finite."""
    values = rows.data if sp.issparse(rows) else rows
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise InputError(
            f"X holds numbers beyond {LARGEST:g}, whose kernel values cannot be computed: scale the columns, "
            "or use preprocess='auto'."
        )
