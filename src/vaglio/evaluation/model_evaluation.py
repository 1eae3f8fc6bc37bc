"""Evaluate a model on rows whose class, or number, is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.encode import aligned_labels
from vaglio.errors import InputError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.overlap import find_overlap
from vaglio.evaluation.predictions import Predictions, task_of_model
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.evaluation.rows import MemoryRows, Predicted, Rows
from vaglio.evaluation.selection.candidates import resolve_learners, task_asked
from vaglio.fitted import Fitted
from vaglio.messages.message import Option
from vaglio.messages.sentences import listed
from vaglio.model.costs import CostMatrix
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.runtime.seeds import row_hash
from vaglio.typing import ColumnLike, CostLike, Predictor, TableSource

__all__ = ["evaluate", "evaluate_found", "evaluate_predictions", "refuse_for_numbers", "with_training_rows"]

# Training rows that are predicted, for a server to compare with.
_MOST_PREDICTED = 1000


@checked
def evaluate(
    model: Predictor | str,
    X: TableSource | Rows,
    y: str | int | ColumnLike | None = None,
    *,
    folds: int | Iterable[Any] | None = None,
    holdout: float | str | None = None,
    repeat: int = 1,
    sample_weight: ColumnLike | None = None,
    pos_label: object = None,
    cost: CostLike | None = None,
    decide: str = "cost",
    confidence: float = 0.95,
    seed: int = 0,
) -> Any:
    """Evaluate a model on rows whose class or number is known, or a learner by cross-validation or on a hold-out set.

    Parameters
    ----------
    model : Fitted, estimator, or the id of a learner
        Any regressor, or anything with ``predict`` and ``classes_``; ``predict_proba`` or ``decision_function`` give
        curves too. With ``folds`` or ``holdout``, a learner: it is trained on the other rows, and stays unchanged. An
        id alone is evaluated by ten folds.
    X, y : table (or its file) and name of its target, or X and the labels or numbers
        A scanned table or a Dask frame is read in parts. Without y, the target that the table has.
    folds : int or iterable of (train, test), optional
        Evaluate the learner by cross-validation with so many folds, or by these splits: of
        :func:`~vaglio.evaluation.make_folds`, :func:`~vaglio.evaluation.make_random_splits` or a splitter's ``split``.
    holdout : float or str, optional
        Evaluate the learner on a random share of the rows, such as 0.3 or "70-30".
    repeat : int, default=1
        How often the folds, or the rows held out, are drawn.
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
    >>> vaglio.evaluate("naive-bayes", X, y, folds=10).about
    'learner'
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
    if isinstance(model, str) or folds is not None or holdout is not None:
        if decide != "cost":
            raise InputError(
                "decide-of-learner",
                "{decide} applies to a model with costs. A learner uses the costs given with {cost}.",
                decide=Option("decide"),
                cost=Option("cost"),
            )
        planned = {"folds": 10 if folds is None and holdout is None else folds, "holdout": holdout, "repeat": repeat}
        learner: Any = model
        asked, able = task_asked("auto", [learner])
        rows = Rows.of(X, y, sample_weight, task=asked, able=able)
        evaluation = _of_learner(learner, rows, planned, pos_label, cost, seed)
        return replace(evaluation, confidence=confidence, seed=seed)
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


def _of_learner(
    learner: Any, rows: Rows, planned: dict[str, Any], pos_label: object, cost: CostLike | None, seed: int
) -> Any:
    from vaglio.evaluation.selection.folds import evaluate_by_folds
    from vaglio.evaluation.training import EvaluationPlan, evaluate_learner

    [candidate] = resolve_learners([learner], seed=seed, task=rows.task)
    estimator = clone(candidate.estimator)
    if planned["folds"] is not None and not isinstance(planned["folds"], Integral):
        if planned["holdout"] is not None or planned["repeat"] != 1:
            raise InputError("splits-alone", "Splits are given whole: pass folds without holdout and repeat.")
        return evaluate_by_folds(estimator, rows, cv=planned["folds"], pos_label=pos_label, cost=cost)
    plan = EvaluationPlan(**planned, seed=seed)
    return evaluate_learner(estimator, rows, None, plan, pos_label=pos_label, cost=cost)


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


def evaluate_found(found: Predicted, task: Task, cost: Any = None, **options: Any) -> Any:
    """Return the evaluation of a model that was trained, and carries its costs, on the rows that it predicted.

    Parameters
    ----------
    found : Predicted
    task : {"classification", "regression"}
    cost : CostMatrix, UnitCost or None
        All the costs, not those the model carries: the training rows may lack a class.
    **options
        Further arguments of :func:`evaluate_predictions`.
    """
    options["sample_weight"] = found.weight
    if task == "regression":
        return evaluate_predictions(found.predictions, found.true, task=task, cost=cost, **options)
    return evaluate_predictions(replace(found.predictions, cost=cost), found.true, **options)


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


def with_training_rows(evaluation: Any, model: Any, rows: Rows) -> Any:
    """Return an evaluation of numbers that knows what the model predicts for some of its training rows.

    Parameters
    ----------
    evaluation : Evaluation, RegressionEvaluation or None
    model : fitted estimator
    rows : Rows
        Those that it was trained on.
    """
    if evaluation is None or rows.task == "classification":
        return evaluation
    some = rows
    if not isinstance(rows, MemoryRows):
        some = rows.sample(_MOST_PREDICTED)
    elif len(rows) > _MOST_PREDICTED:  # the same rows as out of core
        some = rows.take(np.sort(np.argsort(row_hash(np.arange(len(rows)), 0), kind="stable")[:_MOST_PREDICTED]))
    predicted = np.asarray(model.predict(some.X), dtype=np.float64)
    return replace(evaluation, on_training_rows=predicted if some.weight is None else predicted[some.weight > 0])
