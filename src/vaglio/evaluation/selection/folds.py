"""Cross-validation: every row is predicted by a model that was not trained on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.errors import InputError, warning_once
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.labels import label_universe
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier, costs_of, for_unit_cost
from vaglio.evaluation.model_evaluation import evaluate_predictions
from vaglio.evaluation.predictions import ModelScores, Predictions, task_of_model
from vaglio.evaluation.rows import Part, Predicted, Rows
from vaglio.evaluation.selection.splits import SplitRules
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.typing import CostLike, Estimator

__all__ = ["evaluate_by_folds", "pooled"]


@checked
def evaluate_by_folds(
    learner: Estimator,
    X: Any,
    y: Any = None,
    *,
    n_splits: int = 10,
    rules: SplitRules | None = None,
    cv: Iterable[tuple[Part, Part]] | None = None,
    pos_label: object = None,
    cost: CostLike | None = None,
    progress: ProgressOption = None,
) -> Any:
    """Evaluate a learner by cross-validation.

    Parameters
    ----------
    learner : classifier or regressor
        It is cloned and stays unchanged.
    X : table or array, ScannedTable or Dask frame, Rows
        Rows out of core are assigned to folds by the hash of their number, others are stratified by class, or by
        quantiles of the numbers.
    y : array-like of labels or numbers, a column of the same holder, or the name of the target
    n_splits : int
        Number of folds.
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    cv : iterable of (train, test), optional
        The splits themselves, in place of ``n_splits`` and ``rules``: of :func:`make_folds`, :func:`make_random_splits`
        or a splitter's ``split``. A row may be tested several times or never; the intervals allow for it.
    pos_label, cost : optional
        As in :func:`vaglio.evaluate`; a learner without probabilities is trained with the costs as weights, and a
        learner that has quantiles predicts the one of least cost.
    progress : bool or callable, optional
        None shows a bar on a terminal.

    Returns
    -------
    Evaluation or RegressionEvaluation
        Of all rows together, each predicted in the fold that was not trained on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from vaglio.evaluation import evaluate_by_folds
    >>> evaluate_by_folds(GaussianNB(), *load_iris(return_X_y=True), n_splits=5).n_rows
    150
    """
    rows = Rows.of(X, y, task=task_of_model(learner))
    if rules is not None and rules.groups is not None:
        rows, rules = rows.with_groups(rules.groups), replace(rules, groups=None)
    costs = costs_of(cost, rows)
    if isinstance(costs, UnitCost):
        learner = for_unit_cost(clone(learner), costs)
    elif costs is not None:
        learner = CostSensitiveClassifier(learner, costs)
    folds: Any = rows.folds(n_splits, rules or SplitRules()) if cv is None else cv
    if not hasattr(folds, "__len__"):
        folds = list(folds) if hasattr(folds, "__iter__") else []
    if cv is None and len(folds) < n_splits:
        raise InputError(
            "too-many-folds",
            "{n:,} rows cannot be divided into {folds:,} folds. Use fewer folds.",
            n=len(rows),
            folds=n_splits,
        )
    found = []
    with reporting(progress) as report, warning_once():
        for done, fold in enumerate(folds):
            train, test = _pair(fold)
            report(done, len(folds), "cross-validation")
            found.append(rows.take(test).predict(rows.take(train).fit(clone(learner))))
    if not found:
        raise _no_pairs()
    # The rows as the table has them.
    places = np.concatenate([rows.positions(test) for _, test in folds])
    several = None
    if cv is not None:
        several = float(np.mean([rows.count(test) / max(1, rows.count(train)) for train, test in folds]))
    evaluation = pooled(found, task=rows.task, cost=costs, pos_label=pos_label, order=np.argsort(places, kind="stable"))
    return replace(evaluation, test_ratio=several)


def _pair(fold: Any) -> tuple[Part, Part]:
    if not isinstance(fold, (tuple, list)) or len(fold) != 2:
        raise _no_pairs()
    return fold[0], fold[1]


def _no_pairs() -> InputError:
    return InputError("no-splits", "cv must have pairs of training rows and test rows, at least one.")


def pooled(
    folds: Sequence[Predicted],
    *,
    task: Task = "classification",
    cost: CostMatrix | UnitCost | None,
    pos_label: Any = None,
    order: np.ndarray | None = None,
    about: str = "learner",
) -> Any:
    """Return the predictions of all folds as one evaluation: each row is predicted by a model not trained on it.

    Parameters
    ----------
    folds : sequence of Predicted
    task : {"classification", "regression"}
    cost : CostMatrix, UnitCost or None
    pos_label : optional
    order : ndarray, optional
        Puts the rows of all folds, one after the other, into another order.
    about : {"learner", "selection"}
        Whose models the folds are of.
    """
    number = np.repeat(np.arange(len(folds)), [len(fold.true) for fold in folds])
    true = np.concatenate([fold.true for fold in folds])
    predicted = np.concatenate([fold.predictions.labels for fold in folds])
    weights = [fold.weight for fold in folds if fold.weight is not None]
    weight = np.concatenate(weights) if weights else None
    labels, scores = _pooled_scores(folds, true, predicted) if task == "classification" else ((), None)
    if order is not None:
        true, predicted, number = true[order], predicted[order], number[order]
        scores, weight = (None if each is None else each[order] for each in (scores, weight))
    common: dict[str, Any] = {"sample_weight": weight, "cost": cost, "folds": number, "about": about}
    if task == "regression":
        return evaluate_predictions(Predictions(predicted, None), true, task=task, pos_label=pos_label, **common)
    return Evaluation.from_predictions(true, predicted, y_score=scores, labels=labels, pos_label=pos_label, **common)


def _pooled_scores(
    folds: Sequence[Predicted], true: np.ndarray, predicted: np.ndarray
) -> tuple[tuple[Any, ...], np.ndarray | None]:
    """Return the classes of all folds, and the probabilities with a column for each."""
    labels = label_universe(true, predicted)
    labels = tuple(np.unique(np.array(labels, dtype=object)).tolist()) if _sortable(labels) else labels
    given = [fold.predictions.scores for fold in folds]
    # Decision values of different models share no scale: a curve over all folds would mean nothing.
    if not all(one is not None and one.probability for one in given):
        return labels, None
    return labels, np.vstack([_aligned(one, labels) for one in given if one is not None])


def _sortable(labels: tuple[object, ...]) -> bool:
    return len({isinstance(label, str) for label in labels}) == 1


def _aligned(scores: ModelScores, labels: tuple[object, ...]) -> np.ndarray:
    """Scores with one column per label; a class that a fold did not have in training has probability 0."""
    out = np.zeros((len(scores.values), len(labels)))
    for j, label in enumerate(scores.classes):
        if label in labels:
            out[:, labels.index(label)] = scores.values[:, j]
    return out
