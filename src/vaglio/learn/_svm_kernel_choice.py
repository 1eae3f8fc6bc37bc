"""Kernels tried side by side by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from vaglio.learn._svm_calibration import folds_of

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
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return the kernel with the best cross-validated accuracy, and the table of all.

    Parameters
    ----------
    codes_of : callable (candidate, train, test) -> class codes of the test rows
    """
    weight = np.ones(len(y)) if weight is None else weight
    folds = folds_of(y, cv, seed, "Choosing a kernel")
    lines = []
    for candidate in CANDIDATES:
        right = [codes_of(candidate, train, test) == y[test] for train, test in folds]
        scores = [np.average(hits, weights=weight[test]) for hits, (_, test) in zip(right, folds)]
        lines.append({**candidate, "mean_accuracy": np.mean(scores), "std_accuracy": np.std(scores)})
    table = pd.DataFrame(lines)
    best = int(table["mean_accuracy"].argmax())
    table["chosen"] = np.arange(len(table)) == best
    return CANDIDATES[best], table
