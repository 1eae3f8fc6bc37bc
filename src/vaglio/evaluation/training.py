"""Train a learner and evaluate it as planned: by folds, on rows held out, or on a test table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.labels import find_label, labels_like
from vaglio.evaluation.lazy_training import (
    evaluate_held_out,
    evaluate_lazily,
    lazy_options,
    train_lazily,
)
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier, fit_with_costs
from vaglio.evaluation.model_evaluation import evaluate_predictions
from vaglio.evaluation.outside_rows import OutsideRows
from vaglio.evaluation.predictions import predict_with_scores
from vaglio.evaluation.selection.folds import evaluate_by_folds
from vaglio.evaluation.selection.splits import SplitRules, make_holdout, test_share
from vaglio.learners.estimator import VaglioEstimator
from vaglio.model.costs import CostMatrix
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.table import Table
from vaglio.table.lazy import is_outside_memory

__all__ = ["EvaluationPlan", "Training", "evaluate_learner", "learnable", "learning_rows", "train_and_evaluate"]


@dataclass(frozen=True)
class EvaluationPlan:
    """How a learner is evaluated: by folds, on a share held out, or on a test table; by default not at all.

    Parameters
    ----------
    folds : int, optional
        Number of cross-validation folds.
    holdout : float or str, optional
        Share of the rows held out from training, or a split such as "80-20", "67-33", "50-50".
    test : Table or LazyTable, optional
        A test table whose target is marked; a lazy one for rows that stay on disk.
    seed : int, default=0
        Seed of the folds or of the rows held out.

    Examples
    --------
    >>> print(EvaluationPlan(folds=10))
    by 10-fold cross-validation
    """

    folds: int | None = None
    holdout: float | str | None = None
    test: Any = None
    seed: int = 0

    def __post_init__(self) -> None:
        if sum(value is not None for value in (self.folds, self.holdout, self.test)) > 1:
            raise InputError("A plan has folds, a holdout share or a test table: choose one of them.")
        if isinstance(self.holdout, str):
            object.__setattr__(self, "holdout", test_share(self.holdout))
        if isinstance(self.holdout, float) and not 0 < self.holdout < 1:
            raise InputError(f"holdout is {self.holdout:g}; it is a share between 0 and 1, for example 0.3.")

    @property
    def rules(self) -> SplitRules:
        """How rows are split."""
        return SplitRules(seed=self.seed)

    def __str__(self) -> str:
        if self.test is not None:
            return "on the test table"
        if self.folds is not None:
            return f"by {self.folds}-fold cross-validation"
        return "not evaluated" if self.holdout is None else f"on {self.holdout:.0%} of the rows, held out"


@dataclass(frozen=True)
class Training:
    """A trained estimator and how good it is.

    Attributes
    ----------
    estimator : classifier
        Trained on all rows, except those held out; with costs, one of another library is wrapped in a
        :class:`~vaglio.evaluation.CostSensitiveClassifier`.
    n_rows : int
        Rows it was trained on.
    evaluation : Evaluation or None
        None when the plan asks for no evaluation.
    """

    estimator: Any
    n_rows: int
    evaluation: Evaluation | None


def train_and_evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    plan: EvaluationPlan,
    *,
    pos_label: Any = None,
    cost: Any = None,
    progress: ProgressOption = None,
) -> Training:
    """Fit an estimator to a table and evaluate it as planned.

    Parameters
    ----------
    estimator : classifier
        It is fitted on all rows, except those held out.
    X : Table or LazyTable
        Of rows that stay on disk, those that are held out, and folds, are chosen by the hash of their number.
    y : ndarray of labels or LazyColumn
    plan : EvaluationPlan
    pos_label : optional
        As in :func:`vaglio.evaluate`; the positive class may be given by how it is written.
    cost : CostMatrix, array, dict or path of a CSV file, optional
        The model carries the costs and decides by them; a learner without probabilities is trained with the costs as
        weights of the rows instead.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Returns
    -------
    Training

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.evaluation import EvaluationPlan, train_and_evaluate
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> train_and_evaluate(vaglio.C45Classifier(), X, y, EvaluationPlan(holdout=0.25)).n_rows
    258
    """
    if is_outside_memory(X):
        return _trained_outside(estimator, X, y, plan, pos_label, cost)
    # The class and the costs are looked up first: a wrong name is reported before the work, not after it.
    options = _options(y, pos_label, cost)
    evaluation = None
    test: tuple[Table, np.ndarray] | None = None
    if plan.folds is not None:
        evaluation = evaluate_by_folds(
            estimator, X, y, n_splits=plan.folds, rules=plan.rules, progress=progress, **options
        )
    elif plan.holdout is not None:
        training, held_out = make_holdout(y, plan.holdout, plan.rules)
        test = X[held_out], y[held_out]
        X, y = X[training], y[training]
    elif plan.test is not None:
        rows, labels = plan.test.xy()
        test = rows.select(X.columns), labels
    with reporting(progress) as report:
        report(0, 1, f"training on {len(X):,} rows")
        model = _fitted(estimator, X, y, options["cost"])
    if test is not None:
        rows, labels = test
        # All the costs, not those the model carries: the training rows may lack a class.
        predictions = replace(predict_with_scores(model, rows), cost=options["cost"])
        true = labels_like(labels, model.classes_.tolist())
        evaluation = evaluate_predictions(predictions, true, pos_label=options["pos_label"])
    return Training(model, len(X), evaluation)


def _trained_outside(estimator: Any, X: Any, y: Any, plan: EvaluationPlan, pos_label: Any, cost: Any) -> Training:
    """The same for rows that stay on disk."""
    rows = OutsideRows(X, y)
    options = lazy_options(rows, pos_label, cost)
    evaluation, test = None, None
    if plan.folds is not None:
        evaluation = evaluate_lazily(estimator, rows, folds=plan.folds, seed=plan.seed, **options)
    elif plan.holdout is not None:
        rows, test = rows.split(float(plan.holdout), plan.seed)
    elif plan.test is not None:
        test = rows.like(plan.test)
    model = train_lazily(estimator, rows, options["cost"])
    if test is not None:
        evaluation = evaluate_held_out(model, test, **options)
    shape = model.fitted_.training_shape
    return Training(model, 0 if shape is None else shape[0], evaluation)


def _fitted(estimator: Any, X: Table, y: np.ndarray, cost: CostMatrix | None) -> Any:
    """The estimator, fitted; one of another library is wrapped where it has to decide by costs."""
    if cost is None:
        return estimator.fit(X, y)
    if isinstance(estimator, VaglioEstimator):
        fit_with_costs(estimator, X, y, cost)
        return estimator
    return CostSensitiveClassifier(estimator, cost).fit(X, y)


def evaluate_learner(
    estimator: Any,
    X: Any,
    y: Any,
    plan: EvaluationPlan,
    *,
    pos_label: Any = None,
    cost: Any = None,
    progress: ProgressOption = None,
) -> Evaluation:
    """Evaluate a learner as planned and keep no model: with folds, none is trained on all rows.

    Parameters
    ----------
    estimator : classifier
    X : Table
    y : ndarray of labels
    plan : EvaluationPlan
        It must name folds, a share held out or a test table.
    pos_label, cost : optional
        As in :func:`vaglio.evaluate`; the positive class may be given by how it is written.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Returns
    -------
    Evaluation
    """
    if plan.folds is not None and is_outside_memory(X):
        rows = OutsideRows(X, y)
        options = lazy_options(rows, pos_label, cost)
        return evaluate_lazily(estimator, rows, folds=plan.folds, seed=plan.seed, **options)
    if plan.folds is not None:
        options = _options(y, pos_label, cost)
        return evaluate_by_folds(estimator, X, y, n_splits=plan.folds, rules=plan.rules, progress=progress, **options)
    training = train_and_evaluate(estimator, X, y, plan, pos_label=pos_label, cost=cost, progress=progress)
    if training.evaluation is None:
        raise InputError("The plan names no rows to evaluate on: give folds, a holdout share or a test table.")
    return training.evaluation


def _options(y: np.ndarray, pos_label: Any, cost: Any) -> dict[str, Any]:
    """Arguments of ``evaluate`` for these classes."""
    labels = np.unique(y).tolist()
    return {
        "pos_label": None if pos_label is None else find_label(str(pos_label), labels),
        "cost": None if cost is None else CostMatrix.from_any(cost, labels=labels),
    }


def learning_rows(table: Table, folds: int | None = None) -> tuple[Table, np.ndarray]:
    """Return inputs and classes of a table; raise an error if there is nothing to learn from them.

    Parameters
    ----------
    table : Table
        Its target is marked.
    folds : int, optional
        The rows must be enough for so many cross-validation folds.
    """
    X, y = table.xy()
    if not X.columns:
        raise InputError(f"Besides the class {table.target!r} there is no column to learn from.")
    if len(set(y.tolist())) < 2:
        label = y[0].item() if hasattr(y[0], "item") else y[0]
        raise InputError(
            f"Every row has the class {label!r}: there is nothing to tell apart; is {table.target!r} the right target?"
        )
    if folds is not None and folds > len(y):
        raise InputError(f"{len(y)} rows cannot be divided into {folds} folds: use fewer folds.")
    return X, y


def learnable(table: Table) -> bool:
    """Return whether the table has a target with two classes or more, and a column to learn it from.

    Parameters
    ----------
    table : Table
    """
    if table.target is None:
        return False
    X, y = table.xy()
    return bool(X.columns) and len(set(y.tolist())) > 1
