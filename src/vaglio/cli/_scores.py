"""How good is it: predictions on rows the model did not learn from, for the commands that train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.cli import _session
from vaglio.cli._plan import Plan

if TYPE_CHECKING:
    from vaglio.evaluation import Evaluation


def fit_and_evaluate(
    estimator: Any, X: Any, y: np.ndarray, plan: Plan, seed: int, further: tuple[Any, np.ndarray] | None
) -> tuple[int, Evaluation | None]:
    """Fit the estimator, and evaluate it as planned.

    Returns the number of rows it was trained on and the evaluation, if one was planned. `further` are the rows of
    the test table.
    """
    _need_two_classes(y)
    evaluation = None
    if plan.folds is not None:
        evaluation = _by_folds(estimator, X, y, plan.folds, seed)
    elif plan.holdout is not None:
        X, y, further = _held_out(X, y, plan.holdout, seed)
    with _session.progress(f"training on {len(X):,} rows"):
        estimator.fit(X, y)
    if further is not None:
        from vaglio import evaluate

        evaluation = evaluate(estimator.fitted_, *further)
    return len(X), evaluation


def _need_two_classes(y: np.ndarray) -> None:
    from vaglio.errors import InputError

    if len(set(y.tolist())) < 2:
        raise InputError(f"every row has the class {y[0]!r}: there is nothing to tell apart; is this the right target?")


def _by_folds(estimator: Any, X: Any, y: np.ndarray, folds: int, seed: int) -> Evaluation:
    """Predict every row by a model trained on the other folds."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    from vaglio.errors import InputError
    from vaglio.evaluation import Evaluation

    if folds > len(y):
        raise InputError(f"{folds} folds need at least {folds} rows that have a class; there are {len(y)}.")
    predicted = np.empty(len(y), dtype=y.dtype)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with _session.progress(f"{folds}-fold cross-validation", folds) as step:
        for train, test in splitter.split(np.zeros(len(y)), y):
            predicted[test] = clone(estimator).fit(X[train], y[train]).predict(X[test])
            step(1)
    return Evaluation.from_predictions(y, predicted)


def _held_out(X: Any, y: np.ndarray, share: float, seed: int) -> tuple[Any, np.ndarray, tuple[Any, np.ndarray]]:
    """Split off a share of the rows, each class alike where it has the rows for it."""
    from sklearn.model_selection import train_test_split

    rarest = np.unique(y, return_counts=True)[1].min()
    train, test = train_test_split(
        np.arange(len(y)), test_size=share, random_state=seed, stratify=y if rarest > 1 else None
    )
    return X[train], y[train], (X[test], y[test])
