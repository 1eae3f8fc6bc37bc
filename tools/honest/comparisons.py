"""How often do tests of a difference find one that is not there, and one that is?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import vaglio
from tools.honest.simulation import Simulation

__all__ = ["SIMULATIONS"]


class _Columns(ClassifierMixin, BaseEstimator):
    """A learner that sees some columns only."""

    def __init__(self, learner: Any, columns: tuple[int, ...]) -> None:
        self.learner = learner
        self.columns = columns

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Columns:
        self.model_ = clone(self.learner).fit(X[:, self.columns], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.model_.predict(X[:, self.columns]))


_TREE, _BAYES = vaglio.C45Classifier(), vaglio.NaiveBayesClassifier()


def _differ(
    X: np.ndarray, y: np.ndarray, learner: Any, one: tuple[int, ...], two: tuple[int, ...], repeats: int
) -> bool:
    learners = {"first": _Columns(learner, one), "second": _Columns(learner, two)}
    found = vaglio.compare(X, y, learners=learners, repeats=repeats, noise=(), missing=(), sizes=(), progress=False)
    return found.differ("first", "second")


def _equal(learner: Any, n: int, repeats: int, seed: int) -> float:
    """Return whether learners differ that are equally good: each sees one half of columns that tell equally much."""
    rng = np.random.default_rng((seed, n))
    X = rng.normal(size=(n, 4))
    y = np.where(X.sum(axis=1) + rng.normal(size=n) > 0, "yes", "no")
    return float(_differ(X, y, learner, (0, 1), (2, 3), repeats))


def _nothing_known(learner: Any, n: int, repeats: int, seed: int) -> float:
    """Return whether learners differ on classes that no column tells anything of; no method was chosen on these."""
    rng = np.random.default_rng((seed, n, 9))
    X = np.column_stack([rng.exponential(size=(n, 2)), rng.integers(0, 3, (n, 2))])
    y = np.where(rng.random(n) < 0.4, "yes", "no")
    return float(_differ(X, y, learner, (0, 2), (1, 3), repeats))


def _apart(points: int, n: int, repeats: int, seed: int) -> float:
    """Return whether learners differ that are so many points apart."""
    rng = np.random.default_rng((seed, n, 3))
    true = rng.random(n) < 0.5
    # Each column repeats the class, wrongly for 15 and for more rows in a hundred.
    X = np.column_stack([(true ^ (rng.random(n) < wrong)).astype(float) for wrong in (0.15, 0.15 + points / 100)])
    return float(_differ(X, np.where(true, "yes", "no"), _BAYES, (0,), (1,), repeats))


SIMULATIONS = (
    *(
        Simulation(
            f"compare equal learners, {name}, {n} rows, {repeats} x 10 folds",
            "type I error",
            partial(_equal, learner, n, repeats),
            short=0,
            long=long,
        )
        for name, learner in (("c45", _TREE), ("naive-bayes", _BAYES))
        for n in (60, 200)
        for repeats, long in ((1, 600), (5, 200))
    ),
    Simulation(
        "compare equal learners, unseen: nothing to learn, c45, 100 rows",
        "type I error",
        partial(_nothing_known, _TREE, 100, 1),
        0,
        400,
    ),
    *(
        Simulation(
            f"compare learners {points} points apart, {n:,} rows, {repeats} x 10 folds",
            "power",
            partial(_apart, points, n, repeats),
            short=0,
            long=100,
        )
        for points, n, repeats in ((3, 300, 1), (3, 300, 5), (10, 300, 1), (3, 1000, 1), (3, 3000, 1), (10, 60, 1))
    ),
)
