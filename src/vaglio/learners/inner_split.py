"""Rows that a learner keeps apart from those it learns from, to decide by them when or how much to learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from vaglio.runtime.seeds import seed_of


def inner_split(estimator: Any, y: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Split the rows by ``validation_fraction``, by class where every class has two rows; tiny tables are not split."""
    rows = np.arange(len(y))
    if len(y) < 4:
        return rows, rows[:0]
    stratify = y if n_classes and np.bincount(y)[np.unique(y)].min() >= 2 else None
    held = max(1, round(len(y) * estimator.validation_fraction))
    if stratify is not None and min(held, len(y) - held) < len(np.unique(y)):
        stratify = None
    seed = seed_of(estimator.random_state) % 2**32
    growing, validation = train_test_split(rows, test_size=held, stratify=stratify, random_state=seed)
    return np.sort(growing), np.sort(validation)
