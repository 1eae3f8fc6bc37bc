"""Evaluate a model on rows whose class, or number, is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode import aligned_labels
from vaglio.errors import InputError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.overlap import find_overlap
from vaglio.evaluation.predictions import Predictions, task_of_model
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.evaluation.rows import Rows
from vaglio.fitted import Fitted
from vaglio.messages.message import Option
from vaglio.messages.sentences import listed
from vaglio.model.costs import CostMatrix
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, CostLike, Predictor, TableSource

__all__ = ["evaluate", "evaluate_predictions", "refuse_for_numbers"]


@checked
def evaluate(
    model: Predictor,
    X: TableSource | Rows,
    y: str | ColumnLike | None = None,
    *,
    sample_weight: ColumnLike | None = None,
    pos_label: object = None,
    cost: CostLike | None = None,
    decide: str = "cost",
    confidence: float = 0.95,
    seed: int = 0,
) -> Any:
    """Evaluate a model on rows whose class, or number, is known.

    Parameters
    ----------
    model : Fitted or estimator
        Any regressor, or anything with ``predict`` and ``classes_``; ``predict_proba`` or ``decision_function`` give
        curves too.
    X : table or array
        The rows to predict; a scanned table or a Dask frame is read in parts.
    y : array-like of labels or numbers, or the name of the target of ``X``, which may then be a file too
        None is the target that the table has.
    sample_weight : array-like, optional
        How much each row counts in every measure.
    pos_label : optional
        The class that curves of two classes are drawn for; by default the second.
    cost : CostMatrix, array, dict or path of a CSV file, optional
        The class with the least expected cost is then predicted for each row, and costs are reported. By default the
        costs that the model carries, which are in its predictions already. For numbers: what a unit of error costs, as
        ``{"over": 1, "under": 3}``, which is reported.
    decide : {"cost", "argmax"}
        "argmax" leaves the costs out of the predictions: they are only reported.
    confidence : float, default=0.95
        Confidence level of every interval.
    seed : int, default=0
        Seed of the draws behind the intervals.

    Returns
    -------
    Evaluation or RegressionEvaluation
        By what the model predicts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import vaglio
    >>> X, y = load_iris(return_X_y=True)
    >>> vaglio.evaluate(GaussianNB().fit(X, y), X, y).accuracy
    0.9600 (0.9155 to 0.9815)
    """
    if not 0 < confidence < 1:
        raise InputError(
            "confidence-out-of-range", "confidence is {given}; it must be between 0 and 1.", given=confidence
        )
    if decide not in ("cost", "argmax"):
        raise InputError(
            "unknown-choice",
            "{name} is {value!r}; it must be {allowed}.",
            name="decide",
            value=decide,
            allowed=listed(("cost", "argmax"), quoted=True, last="or"),
        )
    task = task_of_model(model)
    if task == "regression":
        refuse_for_numbers(pos_label=pos_label, decide=None if decide == "cost" else decide)
    alone, carried = (model, None) if decide == "cost" else _without_costs(model)
    found = Rows.of(X, y, sample_weight, task=task).predict(alone, seen=True)
    overlap = find_overlap(model, found)
    options: dict[str, Any] = {
        "task": task,
        "pos_label": pos_label,
        "confidence": confidence,
        "seed": seed,
        "sample_weight": found.weight,
    }
    if decide == "cost":
        return replace(evaluate_predictions(found.predictions, found.true, cost=cost, **options), overlap=overlap)
    evaluation = evaluate_predictions(replace(found.predictions, cost=carried), found.true, **options)
    evaluation = replace(evaluation, overlap=overlap)
    return evaluation if cost is None else replace(evaluation, cost=CostMatrix.from_any(cost, labels=evaluation.labels))


def _without_costs(model: Predictor) -> tuple[Any, CostMatrix | None]:
    """The model that decides by itself, and the costs it carries."""
    fitted = model if isinstance(model, Fitted) else getattr(model, "fitted_", None)
    if isinstance(fitted, Fitted):
        return fitted.with_decision_rule("argmax"), fitted.error_cost
    return (model.estimator_, model.cost_) if isinstance(model, CostSensitiveClassifier) else (model, None)


def refuse_for_numbers(**options: object) -> None:
    """Raise an error if an option is given that has a meaning for classes alone."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise InputError(
            "option-of-classes",
            "{option} applies to predicted classes, and numbers are predicted here. Leave it out.",
            option=Option(given[0], flag={"pos_label": "--positive"}.get(given[0])),
        )


def evaluate_predictions(
    predictions: Predictions, y: ColumnLike, *, task: Task = "classification", cost: Any = None, **options: Any
) -> Any:
    """Compare predictions that are made already with the true classes, or numbers.

    Parameters
    ----------
    predictions : Predictions
    y : array-like of labels or numbers
    task : {"classification", "regression"}
    cost : optional
        As in :func:`evaluate`.
    **options
        Further arguments of :meth:`Evaluation.from_predictions`.

    Returns
    -------
    Evaluation or RegressionEvaluation
    """
    if task == "regression":
        refuse_for_numbers(pos_label=options.pop("pos_label", None))
        return RegressionEvaluation.from_predictions(y, predictions.labels, cost=cost, **options)
    if cost is None and predictions.cost is not None:
        return evaluate_predictions(replace(predictions, cost=None), y, **options).with_cost(predictions.cost)
    scores = predictions.scores
    y = aligned_labels(y, np.unique(predictions.labels) if scores is None else scores.classes)
    if scores is None:
        return Evaluation.from_predictions(y, predictions.labels, cost=cost, **options)
    evaluation = Evaluation.from_predictions(
        y, predictions.labels, y_score=scores.values, labels=scores.classes, cost=cost, **options
    )
    # Decision values may look like probabilities by chance, for example when there is one row.
    evaluation = replace(evaluation, probability=scores.probability)
    if cost is not None and evaluation.probability:
        return evaluation.at_least_cost()
    return evaluation
