"""What ``select`` chooses, beside scikit-learn's forest and support vector machine tuned by as many fits.

Every row is predicted by a model that was chosen without it (nested cross-validation). In each outer fold all sides get
the same training rows and the same inner folds, and every side tries the same number of settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import ParameterGrid, RandomizedSearchCV, StratifiedKFold
from sklearn.svm import SVC

import vaglio
from benchmarks.panel.peers import one_hot
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.evaluation.selection.search import SearchPlan, proposed_settings
from vaglio.learners.registry import ONE_PER_FAMILY
from vaglio.report.limits import DEFAULT_LEARNERS

INNER_FOLDS = 5
TARGET = "class to predict"
_SELECTED = ONE_PER_FAMILY["classification"]

FOREST: dict[str, list[Any]] = {
    "max_features": ["sqrt", "log2", 0.3, 0.5, 1.0],
    "min_samples_leaf": [1, 2, 3, 5, 10],
    "criterion": ["gini", "entropy"],
}
MACHINE: dict[str, list[Any]] = {
    "C": np.logspace(-2, 3, 11).tolist(),
    "gamma": ["scale", *np.logspace(-4, 0, 9).tolist()],
}


def settings_tried(learners: tuple[str, ...], n_iter: int) -> int:
    """Return how many settings a selection tries: the budget of the peers."""
    plan = SearchPlan("random" if n_iter else "none", max(n_iter, 1), 0)
    return len(proposed_settings(resolve_learners(list(learners)), plan))


@dataclass
class Winner(ClassifierMixin, BaseEstimator):
    """The winner of ``vaglio select`` as an estimator: it chooses whenever it is fitted.

    Parameters
    ----------
    learners : tuple of str
    n_iter : int
        Settings of each learner besides its defaults; 0 tries the defaults only.
    seed : int
    """

    learners: tuple[str, ...]
    n_iter: int
    seed: int

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Winner:
        search = {"search": "random", "n_iter": self.n_iter} if self.n_iter else {"search": "none"}
        table = vaglio.Table.from_any(X.assign(**{TARGET: y}))
        # Without a test table some rows would be kept apart; here the outer folds judge, and one row stands for it.
        chosen = vaglio.select(
            table, TARGET, learners=list(self.learners), folds=INNER_FOLDS, seed=self.seed, test=table[:1], **search
        )
        model: Any = chosen.best_estimator
        self.model_, self.chosen_ = model, chosen.best.learner
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = self.model_.predict(X)
        return found


def _tuned(estimator: Any, space: dict[str, list[Any]], n_settings: int, seed: int) -> Any:
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    n_settings = min(n_settings, len(ParameterGrid(space)))
    return one_hot(RandomizedSearchCV(estimator, space, n_iter=n_settings, cv=folds, random_state=seed))


def sides(n_iter: int) -> dict[str, Callable[[int], Any]]:
    """Return all sides by name; each maker takes a seed. The peers have the budget of ``select`` or of ``report``."""
    selected, reported = settings_tried(_SELECTED, n_iter), settings_tried(DEFAULT_LEARNERS["classification"], 0)
    found: dict[str, Callable[[int], Any]] = {
        f"select, {selected} settings": lambda seed: Winner(_SELECTED, n_iter, seed),
        f"report, {reported} settings": lambda seed: Winner(DEFAULT_LEARNERS["classification"], 0, seed),
    }
    for budget in (selected, reported):
        found[f"forest, {budget} settings"] = partial(_tuned, RandomForestClassifier(random_state=0), FOREST, budget)
        found[f"SVC, {budget} settings"] = partial(_tuned, SVC(), MACHINE, budget)
    return found
