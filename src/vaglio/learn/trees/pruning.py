"""Pruning after growth: which kernel an estimator's parameters ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.learn.trees.growing import grow, tree_of
from vaglio.model.trees.grower import training_table
from vaglio.model.trees.tree import Tree
from vaglio.runtime.seeds import seed_of


def grow_and_prune(
    estimator: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, n_classes: int
) -> Tree:
    """Grow a tree and prune it by the method the estimator names (cost and complexity apart)."""
    if estimator.pruning == "reduced_error":
        return _grow_and_reduce(estimator, matrix, y, weight, n_classes)
    return grow(estimator, matrix, y, weight, n_classes, pruned=True)


def _grow_and_reduce(
    estimator: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, n_classes: int
) -> Tree:
    """Grow on one part of the rows and prune by the errors on the other."""
    growing, validation = inner_split(estimator, y, n_classes)
    if validation.size == 0:
        return grow(estimator, matrix, y, weight, n_classes)
    tree = grow(estimator, matrix.take(growing), y[growing], _part(weight, growing), n_classes)
    arrays = _core.prune_reduced_error(
        tree.to_kernel(),
        training_table(matrix.take(validation)),
        y[validation],
        n_classes,
        weight=_part(weight, validation),
    )
    return tree_of(estimator, arrays, n_classes)


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


def _part(weight: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[rows]
