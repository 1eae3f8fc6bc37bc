"""Train and evaluate a learner on rows that stay on disk; rows are held out by the hash of their number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.errors import NotSupportedError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.labels import find_label
from vaglio.evaluation.lazy_predictions import predict_outside
from vaglio.evaluation.metrics.cost_sensitive import fit_with_costs
from vaglio.evaluation.model_evaluation import evaluate_predictions
from vaglio.evaluation.outside_rows import OutsideRows
from vaglio.model.costs import CostMatrix
from vaglio.typing import Estimator

__all__ = ["evaluate_lazily", "lazy_options", "train_lazily"]


def lazy_options(rows: OutsideRows, pos_label: Any, cost: Any) -> dict[str, Any]:
    """Return the positive class and the costs, looked up among the classes of the table: one look at its target.

    Parameters
    ----------
    rows : OutsideRows
    pos_label, cost : optional
        As in :func:`vaglio.evaluate`.
    """
    if pos_label is None and cost is None:
        return {"pos_label": None, "cost": None}
    classes = rows.classes().tolist()
    return {
        "pos_label": None if pos_label is None else find_label(str(pos_label), classes),
        "cost": None if cost is None else CostMatrix.from_any(cost, labels=classes),
    }


def train_lazily(estimator: Estimator, rows: OutsideRows, cost: CostMatrix | None) -> Any:
    """Fit an estimator on rows that stay on disk, so that it decides by the costs if there are any; return it.

    Parameters
    ----------
    estimator : classifier of vaglio
    rows : OutsideRows
    cost : CostMatrix or None
    """
    if cost is None:
        return estimator.fit(rows.X, rows.y)
    if not hasattr(estimator, "predict_proba"):
        raise NotSupportedError(
            f"{type(estimator).__name__} has no probabilities, so that costs would be weights of the rows: read the "
            "table into memory, or take a sample."
        )
    fit_with_costs(estimator, rows.X, rows.y, cost)
    return estimator


def evaluate_lazily(
    estimator: Estimator, rows: OutsideRows, *, folds: int, seed: int, pos_label: object, cost: CostMatrix | None
) -> Evaluation:
    """Evaluate a learner by cross-validation on rows that stay on disk; one training after the other.

    Parameters
    ----------
    estimator : classifier of vaglio
        It is cloned and stays unchanged.
    rows : OutsideRows
    folds, seed : int
    pos_label : optional
    cost : CostMatrix or None

    Returns
    -------
    Evaluation
        Of all rows together, each predicted in the fold that was not trained on it.
    """
    parts = []
    for training, test in rows.folds(folds, seed):
        model = train_lazily(clone(estimator), training, cost)
        parts.append((predict_outside(model, test.X, test.y), model.classes_))
    classes = np.unique(np.concatenate([true for (_, true, _), _ in parts] + [own for _, own in parts]))
    predicted = np.concatenate([found.labels for (found, _, _), _ in parts])
    true = np.concatenate([own for (_, own, _), _ in parts])
    scores = None
    if all(found.scores is not None and found.scores.probability for (found, _, _), _ in parts):
        scores = np.concatenate(list(_aligned((found.scores for (found, _, _), _ in parts), classes)))
    return Evaluation.from_predictions(
        true, predicted, y_score=scores, labels=classes.tolist(), pos_label=pos_label, cost=cost
    )


def evaluate_held_out(model: Any, rows: OutsideRows, *, pos_label: object, cost: CostMatrix | None) -> Evaluation:
    """Evaluate a fitted learner on rows that it was not trained on.

    Parameters
    ----------
    model : classifier of vaglio
    rows : OutsideRows
    pos_label : optional
    cost : CostMatrix or None
    """
    predictions, true, _ = predict_outside(model, rows.X, rows.y)
    return evaluate_predictions(replace(predictions, cost=cost), true, pos_label=pos_label)


def _aligned(scores: Iterable[Any], classes: np.ndarray) -> Iterable[np.ndarray]:
    """A class may be absent from a training fold: its probability is 0."""
    for own in scores:
        values = np.zeros((len(own.values), len(classes)))
        values[:, np.searchsorted(classes, own.classes)] = own.values
        yield values
