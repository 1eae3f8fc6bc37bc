"""Tables for the tasks: generated ones, and real ones from the folder that the environment variable DATA names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

import vaglio


def real(name: str) -> Path | None:
    """Return the path of a real table, or None if the folder DATA does not contain it."""
    folder = os.environ.get("DATA")
    path = Path(folder) / name if folder else None
    return path if path is not None and path.exists() else None


def adult() -> tuple[vaglio.Table, vaglio.Table] | None:
    """Return the training and test tables of adult, or None if the folder DATA does not contain them."""
    train, test = real("adult-train.csv"), real("adult-test.csv")
    if train is None or test is None:
        return None
    return vaglio.read(train), vaglio.read(test)


def continuous(rows: int, columns: int = 30, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    """Return numeric columns with overlapping classes.

    The values are exact in float32, so that libraries that compute in float32 can grow the same trees.
    """
    X, y = make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=10,
        n_redundant=5,
        n_classes=classes,
        n_clusters_per_class=3,
        flip_y=0.05,
        random_state=seed,
    )
    return X.astype(np.float32).astype(np.float64), y


def few_valued(rows: int, values: int = 255, **options: Any) -> tuple[Any, Any]:
    """Return the same table with every column cut into that many whole values."""
    X, y = continuous(rows, **options)
    ranks = X.argsort(axis=0).argsort(axis=0)
    return np.floor(ranks * values / rows), y


def mixture(rows: int, columns: int = 10, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    """Return numeric columns whose classes overlap, made quickly for any number of rows; exact in float32."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns), dtype=np.float32).astype(np.float64)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + 0.7 * random.standard_normal(rows)
    edges = np.quantile(score[:100_000], np.arange(1, classes) / classes)
    return X, np.searchsorted(edges, score)
