"""From decision values to probabilities: a logistic function fitted to cross-validated values (Platt 1999)."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from vaglio.errors import InputError
from vaglio.learners.linear.estimators.logistic_problem import LogisticProblem
from vaglio.learners.linear.estimators.logistic_solver import minimise

# Trains on some rows and gives the class values (n_test, outputs) of others.
HeldOutValues = Callable[[np.ndarray, np.ndarray], np.ndarray]


def folds_of(y: np.ndarray, cv: Any, seed: int, purpose: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the folds of a splitter, or stratified ones: fewer where the rarest class has not enough rows."""
    if not isinstance(cv, Integral):
        return list(check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y))
    rarest = int(np.bincount(y).min())
    if rarest < 2:
        raise InputError(f"{purpose} needs cross-validation, so at least two rows of every class; one has {rarest}.")
    splitter = StratifiedKFold(min(int(cv), rarest), shuffle=True, random_state=seed % 2**32)
    return list(splitter.split(np.zeros(len(y)), y))


def calibrate(
    values_of: HeldOutValues, y: np.ndarray, weight: np.ndarray | None, n_classes: int, cv: Any, seed: int
) -> np.ndarray:
    """Return slope and intercept for each output: shape (1, 2) for two classes, else (n_classes, 2)."""
    outputs = 1 if n_classes == 2 else n_classes
    values = np.empty((len(y), outputs))
    for train, test in folds_of(y, cv, seed, "Calibration"):
        values[test] = values_of(train, test)
    wanted = [y == 1] if outputs == 1 else [y == k for k in range(n_classes)]
    return np.array([_fit_logistic(values[:, k], truth, weight) for k, truth in enumerate(wanted)])


def _fit_logistic(values: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> tuple[float, float]:
    """Fit with Platt's targets, drawn in from 0 and 1 by the number of rows, so that the slope stays finite."""
    weight = np.ones(len(values)) if weight is None else weight
    positive, negative = float(weight[truth].sum()), float(weight[~truth].sum())
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    # A row with target t counts t times as a positive and 1 - t times as a negative one.
    problem = LogisticProblem(
        rows=np.ascontiguousarray(np.tile(values, 2)[:, None]),
        labels=np.repeat(np.array([1, 0], dtype=np.int32), len(values)),
        weight=np.concatenate([weight * target, weight * (1 - target)]),
        outputs=1,
        l1=0.0,
        l2=1e-12,
    )
    slope, intercept = minimise(problem, np.zeros((1, 2)), "newton-cholesky", 1e-5, 200).theta[0]
    # A falling curve would turn the order of the rows round: then the values say nothing.
    return (float(slope), float(intercept)) if slope > 0 else (0.0, float(np.log(positive / negative)))
